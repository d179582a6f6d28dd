package actor

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// VirtualClock is a clock that stands still until it is told to go on, for tests that
// need time to pass and do not want to wait. Give it to systems with [WithClock]; several
// may share it. All that these systems do by the clock they do by this one: timers,
// [Context.Now], and how long a behaviour has blocked ([Context.Blocking]).
//
// Time that stands still holds no system. When only time could bring more, [System.Wait]
// returns although timers are armed, and [System.Run] ends the system. The same is true
// for actors that are muted for one whose restart is put off (package supervise), and for actors
// that wait for their children to end.
//
// The zero value is not ready: use [NewVirtualClock]. Methods may be called from any
// goroutine.
type VirtualClock struct {
	seam *seam.VirtualClock

	moves chan struct{} // one Advance at a time: it has put something in
	mu    sync.Mutex
	// Guarded by mu: those that are running, in the order of their start.
	on []*System
}

// NewVirtualClock returns a clock that stands at start.
func NewVirtualClock(start time.Time) *VirtualClock {
	return &VirtualClock{seam: seam.NewVirtualClock(start, 0), moves: make(chan struct{}, 1)}
}

// WithClock makes the system take the time from c instead of from the machine. The
// scheduler still shares the processor by the machine's clock.
func WithClock(c *VirtualClock) Option {
	return systemOption(func(o *options) {
		switch {
		case c == nil:
			o.wrong = append(o.wrong, "WithClock(nil)")
			return
		case c.seam == nil:
			o.wrong = append(o.wrong, "WithClock of a zero VirtualClock: use NewVirtualClock")
			return
		}
		o.clock, o.virtual = c.seam, c
	})
}

// Now returns the time at which the clock stands.
func (c *VirtualClock) Now() time.Time {
	c.mustBeMade("Now")
	return c.seam.Now()
}

// mustBeMade panics if c is not what NewVirtualClock has returned.
func (c *VirtualClock) mustBeMade(call string) {
	if c == nil || c.seam == nil {
		panic("gallop: " + call + " of a nil or zero VirtualClock: use NewVirtualClock")
	}
}

// Next returns how far it is to the next moment at which something may happen, and
// false if no timer is armed. A timer that was canceled, or has ended with its actor,
// may count until its time.
func (c *VirtualClock) Next() (time.Duration, bool) {
	c.mustBeMade("Next")
	at, ok := c.seam.Next()
	return max(0, time.Duration(at-c.seam.Nanos())), ok
}

// Advance moves the clock on by d, as slowly as need be, and blocks meanwhile. Step by
// step, it waits until nothing can go on in the clock's systems without time passing,
// and then moves to the next moment at which a timer is due. When it returns nil,
// everything that happens within d has happened.
//
// If ctx ends before, Advance returns ctx's error, and the clock stands where it had
// come to. Advance panics if d is negative, or if a behaviour or process of one of the systems
// calls it.
//
// In each step Advance waits for all that [System.Wait] waits for, except for actors
// that cannot go on by themselves: those that are muted, that wait for their children
// to end, or, in a deterministic system, that wait for a reply. Special cases:
//
//   - An actor that waits for one under pressure may be let go once, by the machine's
//     time ([Hooks]), before the clock goes on.
//   - Advance waits for what [Pipe] and [FromChan] run; but not in a deterministic
//     system, where that goes on when it can. In any other system, if only a timer can
//     take an actor out of its pressure, an open FromChan of that actor keeps the clock
//     from coming to the timer. So give ctx a deadline.
//   - A clock comes 292 years far and no further: what would be due later never is.
func (c *VirtualClock) Advance(ctx context.Context, d time.Duration) error {
	c.mustBeMade("Advance")
	ctx = mustHave(ctx, "Advance")
	mustGoOn("Advance", d)
	for _, s := range c.systems() {
		s.mustBeOutside("Advance")
	}
	if err := c.takeTurn(ctx); err != nil {
		return err
	}
	defer func() { <-c.moves }()
	end := seam.After(c.seam.Nanos(), d)
	for {
		if err := c.awaitAll(ctx); err != nil {
			return err
		}
		at, ok := c.seam.Next()
		if !ok || at > end {
			break
		}
		c.seam.MoveTo(at)
	}
	c.seam.MoveTo(end)
	return nil
}

// takeTurn waits until no other Advance goes on. Only if there is another it asks the context for
// its end: a context of a deterministic run takes that for a wait. Afterwards it asks whether the
// context has ended: of two ready cases select takes any.
func (c *VirtualClock) takeTurn(ctx context.Context) error {
	select {
	case c.moves <- struct{}{}:
	default:
		select {
		case c.moves <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := ctx.Err()
	if err != nil {
		<-c.moves
	}
	return err
}

// Jump moves the clock on by d at once and does not wait, as time looks to a machine
// that was asleep. Timers that are due fire in their order. A behaviour may call Jump.
// It panics if d is negative.
func (c *VirtualClock) Jump(d time.Duration) {
	c.mustBeMade("Jump")
	mustGoOn("Jump", d)
	c.seam.MoveTo(seam.After(c.seam.Nanos(), d))
}

func mustGoOn(call string, d time.Duration) {
	if d < 0 {
		panic("gallop: " + call + "(" + d.String() + "): time does not go back")
	}
}

// awaitAll waits until nothing goes on in any system on this clock, in all at the same time: one in
// which nothing did may have been sent something by the next.
//
// Rejected: to wait until they are quiescent. An actor that is muted for one that waits for a
// timer, and any that waits for that actor, would keep the clock from coming to the timer.
func (c *VirtualClock) awaitAll(ctx context.Context) error {
	for last := uint64(0); ; {
		turns := uint64(1)
		for _, s := range c.systems() {
			err := awaitQuiet(ctx, s, last == 0)
			if err != nil && !errors.Is(err, sched.ErrStopped) {
				return err
			}
			turns += s.Stats().Turns
		}
		if turns == last {
			return nil
		}
		last = turns
	}
}

// awaitQuiet waits until nothing goes on in s except what waits for time, or for a goroutine
// outside who has no [System.Hold]. The watch over actors under pressure may let an actor go, by
// the machine's time. If watched says so, awaitQuiet waits for that once, since the actor may come
// to wait again.
func awaitQuiet(ctx context.Context, s *System, watched bool) error {
	for released := s.Stats().Exempted; ; {
		if err := s.sched.WaitParked(ctx); err != nil {
			return err
		}
		if s.sim != nil { // the watch has had its turns
			if s.held.Load() == 0 {
				return nil
			}
			if !s.sched.Await(ctx, func() bool { return s.held.Load() == 0 }) {
				return ctx.Err()
			}
			continue
		}
		look := s.deadlocks.next()
		if look == nil || !watched || s.Stats().Exempted != released {
			return nil
		}
		select {
		case <-look:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *VirtualClock) systems() []*System {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.on)
}

// parked returns a function that reports whether n parked actors of s, while nothing goes on there,
// wait for time alone: all of them are muted, and none for one under pressure. Then those that they
// wait for in the end are suspended, or they would run; and have been postponed, or they would be
// parked as well (package supervise). Without a timer of s it is not time that they wait for. The
// alarms of the clock do not tell that: between two of them none is set.
func (c *VirtualClock) parked(s *System) func(n int) bool {
	return func(n int) bool {
		t := s.timers.Load()
		if t == nil || !t.Armed() {
			return false
		}
		st := s.Stats() // exact while nothing runs
		if invariant.On {
			verifyParked(n, st)
		}
		return uint64(n) == st.Mutes-st.Unmutes && !s.deadlocks.waited()
	}
}

func (c *VirtualClock) join(s *System) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.on = append(c.on, s)
}

func (c *VirtualClock) leave(s *System) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.on = slices.DeleteFunc(c.on, func(o *System) bool { return o == s })
}

// Sleep waits until d has passed, or ctx ends, whose error it returns then. It is for
// functions of [Pipe] and [Context.Blocking], and for what stands in for a database or a
// socket in their tests. There it waits in virtual time if the system is deterministic
// ([WithDeterministic]), and costs nothing: the system goes on meanwhile, and time jumps on when
// nothing else can happen, or is moved by the system's [VirtualClock]. If the system
// stops before, Sleep returns ctx's error or ErrSystemStopped. In any other system, and
// in goroutines of the program's own, it waits by the machine's clock.
//
// Sleep returns at once if d is zero or less. It panics if ctx is nil. In a behaviour
// use [After], which keeps no worker.
func Sleep(ctx context.Context, d time.Duration) error {
	ctx = mustHave(ctx, "Sleep")
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	if s, ok := sched.RunOf().(*simulation); ok {
		return s.sleep(ctx, d)
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

// sleep waits in virtual time. The alarm only shows the clock how far to go: the driver, which
// moves it, looks afterwards which threads can go on.
func (s *simulation) sleep(ctx context.Context, d time.Duration) error {
	clock := s.sys.opts.clock
	at := seam.After(clock.Nanos(), d)
	alarm := clock.NewAlarm(func() {})
	alarm.Set(at)
	defer alarm.Stop()
	switch {
	case s.sys.sched.Await(ctx, func() bool { return clock.Nanos() >= at }):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return ErrSystemStopped
}

// slow lets the virtual time pass that a function of Pipe or Blocking is to take before its work,
// and returns how long it is to take afterwards. behaviour is the one that hears of a Pipe, or the
// one that blocks.
func (s *simulation) slow(a *cell, behaviour string) (after time.Duration) {
	if s == nil || s.hooks.Latency == nil {
		return 0
	}
	before, after := s.hooks.Latency(a.typ().name, behaviour)
	s.rest(before)
	return after
}

// rest lets virtual time pass for the caller, unless the system ends first.
func (s *simulation) rest(d time.Duration) {
	if d > 0 {
		_ = s.sleep(s.sys.done.context(), d) // the function sees the end by its own context
	}
}

// slowed is f with the virtual time that it is to take.
func (c *Context) slowed(f func()) func() {
	s, a, behaviour := c.sys.sim, c.self, c.self.typ().decls[c.msg.ID].name
	return func() {
		rest := s.slow(a, behaviour)
		f()
		s.rest(rest)
	}
}

// verifyParked checks, while nothing runs, that the muted actors hold the system: n actors do.
func verifyParked(n int, st Stats) {
	invariant.Check(st.Unmutes <= st.Mutes && st.Mutes-st.Unmutes <= uint64(n),
		"%d muted, and %d let go on, of %d parked", st.Mutes, st.Unmutes, n)
}
