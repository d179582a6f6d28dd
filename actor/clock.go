package actor

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/sched"
)

// VirtualClock is a clock that stands still until [VirtualClock.Advance] or
// [VirtualClock.Jump] moves it. It is for tests in which time has to pass without a wait.
// Give it to systems with [WithClock]; several may share it. These systems use it for
// everything that depends on time: timers, [Context.Now], and the measuring of
// [Context.Blocking].
//
// Timers of a clock that stands still do not hold a system. When nothing can happen until
// the clock moves, [System.Wait] returns although timers are armed, and [System.Run] ends
// the system. Nor do these hold it: actors that are muted for an actor whose restart is put
// off (package supervise), and actors that wait for their children to end.
//
// The zero value is not ready: use [NewVirtualClock]. Methods may be called from any
// goroutine.
type VirtualClock kernel.VirtualClock

// kernel returns the untyped part of c.
func (c *VirtualClock) kernel() *kernel.VirtualClock { return (*kernel.VirtualClock)(c) }

// NewVirtualClock returns a clock that stands at start.
func NewVirtualClock(start time.Time) *VirtualClock {
	return (*VirtualClock)(kernel.NewVirtualClock(start))
}

// WithClock makes the system use c instead of the machine's clock. The scheduler still uses
// the machine's clock to share the processor among actors.
func WithClock(c *VirtualClock) Option {
	return systemOption(func(o *kernel.Options) { o.SetClock(c.kernel()) })
}

// Now returns the time at which the clock stands.
func (c *VirtualClock) Now() time.Time { return c.kernel().Now() }

// Next returns the time until the next timer may fire, and false if no timer is armed. A
// timer that was canceled, or has ended with its actor, may count until its time.
func (c *VirtualClock) Next() (time.Duration, bool) { return c.kernel().Next() }

// Advance moves the clock on by d in steps, and blocks meanwhile. In each step it waits
// until nothing more can happen in the clock's systems at the present time, and then moves
// the clock to the time of the next timer. When it returns nil, everything that is due
// within d has happened.
//
// If ctx ends first, Advance returns ctx's error, and the clock stays at the time of the
// last step. Advance panics if d is negative, or if a behaviour or process of one of the
// systems calls it.
//
// In each step Advance waits for everything that [System.Wait] waits for, except for actors
// that cannot go on by themselves: muted actors, actors that wait for their children to
// end, and, in a deterministic system, actors that wait for a reply. Special cases:
//
//   - An actor that waits for an actor under pressure may be released once, by the
//     machine's time ([Hooks]), before the clock moves.
//   - Advance waits for the functions of [Pipe] and the goroutines of bridge.FromChan. In a
//     deterministic system it does not: there these go on whenever they can. In any other
//     system, if only a timer can end an actor's pressure, an open FromChan of that actor
//     keeps the clock from reaching the timer. So give ctx a deadline.
//   - The clock moves at most 292 years from its start. A timer that is due later never
//     fires.
func (c *VirtualClock) Advance(ctx context.Context, d time.Duration) error {
	return c.kernel().Advance(ctx, d)
}

// Jump moves the clock on by d at once and does not wait, like the clock of a machine that
// was asleep. Timers that are due fire in their order. A behaviour may call Jump. It panics
// if d is negative.
func (c *VirtualClock) Jump(d time.Duration) { c.kernel().Jump(d) }

// Sleep waits until d has passed. If ctx ends first, it returns ctx's error. Sleep is for
// functions of [Pipe] and [Context.Blocking], and for code that takes the place of a
// database or a socket in their tests.
//
// In such a function of a deterministic system ([WithDeterministic]) it waits in virtual
// time, which costs no real time. The system goes on meanwhile. When nothing else can
// happen, time jumps to the next timer, or the user moves the system's [VirtualClock]. If
// the system stops first, Sleep returns ctx's error or ErrSystemStopped. In any other
// system, and in goroutines of the program's own, Sleep waits by the machine's clock.
//
// Sleep returns at once if d is zero or less. It panics if ctx is nil. In a behaviour use
// [After], which keeps no worker.
func Sleep(ctx context.Context, d time.Duration) error {
	ctx = kernel.MustHave(ctx, "Sleep")
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	if s, ok := sched.RunOf().(*kernel.Simulation); ok {
		return s.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
