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
type VirtualClock struct {
	seam *seam.VirtualClock

	moves chan struct{} // a lock: full while an Advance goes on
	mu    sync.Mutex
	// Guarded by mu: the running systems with this clock, in the order of their start.
	on []*System
}

// NewVirtualClock returns a clock that stands at start.
func NewVirtualClock(start time.Time) *VirtualClock {
	return &VirtualClock{seam: seam.NewVirtualClock(start, 0), moves: make(chan struct{}, 1)}
}

// WithClock makes the system use c instead of the machine's clock. The scheduler still uses
// the machine's clock to share the processor among actors.
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

// mustBeMade panics if NewVirtualClock has not made c.
func (c *VirtualClock) mustBeMade(call string) {
	if c == nil || c.seam == nil {
		panic("gallop: " + call + " of a nil or zero VirtualClock: use NewVirtualClock")
	}
}

// Next returns the time until the next timer may fire, and false if no timer is armed. A
// timer that was canceled, or has ended with its actor, may count until its time.
func (c *VirtualClock) Next() (time.Duration, bool) {
	c.mustBeMade("Next")
	at, ok := c.seam.Next()
	return max(0, time.Duration(at-c.seam.Nanos())), ok
}

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
//   - Advance waits for the functions of [Pipe] and the goroutines of [FromChan]. In a
//     deterministic system it does not: there these go on whenever they can. In any other
//     system, if only a timer can end an actor's pressure, an open FromChan of that actor
//     keeps the clock from reaching the timer. So give ctx a deadline.
//   - The clock moves at most 292 years from its start. A timer that is due later never
//     fires.
func (c *VirtualClock) Advance(ctx context.Context, d time.Duration) error {
	c.mustBeMade("Advance")
	ctx = mustHave(ctx, "Advance")
	mustGoOn("Advance", d)
	for _, s := range c.systems() {
		s.kernel().mustBeOutside("Advance")
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

// takeTurn waits until no other Advance goes on. It calls ctx.Done only if there is another one: a
// context of a deterministic run takes that call for a wait. It calls ctx.Err afterwards, since
// select chooses by chance among ready cases.
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

// Jump moves the clock on by d at once and does not wait, like the clock of a machine that
// was asleep. Timers that are due fire in their order. A behaviour may call Jump. It panics
// if d is negative.
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

// awaitAll waits until nothing goes on in all systems on this clock at the same time. A system in
// which nothing went on may have got a message from the next system, so awaitAll repeats until no
// system has run a turn in between.
//
// Rejected: to wait until they are quiescent. An actor that is muted for an actor that waits for a
// timer would keep the clock from coming to the timer, and so would each actor that waits for it.
func (c *VirtualClock) awaitAll(ctx context.Context) error {
	for last := uint64(0); ; {
		turns := uint64(1)
		for _, s := range c.systems() {
			err := awaitQuiet(ctx, s.kernel(), last == 0)
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

// awaitQuiet waits until all activity in s waits for time, or for a goroutine outside that has no
// [System.Hold]. The watch over actors under pressure may release an actor, by the machine's time.
// If watched is true, awaitQuiet waits for that once, and not again, since the actor may wait again
// afterwards.
func awaitQuiet(ctx context.Context, s *kernelSystem, watched bool) error {
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

// parked returns a function that reports whether the n parked actors of s wait for time alone. It
// is called while nothing goes on in s. They do if a timer of s is armed, all of them are muted,
// and none is muted for an actor under pressure. Then the actors for which they wait in the end are
// suspended, or they would run; and these were postponed, or they would be parked as well (package
// supervise). The alarms of the clock are no substitute for the timers of s: between two alarms
// none is set.
func (c *VirtualClock) parked(s *System) func(n int) bool {
	return func(n int) bool {
		t := s.kernel().timers.Load()
		if t == nil || !t.Armed() {
			return false
		}
		st := s.Stats() // exact while nothing runs
		if invariant.On {
			verifyParked(n, st)
		}
		return uint64(n) == st.Mutes-st.Unmutes && !s.kernel().deadlocks.waited()
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

// sleep waits in virtual time. The alarm does nothing when it rings: it makes the clock stop at the
// end of the sleep. The driver moves the clock, and afterwards looks which threads can go on.
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

// slow lets the virtual time pass that a function of Pipe or Blocking takes before its work, and
// returns the virtual time that it takes after its work. behaviour is the name of the behaviour
// that gets the outcome of a Pipe, or that blocks. The hook Latency gives both times.
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
		_ = s.sleep(s.sys.done.context(), d) // the function learns of the end by its own context
	}
}

// slowed returns a function that calls f and takes the virtual time of slow.
func (c *kernelTurn) slowed(f func()) func() {
	s, a, behaviour := c.sys.sim, c.self, c.self.typ().decls[c.msg.ID].name
	return func() {
		rest := s.slow(a, behaviour)
		f()
		s.rest(rest)
	}
}

// verifyParked checks, while nothing runs, that the muted actors are among the n parked actors that
// hold the system.
func verifyParked(n int, st Stats) {
	invariant.Check(st.Unmutes <= st.Mutes && st.Mutes-st.Unmutes <= uint64(n),
		"%d muted, and %d let go on, of %d parked", st.Mutes, st.Unmutes, n)
}
