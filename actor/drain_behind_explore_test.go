//go:build gallop_explore

package actor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// retiree is the state of an actor that is to drain after its mail.
type retiree struct{ r *retirement }

// retirees is a type of retirees, with its behaviours.
type retirees struct {
	typ  *Type[retiree]
	say  Behaviour[retiree, int]
	fall Behaviour[retiree, struct{}]
}

func newRetirees(opts ...TypeOption) *retirees {
	k := &retirees{typ: NewType[retiree]("retiree", opts...)}
	k.say = Declare[int](k.typ, "say")
	k.fall = Declare[struct{}](k.typ, "fall")
	k.typ.Table(
		k.say.Handle(func(a *retiree, _ *Context, n int) { a.r.ran = append(a.r.ran, n) }),
		k.fall.Handle(func(_ *retiree, c *Context, _ struct{}) { c.Exit(errors.New("on purpose")) }))
	return k
}

var retireeTypes = map[string]*retirees{
	"plain":      newRetirees(),
	"watermarks": newRetirees(WithWatermarks(2, 1)),
	"mute":       newRetirees(WithBound(8, OverflowMute)),
	"refuse":     newRetirees(WithBound(8, OverflowRefuse), WithBatch(1)),
}

// overseer is a supervisor that restarts each child that falls.
type overseer struct{ ended bool }

var (
	overseerType = NewType[overseer]("overseer")
	overseerAct  = Declare[func(*Context)](overseerType, "act")
	overseerFell = Declare[ChildDown](overseerType, "fell")
	_            = overseerType.Table(
		overseerAct.Handle(func(_ *overseer, c *Context, f func(*Context)) { f(c) }),
		overseerFell.Handle(func(o *overseer, c *Context, f ChildDown) {
			if o.ended = f.Final; !f.Final {
				Restart(c, f.Ref)
			}
		}))
)

// retirement is a stage with an actor that gets two words and a message between them over which it
// falls. Then it is told to drain after its mail.
type retirement struct {
	stage
	kind          *retirees
	super, friend Ref[overseer]
	child         Ref[retiree]
	ran, dead     []int
}

func newRetirement(p *explore.Program, k *retirees) *retirement {
	r := &retirement{kind: k}
	infoOf(k.typ).OwnedIn()
	r.stage = newStage(p, WithHooks(Hooks{Panic: func(PanicReport) {}, DeadLetter: func(l DeadLetter) {
		if n, ok := l.Message.(int); ok {
			r.dead = append(r.dead, n)
		}
	}}))
	r.super, r.friend = overseerType.Spawn(r.sys, overseer{}), overseerType.Spawn(r.sys, overseer{})
	overseerAct.Send(r.sys, r.super, func(c *Context) {
		r.child = SpawnUnder(c, k.typ, func(a *retiree) { a.r = r }, Care[overseer]{Fell: overseerFell})
	})
	r.tidyUp()
	return r
}

// retire makes the friend send the words and the order to the child.
func (r *retirement) retire() {
	overseerAct.Send(r.sys, r.friend, func(c *Context) {
		r.kind.say.Send(c, r.child, 1)
		r.kind.fall.Send(c, r.child, struct{}{})
		r.kind.say.Send(c, r.child, 2)
		DrainBehind(c, r.child)
	})
}

// retirementOps has concurrent operations of other goroutines.
var retirementOps = map[string]func(r *retirement){
	"words":    func(r *retirement) { r.kind.say.Send(r.sys, r.child, 11); r.kind.say.Send(r.sys, r.child, 12) },
	"restart":  func(r *retirement) { Restart(r.sys, r.child) },
	"fall":     func(r *retirement) { r.kind.fall.Send(r.sys, r.child, struct{}{}) },
	"postpone": func(r *retirement) { Postpone(r.sys, r.child); Restart(r.sys, r.child) },
}

// judge checks that the actor has ended, after the words that were sent before the order, and that
// each other word has run or is a dead letter.
func (r *retirement) judge(op string) error {
	for range 2 { // a back-off may be left
		r.sys.kernel().Sched.WakeAll()
		Restart(r.sys, r.child)
		r.tidyUp()
	}
	if s := r.child.Status(); s != StatusEnded {
		return fmt.Errorf("it is %v, run %v, dead %v", s, r.ran, r.dead)
	}
	own := slices.DeleteFunc(slices.Clone(r.ran), func(n int) bool { return n > 10 })
	if !slices.Equal(own, []int{1, 2}) {
		return fmt.Errorf("run %v, dead %v", r.ran, r.dead)
	}
	if n := len(r.ran) + len(r.dead); op == "words" && n != 4 || op != "words" && n != 2 {
		return fmt.Errorf("run %v, dead %v: words are lost", r.ran, r.dead)
	}
	Stop(r.sys, r.super)
	Stop(r.sys, r.friend)
	r.tidyUp()
	if err := r.resting(); err != nil {
		return err
	}
	return r.sys.Shutdown(context.Background())
}

// TestDrainBehind_Explored: an actor is told to drain after its mail, falls over a message, and is
// restarted, while others send to it, restart it, or put its restart off. All mail that was sent
// before the order runs, and the actor ends.
//
// Mutants: drain-behind/… of internal/mutants/life_explored.json.
func TestDrainBehind_Explored(t *testing.T) {
	for kind, k := range retireeTypes {
		for name, op := range retirementOps {
			t.Run(kind+"-"+name, func(t *testing.T) {
				explore.PortfolioOf(t, 400, 100, func(p *explore.Program) {
					r := newRetirement(p, k)
					p.Go(r.retire)
					p.Go(func() { op(r) })
					r.man()
					p.After(func() error { return r.judge(name) })
				})
			})
		}
	}
}
