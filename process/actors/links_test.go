package actors_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// idle is a process that waits for ever.
func idle(self *process.Self[int]) {
	for {
		self.Receive()
	}
}

// ends are the ways in which a process ends, with the reasons for actors.
var ends = map[string]struct {
	end    func(env process.Env, p process.Ref[string])
	reason error // nil: see text
	text   string
}{
	"returns": {func(env process.Env, p process.Ref[string]) { p.Send(env, "return") }, nil, "<nil>"},
	"exits": {func(env process.Env, p process.Ref[string]) { p.Send(env, "exit") }, errPlanted,
		"planted"},
	"panics": {func(env process.Env, p process.Ref[string]) { p.Send(env, "panic") }, nil,
		"gallop: actor panicked: planted panic"},
	"cancelled": {func(env process.Env, p process.Ref[string]) { p.Cancel(env, nil) },
		actor.ErrShutdown, "gallop: shut down"},
	"cancelled for a reason": {func(env process.Env, p process.Ref[string]) {
		p.Cancel(env, errPlanted)
	}, errPlanted, "planted"},
	"killed": {func(env process.Env, p process.Ref[string]) { p.Kill(env) }, actor.ErrKilled,
		"gallop: killed"},
}

// doer is a process that ends as it is told.
func doer(self *process.Self[string]) {
	switch self.Receive() {
	case "exit":
		self.Exit(errPlanted)
	case "panic":
		panic("planted panic")
	}
}

// TestActorWatchesProcess: "it ends when the process does, for its reason", also if it has ended.
func TestActorWatchesProcess(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, sys *actor.System) {
				procs, r := actors.Join(sys), puppetType.Spawn(sys, puppet{})
				p := process.Spawn(procs, doer)
				watch := func(_ *puppet, c *actor.Context) {
					actor.Watch(c, actors.Ref(c, p.Process), downs)
				}
				in(sys, r, watch)
				equal(t, "before", len(quiet(t, sys)), 0)
				end.end(procs, p)
				first := quiet(t, sys)
				in(sys, r, watch)
				second := quiet(t, sys)
				for _, got := range [][]string{first, second} {
					if len(got) != 1 || !strings.HasPrefix(got[0], end.text) {
						t.Errorf("heard %v, want %q", got, end.text)
					}
				}
			})
		})
	}
}

// TestActorLinkedToProcess: the actor ends for the reason of the process, unless that is nil.
func TestActorLinkedToProcess(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, sys *actor.System) {
				procs, r := actors.Join(sys), puppetType.Spawn(sys, puppet{})
				p := process.Spawn(procs, doer)
				in(sys, r, func(_ *puppet, c *actor.Context) {
					actor.Link(c, actors.Ref(c, p.Process))
				})
				quiet(t, sys)
				end.end(procs, p)
				quiet(t, sys)
				normal := end.text == "<nil>"
				ended := r.Status() == actor.StatusEnded
				equal(t, "ended", ended, !normal)
				if end.reason != nil && !normal {
					d, err := actor.Join(t.Context(), r)
					equal(t, "error", err, error(nil))
					equal(t, "reason", d.Reason, end.reason)
				}
			})
		})
	}
}

// actorEnds are the ways in which an actor ends.
var actorEnds = map[string]struct {
	end    func(sys *actor.System, r actor.Ref[puppet])
	reason error
}{
	"stops": {func(sys *actor.System, r actor.Ref[puppet]) {
		in(sys, r, func(_ *puppet, c *actor.Context) { c.Stop() })
	}, nil},
	"is stopped": {func(sys *actor.System, r actor.Ref[puppet]) { actor.Stop(sys, r) },
		actor.ErrShutdown},
	"exits": {func(sys *actor.System, r actor.Ref[puppet]) {
		in(sys, r, func(_ *puppet, c *actor.Context) { c.Exit(errPlanted) })
	}, errPlanted},
	"is killed": {func(sys *actor.System, r actor.Ref[puppet]) { actor.Kill(sys, r) },
		actor.ErrKilled},
}

// TestProcessWatchesActor: the end arrives in the mailbox, once, at once if the actor has ended.
func TestProcessWatchesActor(t *testing.T) {
	for name, end := range actorEnds {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, sys *actor.System) {
				r := puppetType.Spawn(sys, puppet{})
				var heard []error
				wrap := func(d actor.Down) error { return fmt.Errorf("%s: %w", d.Type, orNil(d.Reason)) }
				p := process.Spawn(actors.Join(sys), func(self *process.Self[error]) {
					actors.Watch(self, r, wrap)
					heard = append(heard, self.Receive())
					actors.Watch(self, r, wrap)
					heard = append(heard, self.Receive())
					m := actors.Watch(self, puppetType.Spawn(actors.Sender(self), puppet{}), wrap)
					m.Stop(self)
				})
				quiet(t, sys)
				equal(t, "before", len(heard), 0)
				end.end(sys, r)
				quiet(t, sys)
				equal(t, "status", p.Status(), process.Ended)
				equal(t, "heard", len(heard), 2)
				for _, err := range heard {
					equal(t, "reason", errors.Is(err, orNil(end.reason)), true)
				}
			})
		})
	}
}

var errNil = errors.New("nil")

func orNil(err error) error {
	if err == nil {
		return errNil
	}
	return err
}

// TestProcessLinkedToActor: the process ends for a LinkedError, unless the reason is nil.
func TestProcessLinkedToActor(t *testing.T) {
	for name, end := range actorEnds {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, sys *actor.System) {
				r := puppetType.Spawn(sys, puppet{})
				p := process.Go(actors.Join(sys), func(p *process.Proc) {
					actors.Link(p, r)
					process.Select(p)
				})
				unlinked := process.Go(actors.Join(sys), func(p *process.Proc) {
					actors.Link(p, r)
					actors.Unlink(p, r)
					process.Select(p)
				})
				trapping := process.Spawn(actors.Join(sys), func(self *process.Self[process.Exit]) {
					self.TrapExit(func(e process.Exit) process.Exit { return e })
					actors.Link(self, r)
					self.Exit(self.Receive().Reason)
				})
				quiet(t, sys)
				end.end(sys, r)
				quiet(t, sys)
				reason, over := p.Result()
				equal(t, "ended", over, end.reason != nil)
				trapped, trapOver := trapping.Result()
				equal(t, "trapped", trapOver, true)
				if over {
					var l *actors.LinkedError
					equal(t, "a LinkedError", errors.As(reason, &l), true)
					equal(t, "reason", l.Reason, end.reason)
					equal(t, "trapped", errors.As(trapped, &l), true)
				} else {
					equal(t, "trapped", trapped, error(nil))
				}
				equal(t, "unlinked", unlinked.Status(), process.Waiting)
			})
		})
	}
}

// TestProcessEndsLinkedActor: a link that the process has made works in the other direction too.
func TestProcessEndsLinkedActor(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r := puppetType.Spawn(sys, puppet{})
		run(t, sys, func(p *process.Proc) {
			actors.Link(p, r)
			p.Exit(errPlanted)
		})
		d, err := actor.Join(t.Context(), r)
		equal(t, "error", err, error(nil))
		equal(t, "reason", d.Reason, errPlanted)
	})
}

// TestStopProxy: an actor that is stopped takes its process with it, and ends after it. One that is
// killed kills its process.
func TestStopProxy(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		procs, unwound := actors.Join(sys), false
		p := process.Spawn(procs, func(self *process.Self[int]) {
			defer func() {
				self.Sleep(1000)
				unwound = true
			}()
			idle(self)
		})
		equal(t, "error", actor.StopWait(t.Context(), actors.Ref(sys, p.Process)), error(nil))
		equal(t, "unwound", unwound, true)
		reason, _ := p.Result()
		equal(t, "reason", reason, actor.ErrShutdown)

		p = process.Spawn(procs, idle)
		ref := actors.Ref(sys, p.Process)
		quiet(t, sys)
		actor.Kill(sys, ref)
		quiet(t, sys)
		reason, _ = p.Result()
		equal(t, "reason", reason, process.ErrKilled)
		equal(t, "dead letters", sys.Stats().DeadLetters, uint64(0))
	})
}

// TestStopProxy_Stubborn: "or is killed for taking longer than 5 seconds", by the system's clock.
func TestStopProxy_Stubborn(t *testing.T) {
	sys := actor.Start(actor.WithDeterministic(1))
	defer sys.Stop()
	p := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
		defer process.Select(self)
		idle(self)
	})
	ref := actors.Ref(sys, p.Process)
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := actors.Join(sys).Now()
	equal(t, "error", actor.StopWait(t.Context(), ref), error(nil))
	equal(t, "took", actors.Join(sys).Now().Sub(began).String(), "5s")
}

// TestUnlink_Barrier: after Unlink a process does not end because of the actor, nor does an exit
// come that is not in its mailbox.
func TestUnlink_Barrier(t *testing.T) {
	for _, traps := range []bool{false, true} {
		onEach(t, func(t *testing.T, sys *actor.System) {
			for i := range 100 {
				r := puppetType.Spawn(sys, puppet{})
				after, late := false, 0
				p := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
					if traps {
						self.TrapExit(func(process.Exit) int { return 1 })
					}
					actors.Link(self, r)
					for range i % 5 {
						self.Yield()
					}
					actors.Unlink(self, r)
					after = true
					there := self.Pending()
					self.Sleep(time.Microsecond)
					self.Yield()
					late = self.Pending() - there
				})
				in(sys, r, func(_ *puppet, c *actor.Context) { c.Exit(errPlanted) })
				quiet(t, sys)
				if reason, over := p.Result(); !over || after && reason != nil || late != 0 {
					t.Fatalf("%d: ended %v for %v, after Unlink %v, %d late", i, over, reason, after, late)
				}
			}
		})
	}
}

// TestWatch_WrapFails: a wrap that does not return ends the process that has given it, and neither the
// actor nor the proxy's.
func TestWatch_WrapFails(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r := puppetType.Spawn(sys, puppet{})
		p := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			actors.Watch(self, r, func(actor.Down) int { panic(errPlanted) })
			self.Receive()
		})
		quiet(t, sys)
		actor.Stop(sys, r)
		quiet(t, sys)
		if reason, _ := p.Result(); !errors.Is(reason, errPlanted) {
			t.Errorf("the reason is %v", reason)
		}
		equal(t, "panics", sys.Stats().Panics, uint64(1))
	})
}
