package actors_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// news is a message to a process that hears of actors.
type news struct{ of error }

// endOrders tell the actor of a process, a child of boss, to end. ends says that this actor does not
// live on, as it does if it is taken down to be restarted in its place.
var endOrders = map[string]struct {
	give func(sys *actor.System, boss actor.Target, ref actor.AnyRef)
	ends bool
}{
	"Stop": {func(sys *actor.System, _ actor.Target, ref actor.AnyRef) { actor.Stop(sys, ref) }, true},
	"StopWith": {func(sys *actor.System, _ actor.Target, ref actor.AnyRef) {
		actor.StopWith(sys, ref, errPlanted)
	}, true},
	"Drain": {func(sys *actor.System, _ actor.Target, ref actor.AnyRef) { actor.Drain(sys, ref) }, true},
	"Drain, Stop": {func(sys *actor.System, _ actor.Target, ref actor.AnyRef) {
		actor.Drain(sys, ref)
		actor.Stop(sys, ref)
	}, true},
	"its supervisor's end": {func(sys *actor.System, boss actor.Target, _ actor.AnyRef) {
		actor.Stop(sys, boss)
	}, true},
	"Restart": {func(sys *actor.System, _ actor.Target, ref actor.AnyRef) { restart(sys, ref) }, false},
	"Suspend": {func(sys *actor.System, _ actor.Target, ref actor.AnyRef) { suspend(sys, ref) }, false},
	"Suspend, Restart": {func(sys *actor.System, _ actor.Target, ref actor.AnyRef) {
		suspend(sys, ref)
		restart(sys, ref)
	}, false},
	"Suspend, Stop": {func(sys *actor.System, _ actor.Target, ref actor.AnyRef) {
		suspend(sys, ref)
		actor.Stop(sys, ref)
	}, true},
}

// suspend takes an actor down, and restart brings it up, as orders of its supervisor do.
func suspend(sys *actor.System, ref actor.AnyRef) {
	kernel.AnyRef(ref).Suspend(kernel.EnvOf(sys))
}

func restart(sys *actor.System, ref actor.AnyRef) {
	kernel.AnyRef(ref).Restart(kernel.EnvOf(sys))
}

// ending is a process whose end is ordered while it waits, in its first life.
type ending struct {
	sys    *actor.System
	friend actor.Ref[puppet] // to act on
	lives  int
	proc   process.Process
	left   bool // its deferred functions have run to their end
}

// endings are the acts of such a process: before has run when the end is ordered, and unwind is
// deferred.
var endings = map[string]struct {
	before, unwind func(e *ending, self *process.Self[news])
	check          func(t *testing.T, e *ending, ends bool)
}{
	"Unlink": {
		before: func(e *ending, self *process.Self[news]) { actors.Link(self, e.friend) },
		unwind: func(e *ending, self *process.Self[news]) { actors.Unlink(self, e.friend) },
		check: func(t *testing.T, e *ending, ends bool) {
			equal(t, "friend ended", e.friend.Status() == actor.StatusEnded, false)
		},
	},
	"Send": {
		unwind: func(e *ending, self *process.Self[news]) { take.Send(actors.Sender(self), e.friend, 1) },
		check:  gets(1),
	},
	"Send under pressure": {
		before: func(e *ending, self *process.Self[news]) { pressed(e.sys, e.friend, true) },
		unwind: func(e *ending, self *process.Self[news]) {
			take.Send(actors.Sender(self), e.friend, 1)
			take.Send(actors.Sender(self), e.friend, 2)
		},
		check: gets(1, 2),
	},
	"Watch": {
		unwind: func(e *ending, self *process.Self[news]) {
			actors.Watch(self, e.friend, func(d actor.Down) news { return news{d.Reason} })
			actor.StopWith(actors.Sender(self), e.friend, errPlanted)
			if n := self.Receive(); n.of != errPlanted {
				panic(n)
			}
		},
		check: func(*testing.T, *ending, bool) {},
	},
	"Watch ahead": {
		before: func(e *ending, self *process.Self[news]) {
			actors.Watch(self, e.friend, func(d actor.Down) news { return news{d.Reason} })
		},
		unwind: func(e *ending, self *process.Self[news]) {
			actor.StopWith(actors.Sender(self), e.friend, errPlanted)
			if n := self.Receive(); n.of != errPlanted {
				panic(n)
			}
		},
		check: func(*testing.T, *ending, bool) {},
	},
	"Monitor.Stop": {
		before: func(e *ending, self *process.Self[news]) {},
		unwind: func(e *ending, self *process.Self[news]) {
			actors.Watch(self, e.friend, func(actor.Down) news { panic("heard of") }).Stop(self)
			actors.Unlink(self, e.friend)
		},
		check: func(*testing.T, *ending, bool) {},
	},
	"Link": {
		unwind: func(e *ending, self *process.Self[news]) { actors.Link(self, e.friend) },
		check: func(t *testing.T, e *ending, ends bool) {
			equal(t, "friend ended", e.friend.Status() == actor.StatusEnded, ends)
		},
	},
	"Call": {
		unwind: func(e *ending, self *process.Self[news]) {
			if n, err := actors.Call(self, double, e.friend, 4); n != 8 || err != nil {
				panic(fmt.Sprint(n, err))
			}
		},
		check: func(*testing.T, *ending, bool) {},
	},
	"Call under pressure": {
		before: func(e *ending, self *process.Self[news]) { pressed(e.sys, e.friend, true) },
		unwind: func(e *ending, self *process.Self[news]) {
			if n, err := actors.Call(self, double, e.friend, 4); n != 8 || err != nil {
				panic(fmt.Sprint(n, err))
			}
		},
		check: func(*testing.T, *ending, bool) {},
	},
}

// gets checks the messages of the friend.
func gets(want ...int) func(*testing.T, *ending, bool) {
	return func(t *testing.T, e *ending, _ bool) {
		var got []int
		in(e.sys, e.friend, func(p *puppet, _ *actor.Context) { got = p.got })
		quiet(t, e.sys)
		equal(t, "got", got, want)
	}
}

// pressed has a puppet apply pressure, or release it.
func pressed(sys *actor.System, r actor.Ref[puppet], on bool) {
	in(sys, r, func(_ *puppet, c *actor.Context) {
		if on {
			c.ApplyPressure()
		} else {
			c.ReleasePressure()
		}
	})
}

// noLetters fails a test at a dead letter of a proxy.
func noLetters(t *testing.T) actor.Option {
	return actor.WithHooks(actor.Hooks{DeadLetter: func(l actor.DeadLetter) {
		if strings.HasPrefix(l.Type, "process") {
			t.Errorf("dead letter: %+v", l)
		}
	}})
}

// TestUnwinding_Calls: the deferred functions of a process act on actors as the process did before,
// even after its proxy has been told to end, which it does after them. No time passes meanwhile.
// Their acts take effect, and no message of the runtime's becomes a dead letter.
func TestUnwinding_Calls(t *testing.T) {
	for order, o := range endOrders {
		for what, d := range endings {
			for runs, opt := range map[string]actor.Option{"workers": actor.WithWorkers(2),
				"deterministic": actor.WithDeterministic(5)} {
				t.Run(fmt.Sprint(what, " at ", order, ", ", runs), func(t *testing.T) {
					sys, _ := onVirtualTime(t, opt, noLetters(t))
					e := &ending{sys: sys, friend: puppetType.Spawn(sys, puppet{})}
					boss := supervise.Start(sys, quick(actors.Child("ending", time.Hour,
						func(self *process.Self[news]) {
							if e.lives++; e.lives > 1 {
								self.Receive()
							}
							e.proc = self.Process()
							defer func() {
								d.unwind(e, self)
								e.left = true
							}()
							if d.before != nil {
								d.before(e, self)
							}
							process.Select(self)
						})))
					quiet(t, sys)
					first := e.proc
					o.give(sys, boss, actors.Ref(sys, first))
					quiet(t, sys)
					pressed(sys, e.friend, false)
					quiet(t, sys)
					_, over := first.Result()
					if !over {
						t.Fatalf("not ended: %v; %v", actors.Join(sys).Blocked(), sys.Why())
					}
					equal(t, "unwound", e.left, true)
					d.check(t, e, o.ends)
				})
			}
		}
	}
}
