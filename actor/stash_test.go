package actor_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// TestStash: "puts the messages in the running actor's stash in front of its mailbox,
// in the order in which they were sent".
func TestStash(t *testing.T) {
	// The number of messages after the message that unstashes: none, some, more than a batch.
	for _, behind := range []int{0, 2, 150} {
		var d diary
		sys := start(t, actor.WithWorkers(1))
		r := mortalType.Spawn(sys, mortal{name: "a", diary: &d})
		inside(t, sys, func(c *actor.Context) {
			// Unstash of an empty stash.
			doAct.Send(c, r, func(_ *mortal, c *actor.Context) {
				actor.UnstashAll(c)
				actor.Become(c, stashing)
			})
			for _, s := range []string{"1", "2", "3"} {
				say.Send(c, r, s)
			}
			doAct.Send(c, r, func(m *mortal, c *actor.Context) {
				m.note("act")
				actor.Unbecome(c)
				actor.UnstashAll(c)
				actor.UnstashAll(c)
			})
			for range behind {
				doAct.Send(c, r, func(m *mortal, c *actor.Context) { m.n++ })
			}
			say.Send(c, r, "last")
		})
		quiet(t, sys)
		d.says(t, "a: start", "a: act", "a: 1", "a: 2", "a: 3", "a: last")
		equal(t, "messages", int(sys.Stats().Messages), 1+7+behind-1)
	}
}

// TestStash_Ask: "the caller goes on waiting".
func TestStash_Ask(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r := mortalType.Spawn(sys, mortal{n: 7})
	asked := make(chan struct{})
	later := mortalType.Variant(fetch.Handle(func(_ *mortal, c *actor.Context,
		q func(*mortal) int) (int, error) {
		defer close(asked)
		return fetch.Stash(c, q)
	}))
	in(t, r, func(_ *mortal, c *actor.Context) { actor.Become(c, later) })
	answer := make(chan int, 1)
	go func() {
		n, err := fetch.Ask(soon(t), r, func(m *mortal) int { return m.n })
		if err != nil {
			t.Error(err)
		}
		answer <- n
	}()
	receive(t, "the request", asked)
	in(t, r, func(m *mortal, c *actor.Context) { m.n = 8; actor.Unbecome(c) })
	equal(t, "answers", len(answer), 0)
	in(t, r, func(_ *mortal, c *actor.Context) { actor.UnstashAll(c) })
	equal(t, "answer", receive(t, "the answer", answer), 8)
}

// TestStash_Ends: "When the actor ends, the messages in its stash become dead letters, before those
// in its mailbox". This also holds if only its system ends.
func TestStash_Ends(t *testing.T) {
	for name, end := range map[string]func(sys *actor.System, r actor.Ref[mortal]){
		"Stop":   func(sys *actor.System, r actor.Ref[mortal]) { actor.Stop(sys, r) },
		"Drain":  func(sys *actor.System, r actor.Ref[mortal]) { actor.Drain(sys, r) },
		"Kill":   func(sys *actor.System, r actor.Ref[mortal]) { actor.Kill(sys, r) },
		"System": func(sys *actor.System, _ actor.Ref[mortal]) { sys.Stop() },
		"Run":    func(sys *actor.System, _ actor.Ref[mortal]) { must(t, sys.Run()) },
	} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, actor.WithWorkers(2), dead.option())
			r := mortalType.Spawn(sys, mortal{})
			in(t, r, func(_ *mortal, c *actor.Context) { actor.Become(c, stashing) })
			for range 1000 {
				say.Send(sys, r, "")
			}
			quiet(t, sys)
			equal(t, "dead letters before", dead.n.Load(), 0)
			end(sys, r)
			if name != "System" && name != "Run" {
				quiet(t, sys)
			}
			equal(t, "dead letters", dead.n.Load(), 1000)
		})
	}
}

// TestBecome: "from its next message on, until it becomes something else".
func TestBecome(t *testing.T) {
	var d diary
	sys := start(t, actor.WithWorkers(1))
	loud := mortalType.Variant(say.Handle(func(m *mortal, _ *actor.Context, s string) {
		m.note("%s!", s)
	}))
	r, other := mortalType.Spawn(sys, mortal{name: "a", diary: &d, born: true}), mortalType.Spawn(sys,
		mortal{name: "b", diary: &d, born: true})
	inside(t, sys, func(c *actor.Context) {
		say.Send(c, r, "1")
		doAct.Send(c, r, func(m *mortal, c *actor.Context) {
			actor.Become(c, loud)
			m.note("the rest of the table stays")
		})
		say.Send(c, r, "2")
		doAct.Send(c, r, func(m *mortal, c *actor.Context) { actor.Unbecome(c) })
		say.Send(c, r, "3")
	})
	quiet(t, sys)
	say.Send(sys, other, "4")
	quiet(t, sys)
	d.says(t, "a: 1", "a: the rest of the table stays", "a: 2!", "a: 3", "b: 4")
	inside(t, sys, func(c *actor.Context) {
		panics(t, "cannot become", func() { actor.Become(c, loud) })
	})
}

// TestUnstash_Muted: an actor that unstashes and meets a gate in the same behaviour is muted like
// any other. So is the next actor on that worker that meets the gate.
func TestUnstash_Muted(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	free, err := sys.Hold() // as a goroutine that waits for a socket does
	must(t, err)
	r := press(t, sys)
	var d diary
	a := mortalType.Spawn(sys, mortal{name: "a", diary: &d})
	b := puppetType.Spawn(sys, puppet{})
	inside(t, sys, func(c *actor.Context) {
		doAct.Send(c, a, func(_ *mortal, c *actor.Context) { actor.Become(c, stashing) })
		say.Send(c, a, "1")
		doAct.Send(c, a, func(_ *mortal, c *actor.Context) {
			actor.Unbecome(c)
			actor.UnstashAll(c)
			count.Send(c, r, 1)
		})
		do.Send(c, b, func(_ *puppet, c *actor.Context) { count.Send(c, r, 1) })
	})
	eventually(t, "the one that unstashed is muted", func() bool { return actor.Muted(a) })
	eventually(t, "the next one is muted", func() bool { return actor.Muted(b) })
	d.says(t, "a: start")
	do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	free()
	quiet(t, sys)
	d.says(t, "a: start", "a: 1")
}

// hoarder stashes its messages until it is open.
type hoarder struct {
	open  bool
	twice int // how often Stash has panicked
	notes []int
}

var (
	hoarderType = actor.NewType[hoarder]("hoarder")
	kept        = actor.Declare[int](hoarderType, "kept")
	keptSoon    = actor.Declare[int](hoarderType, "keptSoon", actor.Urgent())
	keptReply   = actor.Declare[actor.Result[int]](hoarderType, "keptReply")
	keptAsk     = actor.DeclareAsk[int, int](hoarderType, "keptAsk")
	hoarderDo   = actor.Declare[func(*hoarder, *actor.Context)](hoarderType, "do")
	_           = hoarderType.Table(
		kept.Handle(func(k *hoarder, c *actor.Context, n int) { k.take(n, func() { kept.Stash(c, n) }) }),
		keptSoon.Handle(func(k *hoarder, c *actor.Context, n int) {
			k.take(n, func() { keptSoon.Stash(c, n) })
		}),
		keptReply.Handle(func(k *hoarder, c *actor.Context, r actor.Result[int]) {
			k.take(r.Value, func() { keptReply.Stash(c, r) })
		}),
		keptAsk.Handle(func(k *hoarder, c *actor.Context, n int) (r int, err error) {
			k.take(n, func() { r, err = keptAsk.Stash(c, n) })
			return
		}),
		hoarderDo.Handle(func(k *hoarder, c *actor.Context, f func(*hoarder, *actor.Context)) {
			f(k, c)
		}))
)

// take notes n if the hoarder is open, and stashes it otherwise, three times.
func (k *hoarder) take(n int, stash func()) {
	if k.open {
		k.notes = append(k.notes, n)
		return
	}
	stash()
	for range 2 {
		k.mayNot(stash)
	}
}

func (k *hoarder) mayNot(stash func()) {
	defer func() {
		if s, _ := recover().(string); strings.HasPrefix(s,
			"gallop: Stash: the running message of hoarder#") {
			k.twice++
		}
	}()
	stash()
}

// in runs f in a hoarder, and waits for it and its effects.
func (hoarder) in(t *testing.T, sys *actor.System, r actor.Ref[hoarder],
	f func(*hoarder, *actor.Context)) {
	t.Helper()
	hoarderDo.Send(sys, r, f)
	quiet(t, sys)
}

// TestStash_Twice: "It panics if the running message … was put aside already", for a message from
// any source. A message still runs exactly once.
func TestStash_Twice(t *testing.T) {
	const n = 3
	for name, send := range map[string]func(sys *actor.System, r actor.Ref[hoarder]){
		"Send":   func(sys *actor.System, r actor.Ref[hoarder]) { kept.Send(sys, r, 1) },
		"Urgent": func(sys *actor.System, r actor.Ref[hoarder]) { keptSoon.Send(sys, r, 1) },
		"Ask": func(sys *actor.System, r actor.Ref[hoarder]) {
			hoarderDo.Send(sys, r, func(_ *hoarder, c *actor.Context) {
				actor.AskTo(c, keptAsk, r, 1, keptReply)
			})
		},
		"AskToWithin": func(sys *actor.System, r actor.Ref[hoarder]) {
			p := puppetType.Spawn(sys, puppet{n: 1})
			hoarderDo.Send(sys, r, func(_ *hoarder, c *actor.Context) {
				actor.AskTo(c, value, p, struct{}{}, keptReply, actor.Within(time.Hour))
			})
		},
		"After": func(sys *actor.System, r actor.Ref[hoarder]) {
			hoarderDo.Send(sys, r, func(_ *hoarder, c *actor.Context) { actor.After(c, 0, kept, 1) })
		},
		"Yield": func(sys *actor.System, r actor.Ref[hoarder]) {
			hoarderDo.Send(sys, r, func(_ *hoarder, c *actor.Context) { actor.Yield(c, kept, 1) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(1))
			var k hoarder
			r := hoarderType.Spawn(sys, k)
			for range n {
				send(sys, r)
			}
			quiet(t, sys)
			// The hoarder stashes them again.
			k.in(t, sys, r, func(_ *hoarder, c *actor.Context) { actor.UnstashAll(c) })
			k.in(t, sys, r, func(k *hoarder, c *actor.Context) { k.open = true; actor.UnstashAll(c) })
			k.in(t, sys, r, func(own *hoarder, _ *actor.Context) { k = *own })
			want := n
			if name == "Ask" {
				want = 2 * n // and the answers
			}
			equal(t, "panics", k.twice, 2*2*n)
			equal(t, "messages", len(k.notes), want)
		})
	}
}

// TestStash_Yield: a behaviour may both stash its message and yield another one.
func TestStash_Yield(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	typ := actor.NewType[puppet]("stasher")
	note := actor.Declare[int](typ, "note")
	var got []int
	typ.Table(note.Handle(func(_ *puppet, c *actor.Context, n int) {
		got = append(got, n)
		if n < 3 {
			actor.UnstashAll(c)
			note.Stash(c, n+10)
			actor.Yield(c, note, n+1)
		}
	}))
	note.Send(sys, typ.Spawn(sys, puppet{}), 1)
	quiet(t, sys)
	equal(t, "order", fmt.Sprint(got), "[1 2 3 11]")
}

// TestStash_ReportedSender: "From is the number of the actor that sent the message", even if the
// behaviour stashed the message before it panicked.
func TestStash_ReportedSender(t *testing.T) {
	reports := make(chan actor.PanicReport, 1)
	sys := start(t, actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) { reports <- p }}))
	r := hoarderType.Spawn(sys, hoarder{})
	once := hoarderType.Variant(kept.Handle(func(_ *hoarder, c *actor.Context, n int) {
		kept.Stash(c, n)
		kept.Stash(c, n)
	}))
	hoarderDo.Send(sys, r, func(_ *hoarder, c *actor.Context) {
		actor.Become(c, once)
		kept.Send(c, r, 1)
	})
	equal(t, "sender", receive(t, "the report", reports).From, r.ID())
}

// TestStash_LeavesNoTrace: a stashed message leaves nothing in messages that are sent later, from
// any source. A later message can be stashed itself, and as a dead letter it has no sender if it
// came from outside.
func TestStash_LeavesNoTrace(t *testing.T) {
	const n = 64
	for name, send := range map[string]func(sys *actor.System, r actor.Ref[hoarder]){
		"Send":    func(sys *actor.System, r actor.Ref[hoarder]) { kept.Send(sys, r, 1) },
		"TrySend": func(sys *actor.System, r actor.Ref[hoarder]) { must(t, kept.TrySend(sys, r, 1)) },
		"SendWait": func(sys *actor.System, r actor.Ref[hoarder]) {
			must(t, kept.SendWait(soon(t), r, 1))
		},
		"Pipe": func(sys *actor.System, r actor.Ref[hoarder]) {
			hoarderDo.Send(sys, r, func(_ *hoarder, c *actor.Context) {
				actor.Pipe(c, keptReply, func(context.Context) (int, error) { return 1, nil })
			})
		},
		"FromChan": func(sys *actor.System, r actor.Ref[hoarder]) {
			hoarderDo.Send(sys, r, func(_ *hoarder, c *actor.Context) {
				ch := make(chan int, 1)
				ch <- 1
				close(ch)
				bridge.FromChan(c, ch, kept)
			})
		},
		"After": func(sys *actor.System, r actor.Ref[hoarder]) {
			hoarderDo.Send(sys, r, func(_ *hoarder, c *actor.Context) { actor.After(c, 0, kept, 1) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			sender, fromOutside := atomic.Uint64{}, name != "After"
			sys := start(t, actor.WithWorkers(1),
				actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
					sender.Or(d.From)
				}}))
			for range 3 { // the first leaves its nodes to the others
				r := hoarderType.Spawn(sys, hoarder{})
				for range n {
					send(sys, r)
				}
				quiet(t, sys)
				equal(t, "status", r.Status(), actor.StatusIdle)
				must(t, actor.StopWait(soon(t), r))
			}
			quiet(t, sys)
			equal(t, "dead letters", sys.Stats().DeadLetters, 3*n)
			if got := sender.Load(); fromOutside && got != 0 {
				t.Errorf("dead letters from outside say that actor %#x has sent them", got)
			}
		})
	}
}
