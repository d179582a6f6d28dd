//go:build gallop_explore

package actor

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
)

// weir is a stage on which goroutines wait to send to an actor, the pond. Its gate is shut: it has
// more mail than its batch, and it sends to a basin that is overloaded, so that it is muted.
//
//	keeper ──supervises──▶ pond ──sends to──▶ basin
//	                       ▲
//	                       │ SendWait, by goroutines
type weir struct {
	stage
	keeper   Ref[warden]
	pond     Ref[pond]
	basin    Ref[basin]
	basinRan int
	ran      int  // messages of goroutines that have run
	dead     int  // messages of goroutines that became dead letters
	refused  int  // SendWait has returned an error for them
	backsOff bool // the keeper sends the pond into a back-off before it restarts it
	through  int  // SendWait has returned
}

type (
	warden struct{ w *weir }
	pond   struct{ w *weir }
)

var (
	wardenType = NewType[warden]("warden")
	wardenAct  = Declare[func(*Context)](wardenType, "act")
	wardenFell = Declare[ChildDown](wardenType, "fell")
	_          = wardenType.Table(
		wardenAct.Handle(func(_ *warden, c *Context, f func(*Context)) { f(c) }),
		wardenFell.Handle(func(a *warden, c *Context, f ChildDown) {
			if !f.Final {
				if a.w.backsOff {
					Postpone(c, f.Ref)
				}
				Restart(c, f.Ref)
			}
		}))

	pondType = NewType[pond]("pond", WithBatch(1))
	pondTake = Declare[int](pondType, "take")
	pondAct  = Declare[func(*pond, *Context)](pondType, "act")
	_        = pondType.Table(
		pondTake.Handle(func(a *pond, _ *Context, _ int) { a.w.ran++ }),
		pondAct.Handle(func(a *pond, c *Context, f func(*pond, *Context)) { f(a, c) }))
)

func newWeir(p *explore.Program) *weir {
	w := new(weir)
	infoOf(pondType).OwnedIn() // made at its first use, which would otherwise be in a thread
	w.stage = newStage(p, WithHooks(Hooks{
		Panic: func(PanicReport) {},
		DeadLetter: func(d DeadLetter) {
			if d.Behaviour == "take" && d.Type == "pond" {
				w.dead++
			}
		},
	}))
	w.sys.kernel().Opts.Leeway = 1
	w.keeper = wardenType.Spawn(w.sys, warden{w})
	wardenAct.Send(w.sys, w.keeper, func(c *Context) {
		w.pond = SpawnSupervised(c, pondType, func(a *pond) { *a = pond{w} }, wardenFell)
	})
	w.tidyUp()
	w.basin = basinType.Spawn(w.sys, basin{&w.basinRan})
	for range 2 {
		basinTake.Send(w.sys, w.basin, struct{}{})
	}
	w.crew[0].Step() // its batch is used up, and mail is left
	pondAct.Send(w.sys, w.pond, (*pond).pour)
	pondAct.Send(w.sys, w.pond, func(*pond, *Context) {})
	return w
}

// pour mutes the pond, unless the basin has recovered.
func (a *pond) pour(c *Context) { basinTake.Send(c, a.w.basin, struct{}{}) }

// fall makes the pond panic in a message that waits after its other mail.
func (w *weir) fall() {
	pondAct.Send(w.sys, w.pond, func(*pond, *Context) { panic("on purpose") })
}

// sendWait is SendWait with waits that the exploration controls. gone reports whether its context
// has ended; nil: it never ends.
func (w *weir) sendWait(gone func() bool) {
	defer func() { w.through++ }()
	to := w.pond.target()
	l := &to.FlowOf().Permits
	if waiter := l.Acquire(to); waiter != nil {
		w.p.Await(func() bool { return waiter.Woken() || gone != nil && gone() })
		if !waiter.Woken() {
			l.Cancel(waiter, to)
			w.refused++
			return
		}
		l.WakeNext()
	}
	m := kernel.AnyBehaviour(pondTake).Descriptor().Size.TakeOne()
	*kernel.PayloadOf[int](m) = 1
	if err := kernel.AnyBehaviour(pondTake).Descriptor().TryDeliver(nil, w.sys.kernel(), to, m); err != nil {
		w.refused++
	}
}

// judge checks that each call of SendWait has returned, that each message that was sent has run or
// is a dead letter, that no permit is lost, and that nothing is left to do.
func (w *weir) judge(senders int) error {
	if err := w.resting(); err != nil {
		return fmt.Errorf("%w; %s", err, w.state())
	}
	if w.through != senders || w.ran+w.dead+w.refused != senders {
		return fmt.Errorf("%d of %d goroutines are through; %d ran, %d dead, %d refused; %s", w.through,
			senders, w.ran, w.dead, w.refused, w.state())
	}
	if st := w.sys.Stats(); st.Mutes != st.Unmutes {
		return fmt.Errorf("%d mutes, %d unmutes", st.Mutes, st.Unmutes)
	}
	if l := &w.pond.target().Flow.Load().Permits; l.Waiting() != 0 {
		return errors.New("a goroutine is in line: " + w.state())
	}
	return nil
}

func (w *weir) state() string { return Dump(w.sys, w.pond) }

// TestSendWait_Explored: goroutines that wait until they may send to an actor are let in, or get an
// error. Meanwhile the actor is muted and released, recovers from an overload, is stopped, killed,
// drained or suspended, or falls and is restarted.
//
// Mutants: sendwait/… of internal/mutants/muting.json.
func TestSendWait_Explored(t *testing.T) {
	for name, op := range map[string]func(w *weir){
		"mute":    nil,
		"stop":    func(w *weir) { Stop(w.sys, w.pond) },
		"kill":    func(w *weir) { Kill(w.sys, w.pond) },
		"drain":   func(w *weir) { Drain(w.sys, w.pond) },
		"suspend": func(w *weir) { Suspend(w.sys, w.pond) },
		"restart": func(w *weir) { Restart(w.sys, w.pond) },
		"panic":   func(w *weir) { w.fall() },
		"back-off": func(w *weir) {
			w.backsOff = true
			w.fall()
		},
	} {
		t.Run(name, func(t *testing.T) {
			explore.PortfolioOf(t, 8000, 4000, func(p *explore.Program) {
				w, done := newWeir(p), false
				senders := 2
				p.Go(func() { w.sendWait(nil) })
				if op == nil {
					senders = 3
					p.Go(func() { w.sendWait(nil) })
				} else {
					p.Go(func() { op(w); done = true })
				}
				p.Go(func() { w.sendWait(func() bool { return done }) })
				w.man()
				p.After(func() error { return w.judge(senders) })
			})
		})
	}
}
