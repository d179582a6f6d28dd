//go:build gallop_explore

package actor

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// faller is the state of an actor that falls, and of an actor that sends to it.
type faller struct{ c *cliff }

// fallerKind is a type of actors that fall, with its behaviours.
type fallerKind struct {
	typ  *Type[faller]
	drop Behaviour[faller, int]
	act  Behaviour[faller, func(*Context)]
}

func newFallerKind(name string, opts ...TypeOption) fallerKind {
	k := fallerKind{typ: NewType[faller](name, opts...)}
	k.drop = Declare[int](k.typ, "drop", DropOnOverload())
	k.act = Declare[func(*Context)](k.typ, "act")
	k.typ.Table(
		k.drop.Handle(func(a *faller, _ *Context, n int) { a.c.ran = append(a.c.ran, n) }),
		k.act.Handle(func(_ *faller, c *Context, f func(*Context)) { f(c) }))
	return k
}

var fallerKinds = map[string]fallerKind{
	"plain":      newFallerKind("plain faller"),
	"watermarks": newFallerKind("counted faller", WithWatermarks(50, 10)),
	"refuse":     newFallerKind("bounded faller", WithBound(50, OverflowRefuse)),
}

// cliff is a stage with a child that has fallen. Its supervisor has not decided yet.
type cliff struct {
	stage
	kind      fallerKind
	super     Ref[dozer]
	friend    Ref[dozer]
	child     Ref[faller]
	sent, ran []int
	letters   []int
	reasons   []error
}

func newCliff(p *explore.Program, k fallerKind, backlog int) *cliff {
	f := &cliff{kind: k}
	infoOf(dozerType).OwnedIn()
	infoOf(k.typ).OwnedIn()
	f.stage = newStage(p, WithHooks(Hooks{Panic: func(PanicReport) {},
		DeadLetter: func(l DeadLetter) {
			if l.Behaviour == "drop" {
				f.letters = append(f.letters, l.Message.(int))
				f.reasons = append(f.reasons, l.Reason)
			}
		}}))
	f.super, f.friend = dozerType.Spawn(f.sys, dozer{}), dozerType.Spawn(f.sys, dozer{})
	dozerAct.Send(f.sys, f.super, func(c *Context) {
		f.child = SpawnUnder(c, k.typ, func(a *faller) { a.c = f },
			Care[dozer]{Fell: dozerFell, Backlog: backlog})
	})
	f.tidyUp()
	k.act.Send(f.sys, f.child, func(c *Context) { c.Exit(errors.New("on purpose")) })
	f.tidyUp()
	return f
}

// fallerVerdicts are the decisions of the supervisor.
var fallerVerdicts = map[string]func(f *cliff){
	"restart":  func(f *cliff) { Restart(f.sys, f.child) },
	"postpone": func(f *cliff) { Postpone(f.sys, f.child) },
	"later":    func(f *cliff) { Postpone(f.sys, f.child); Restart(f.sys, f.child) },
}

// fallerOps are the ways in which two messages are sent to the child meanwhile.
var fallerOps = map[string]func(f *cliff){
	"actor": func(f *cliff) {
		f.sent = append(f.sent, 1, 2)
		for n := range 2 {
			dozerAct.Send(f.sys, f.friend, func(c *Context) { f.kind.drop.Send(c, f.child, n+1) })
		}
	},
	"actor tries": func(f *cliff) {
		f.sent = append(f.sent, 1, 2)
		dozerAct.Send(f.sys, f.friend, func(c *Context) {
			for n := range 2 {
				if err := f.kind.drop.TrySend(c, f.child, n+1); err != nil {
					f.letters, f.reasons = append(f.letters, n+1), append(f.reasons, err)
				}
			}
		})
	},
	"outside": func(f *cliff) {
		f.sent = append(f.sent, 1, 2)
		for n := range 2 {
			f.kind.drop.Send(f.sys, f.child, n+1)
		}
	},
}

// judge checks that each message has run once or is a dead letter once, and that messages were
// dropped only in a back-off that keeps nothing.
func (f *cliff) judge(backlog int) error {
	for range 2 {
		f.sys.kernel().Sched.WakeAll()
		Restart(f.sys, f.child)
		f.tidyUp()
	}
	if got := slices.Sorted(slices.Values(slices.Concat(f.ran, f.letters))); !slices.Equal(got, f.sent) {
		return fmt.Errorf("sent %v, run %v, dead %v", f.sent, f.ran, f.letters)
	}
	for _, why := range f.reasons {
		if backlog >= 0 || !errors.Is(why, ErrSuspended) {
			return fmt.Errorf("dropped: %w", why)
		}
	}
	Stop(f.sys, f.super)
	Stop(f.sys, f.friend)
	f.tidyUp()
	return f.resting()
}

// TestDrop_FallenExplored: only the limit of its receiver decides whether a message of
// DropOnOverload is kept or dropped. It does not matter when the receiver falls, goes into a
// back-off, or comes up again.
//
// Mutants: fallen/… of internal/mutants/muting.json.
func TestDrop_FallenExplored(t *testing.T) {
	for kind, k := range fallerKinds {
		for op, send := range fallerOps {
			for verdict, decide := range fallerVerdicts {
				for _, backlog := range []int{-1, 10} {
					if backlog < 0 && verdict == "restart" {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s-%s/%d", kind, op, verdict, backlog), func(t *testing.T) {
						explore.PortfolioOf(t, 400, 100, func(p *explore.Program) {
							f := newCliff(p, k, backlog)
							p.Go(func() { send(f) })
							p.Go(func() { decide(f) })
							f.man()
							p.After(func() error { return f.judge(backlog) })
						})
					})
				}
			}
		}
	}
}
