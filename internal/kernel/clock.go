package kernel

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

// VirtualClock is actor.VirtualClock, which documents it.
type VirtualClock struct {
	seam *seam.VirtualClock

	moves chan struct{} // a lock: full while an Advance goes on
	mu    sync.Mutex
	// Guarded by mu: the running systems with this clock, in the order of their start.
	on []*System
}

// NewVirtualClock implements the function NewVirtualClock of package actor.
func NewVirtualClock(start time.Time) *VirtualClock {
	return NewClockAt(start, 0)
}

// NewClockAt is NewVirtualClock for a clock that was started the given number of nanoseconds ago.
func NewClockAt(start time.Time, nanos int64) *VirtualClock {
	return &VirtualClock{seam: seam.NewVirtualClock(start, nanos), moves: make(chan struct{}, 1)}
}

// Now implements actor.VirtualClock.Now.
func (c *VirtualClock) Now() time.Time {
	c.mustBeMade("Now")
	return c.seam.Now()
}

// SetClock implements the option actor.WithClock.
func (o *Options) SetClock(c *VirtualClock) {
	switch {
	case c == nil:
		o.Wrong = append(o.Wrong, "WithClock(nil)")
		return
	case c.seam == nil:
		o.Wrong = append(o.Wrong, "WithClock of a zero VirtualClock: use NewVirtualClock")
		return
	}
	o.Clock, o.virtual = c.seam, c
}

// mustBeMade panics if NewVirtualClock has not made c.
func (c *VirtualClock) mustBeMade(call string) {
	if c == nil || c.seam == nil {
		panic("gallop: " + call + " of a nil or zero VirtualClock: use NewVirtualClock")
	}
}

// Next implements actor.VirtualClock.Next.
func (c *VirtualClock) Next() (time.Duration, bool) {
	c.mustBeMade("Next")
	at, ok := c.seam.Next()
	return max(0, time.Duration(at-c.seam.Nanos())), ok
}

// Advance implements actor.VirtualClock.Advance.
func (c *VirtualClock) Advance(ctx context.Context, d time.Duration) error {
	c.mustBeMade("Advance")
	ctx = MustHave(ctx, "Advance")
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

// Jump implements actor.VirtualClock.Jump.
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

// awaitQuiet waits until all activity in s waits for time, or for a goroutine outside that has no
// System.Hold. The watch over actors under pressure may release an actor, by the machine's time.
// If watched is true, awaitQuiet waits for that once, and not again, since the actor may wait again
// afterwards.
func awaitQuiet(ctx context.Context, s *System, watched bool) error {
	for released := s.Stats().Exempted; ; {
		if err := s.Sched.WaitParked(ctx); err != nil {
			return err
		}
		if s.Sim != nil { // the watch has had its turns
			if s.held.Load() == 0 {
				return nil
			}
			if !s.Sched.Await(ctx, func() bool { return s.held.Load() == 0 }) {
				return ctx.Err()
			}
			continue
		}
		look := s.Deadlocks.next()
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
		t := s.Timers.Load()
		if t == nil || !t.Armed() {
			return false
		}
		st := s.Stats() // exact while nothing runs
		if invariant.On {
			verifyParked(n, st)
		}
		return uint64(n) == st.Mutes-st.Unmutes && !s.Deadlocks.waited()
	}
}

// join adds s to the running systems with this clock. Any goroutine.
func (c *VirtualClock) join(s *System) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.on = append(c.on, s)
}

// leave removes s from them. It may be called more than once. Any goroutine.
func (c *VirtualClock) leave(s *System) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.on = slices.DeleteFunc(c.on, func(o *System) bool { return o == s })
}

// Sleep waits in virtual time. The alarm does nothing when it rings: it makes the clock stop at the
// end of the sleep. The driver moves the clock, and afterwards looks which threads can go on.
func (s *Simulation) Sleep(ctx context.Context, d time.Duration) error {
	clock := s.sys.Opts.Clock
	at := seam.After(clock.Nanos(), d)
	alarm := clock.NewAlarm(func() {})
	alarm.Set(at)
	defer alarm.Stop()
	switch {
	case s.sys.Sched.Await(ctx, func() bool { return clock.Nanos() >= at }):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return ErrSystemStopped
}

// Slow lets the virtual time pass that a function of Pipe or Blocking takes before its work, and
// returns the virtual time that it takes after its work. behaviour is the name of the behaviour
// that gets the outcome of a Pipe, or that blocks. The hook Latency gives both times.
func (s *Simulation) Slow(a *Cell, behaviour string) (after time.Duration) {
	if s == nil || s.hooks.Latency == nil {
		return 0
	}
	before, after := s.hooks.Latency(a.Typ().Name, behaviour)
	s.Rest(before)
	return after
}

// Rest lets virtual time pass for the caller, unless the system ends first.
func (s *Simulation) Rest(d time.Duration) {
	if d > 0 {
		_ = s.Sleep(s.sys.Done.Context(), d) // the function learns of the end by its own context
	}
}

// slowed returns a function that calls f and takes the virtual time of slow.
func (c *Turn) slowed(f func()) func() {
	s, a, behaviour := c.Sys.Sim, c.Self, c.Self.Typ().Decls[c.Msg.ID].Name
	return func() {
		rest := s.Slow(a, behaviour)
		f()
		s.Rest(rest)
	}
}

// verifyParked checks, while nothing runs, that the muted actors are among the n parked actors that
// hold the system.
func verifyParked(n int, st Stats) {
	invariant.Check(st.Unmutes <= st.Mutes && st.Mutes-st.Unmutes <= uint64(n),
		"%d muted, and %d let go on, of %d parked", st.Mutes, st.Unmutes, n)
}
