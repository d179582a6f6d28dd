package actor

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Sleep waits until d has passed, or ctx ends, whose error it returns then. It is for
// functions of [Pipe] and [Context.Blocking], and for what stands in for a database or a
// socket in their tests. There it waits in virtual time if the system is deterministic
// ([Seed]), and costs nothing: the system goes on meanwhile, and time jumps on when
// nothing else can happen, or is moved by the system's [VirtualClock]. If the system
// stops before, Sleep returns ctx's error or ErrSystemStopped. In any other system, and
// in goroutines of the program's own, it waits by the machine's clock.
//
// Sleep returns at once if d is zero or less. It panics if ctx is nil. In a behaviour
// use [After], which keeps no worker.
func Sleep(ctx context.Context, d time.Duration) error {
	mustHave(ctx, "Sleep")
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
	s, a, behaviour := c.sys.sim, c.self, c.self.typ().decls[c.msg.id].name
	return func() {
		rest := s.slow(a, behaviour)
		f()
		s.rest(rest)
	}
}
