//go:build gallop_explore

package actor

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/permits"
)

// vat is the state of an actor with a small bound.
type vat struct{ f *deluge }

// vatKind is a type of vats with its behaviours.
type vatKind struct {
	typ  *Type[vat]
	take Behaviour[vat, int]
	act  Behaviour[vat, func(*Context)] // urgent, so the bound does not apply
}

const vatLimit = 2

func newVatKind(name string, o Overflow, batch int) vatKind {
	k := vatKind{typ: NewType[vat](name, WithBound(vatLimit, o), WithBatch(batch))}
	k.take = Declare[int](k.typ, "take")
	k.act = Declare[func(*Context)](k.typ, "act", Urgent())
	k.typ.Table(
		k.take.Handle(func(v *vat, c *Context, n int) { v.f.take(c, n) }),
		k.act.Handle(func(_ *vat, c *Context, f func(*Context)) { f(c) }))
	return k
}

var vatKinds = map[Overflow]vatKind{
	OverflowMute:       newVatKind("muting vat", OverflowMute, 2),
	OverflowRefuse:     newVatKind("refusing vat", OverflowRefuse, 2),
	OverflowDropOldest: newVatKind("dropping vat", OverflowDropOldest, 2),
}

// swiftVat runs all messages of a full mailbox in one turn: no later turn finds a forgotten
// message.
var swiftVat = newVatKind("swift vat", OverflowDropOldest, 8*vatLimit)

// deluge is a stage with a vat and two actors that send to it. The messages of one sender are in
// order: 10, 11 and so on.
type deluge struct {
	stage
	kind      vatKind
	overflow  Overflow
	to        Ref[vat]
	senders   [2]Ref[dozer]
	sent      []int
	ran, dead []int
	passes    map[int]Ref[vat] // the messages that it sends on, and their receivers
	ended     bool             // the vat may have ended
}

func newDeluge(p *explore.Program, o Overflow) *deluge { return newDelugeOf(p, vatKinds[o], o) }

func newDelugeOf(p *explore.Program, kind vatKind, o Overflow) *deluge {
	f := &deluge{kind: kind, overflow: o, passes: map[int]Ref[vat]{}}
	infoOf(dozerType).OwnedIn()
	infoOf(f.kind.typ).OwnedIn()
	f.stage = newStage(p, WithHooks(Hooks{DeadLetter: func(l DeadLetter) {
		if l.From > 1000 {
			p.Errorf("the sender of %v is number %d", l.Message, l.From)
		}
		if n, ok := l.Message.(int); ok {
			f.dead = append(f.dead, n)
		}
	}}))
	f.to = f.kind.typ.Spawn(f.sys, vat{f})
	for i := range f.senders {
		f.senders[i] = dozerType.Spawn(f.sys, dozer{})
	}
	f.tidyUp()
	return f
}

// take runs message n, and checks the bound.
func (f *deluge) take(c *Context, n int) {
	f.ran = append(f.ran, n)
	most := map[Overflow]int{OverflowRefuse: vatLimit, OverflowDropOldest: 2 * vatLimit}[f.overflow]
	if waits := Queued(Self[vat](c)); most != 0 && waits > most {
		f.p.Errorf("%d wait", waits)
	}
	if to, ok := f.passes[n]; ok {
		f.sent = append(f.sent, 100+n)
		f.kind.take.Send(c, to, 100+n)
	}
}

// send makes a sender send messages in one behaviour.
func (f *deluge) send(sender, messages int) {
	for i := range messages {
		f.sent = append(f.sent, 10*(sender+1)+i)
	}
	dozerAct.Send(f.sys, f.senders[sender], func(c *Context) {
		for i := range messages {
			f.kind.take.Send(c, f.to, 10*(sender+1)+i)
		}
	})
}

// outside sends n from outside, by one of the verbs.
func (f *deluge) outside(n int, verb func(n int) error) {
	f.sent = append(f.sent, n)
	if err := verb(n); err != nil {
		if !errors.Is(err, ErrOverloaded) && !errors.Is(err, ErrStopped) {
			f.p.Errorf("message %d: %v", n, err)
		}
		f.dead = append(f.dead, n)
	}
}

// sendWait is SendWait.
func (f *deluge) sendWait(n int) error {
	l := &f.to.target().Flow.Load().Permits
	if w := l.Acquire(f.to.target()); w != nil {
		f.p.Await(w.Woken)
		l.WakeNext()
	}
	d := kernel.AnyBehaviour(f.kind.take).Descriptor()
	m := d.Size.TakeOne()
	*kernel.PayloadOf[int](m) = n
	return d.TryDeliver(nil, f.sys.kernel(), f.to.target(), m)
}

// delugeOps are the operations beside the senders.
var delugeOps = map[string]func(f *deluge){
	"send": func(f *deluge) {
		f.outside(30, func(n int) error { f.kind.take.Send(f.sys, f.to, n); return nil })
	},
	"try": func(f *deluge) {
		f.outside(30, func(n int) error { return f.kind.take.TrySend(f.sys, f.to, n) })
	},
	"wait": func(f *deluge) { f.outside(30, f.sendWait); f.outside(31, f.sendWait) },
	"leave the line": func(f *deluge) { // with all places, or while they wait for them
		l := &f.to.target().Flow.Load().Permits
		for _, w := range []*permits.Waiter{l.Acquire(f.to.target()), l.Acquire(f.to.target())} {
			if w != nil {
				l.Cancel(w, f.to.target())
			} else {
				l.Release(1, f.to.target())
			}
		}
	},
	"pressure": func(f *deluge) {
		f.kind.act.Send(f.sys, f.to, func(c *Context) { c.ApplyPressure() })
		f.kind.act.Send(f.sys, f.to, func(c *Context) { c.ReleasePressure() })
	},
	"stop":  func(f *deluge) { f.ended = true; Stop(f.sys, f.to) },
	"drain": func(f *deluge) { f.ended = true; Drain(f.sys, f.to) },
}

// judge checks that no actor is left muted and no goroutine waits, that each message has run or is
// a dead letter, once, in the order of its sender, and that each place is free again.
func (f *deluge) judge() error {
	if err := f.resting(); err != nil {
		return err
	}
	if st := f.sys.Stats(); st.Mutes != st.Unmutes {
		return fmt.Errorf("%d mutes, %d unmutes", st.Mutes, st.Unmutes)
	}
	slices.Sort(f.sent)
	if got := slices.Sorted(slices.Values(slices.Concat(f.ran, f.dead))); !slices.Equal(got, f.sent) {
		return fmt.Errorf("sent %v, run %v, dead %v", f.sent, f.ran, f.dead)
	}
	last := map[int]int{}
	for _, n := range f.ran {
		if n < last[n/10] {
			return fmt.Errorf("run %v: %d came after %d", f.ran, n, last[n/10])
		}
		last[n/10] = n
	}
	l := f.to.target().Flow.Load()
	if !f.ended && (Queued(f.to) != 0 || l.Permits.Waiting() != 0) {
		return fmt.Errorf("places: %s", l.Permits.Dump())
	}
	if m := l.Places.Newest.Load(); m != nil {
		return errors.New("the newest message was forgotten")
	}
	return nil
}

// TestBound_Explored: two actors flood an actor with a bound of two. Meanwhile it gets messages
// from outside, goroutines wait for a place or give up, and it applies pressure, stops or drains.
// Each message runs once or is a dead letter, in the order of its sender. The bound holds, no actor
// is left muted, no goroutine waits, and no place is lost.
//
// Mutants: bound/… of internal/mutants/muting.json.
func TestBound_Explored(t *testing.T) {
	for o, name := range map[Overflow]string{OverflowMute: "mute", OverflowRefuse: "refuse",
		OverflowDropOldest: "drop"} {
		for op, do := range delugeOps {
			t.Run(name+"/"+op, func(t *testing.T) {
				explore.PortfolioOf(t, 800, 200, func(p *explore.Program) {
					f := newDeluge(p, o)
					p.Go(func() { f.send(0, 3) })
					p.Go(func() { f.send(1, 3) })
					p.Go(func() { do(f) })
					f.man()
					p.After(f.judge)
				})
			})
		}
	}
}

// TestBound_NewestExplored: "the newest is always kept": an actor, or a
// goroutine, sends more than twice the bound while the receiver runs, rests and runs again; and two
// goroutines send while the receiver takes the newest message in.
//
// Mutants: bound/newest-… of internal/mutants/muting.json.
func TestBound_NewestExplored(t *testing.T) {
	const messages = 2*vatLimit + 3
	last := func(f *deluge, of ...int) error {
		if len(f.ran) == 0 || !slices.Contains(of, f.ran[len(f.ran)-1]) {
			return fmt.Errorf("run %v: the newest of %v was dropped", f.ran, of)
		}
		return f.judge()
	}
	outside := func(f *deluge, n int) {
		f.outside(n, func(n int) error { f.kind.take.Send(f.sys, f.to, n); return nil })
	}
	for name, begin := range map[string]func(p *explore.Program, f *deluge) (newest []int){
		"actor": func(p *explore.Program, f *deluge) []int {
			p.Go(func() { f.send(0, messages) })
			return []int{10 + messages - 1}
		},
		"goroutine": func(p *explore.Program, f *deluge) []int {
			p.Go(func() {
				for i := range messages {
					outside(f, 30+i)
				}
			})
			return []int{30 + messages - 1}
		},
		"full before": func(p *explore.Program, f *deluge) []int {
			for i := range 2*vatLimit + 1 {
				outside(f, 30+i)
			}
			p.Go(func() { outside(f, 40) })
			p.Go(func() { outside(f, 50) })
			return []int{40, 50}
		},
	} {
		t.Run(name, func(t *testing.T) {
			explore.PortfolioOf(t, 4000, 1000, func(p *explore.Program) {
				f := newDelugeOf(p, swiftVat, OverflowDropOldest)
				newest := begin(p, f)
				f.man()
				p.After(func() error { return last(f, newest...) })
			})
		})
	}
}

// TestBound_NewestInOrder: "messages from one sender to one receiver keep their order": a goroutine
// sends to an actor at twice its bound, which takes the newest message in meanwhile, and then uses
// TrySend or SendWait.
//
// Mutants: bound/newest-overtaken-by-… of internal/mutants/muting.json.
func TestBound_NewestInOrder(t *testing.T) {
	for name, verb := range map[string]func(f *deluge) func(n int) error{
		"TrySend": func(f *deluge) func(n int) error {
			return func(n int) error { return f.kind.take.TrySend(f.sys, f.to, n) }
		},
		"SendWait": func(f *deluge) func(n int) error { return f.sendWait },
	} {
		t.Run(name, func(t *testing.T) {
			explore.PortfolioOf(t, 4000, 1000, func(p *explore.Program) {
				f := newDelugeOf(p, swiftVat, OverflowDropOldest)
				send := func(n int) error { f.kind.take.Send(f.sys, f.to, n); return nil }
				for i := range 2 * vatLimit {
					f.outside(30+i, send)
				}
				p.Go(func() {
					f.outside(35, send)
					f.outside(36, verb(f))
				})
				f.man()
				p.After(f.judge)
			})
		})
	}
}

// TestBound_FullIsNeverMuted: two actors with a bound send to each other while both are filled up
// from outside. They never wait for each other.
//
// Mutants: bound/… of internal/mutants/muting.json.
func TestBound_FullIsNeverMuted(t *testing.T) {
	explore.PortfolioOf(t, 4000, 1000, func(p *explore.Program) {
		f := newDeluge(p, OverflowMute)
		other := f.kind.typ.Spawn(f.sys, vat{f})
		f.tidyUp()
		for i := range 3 {
			f.passes[10+i], f.passes[20+i] = other, f.to
		}
		for i, to := range []Ref[vat]{f.to, other} {
			p.Go(func() {
				for n := range 3 {
					f.outside(10*(i+1)+n, func(n int) error {
						return f.kind.take.TrySend(f.sys, to, n)
					})
				}
			})
		}
		f.man()
		p.After(f.judge)
	})
}
