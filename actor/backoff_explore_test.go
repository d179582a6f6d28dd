//go:build gallop_explore

package actor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
)

// dozer is the state of every actor of a dormitory.
type dozer struct{ d *dormitory }

var (
	dozerType = NewType[dozer]("dozer")
	dozerSay  = Declare[int](dozerType, "say")
	dozerAct  = Declare[func(*Context)](dozerType, "act")
	dozerFell = Declare[ChildDown](dozerType, "fell")
	dozerAsk  = DeclareAsk[int, int](dozerType, "ask")
	_         = dozerType.Table(
		dozerSay.Handle(func(a *dozer, _ *Context, n int) { a.d.ran = append(a.d.ran, n) }),
		dozerAct.Handle(func(_ *dozer, c *Context, f func(*Context)) { f(c) }),
		dozerFell.Handle(func(*dozer, *Context, ChildDown) {}),
		dozerAsk.Handle(func(a *dozer, _ *Context, n int) (int, error) { a.d.asksRan++; return n, nil }))
)

// dormitory is a stage with a child that has fallen, and whose supervisor has not decided.
//
// Its Backlog is none or one message, so that the gate opens and is shut again in each back-off.
type dormitory struct {
	stage
	super, child, friend Ref[dozer]
	said, ran, dead      []int
	replies              chan Result[int]
	asked, asksRan       int
}

func newDormitory(p *explore.Program, backlog int) *dormitory {
	d := &dormitory{replies: make(chan Result[int], 8)}
	infoOf(dozerType).OwnedIn()
	d.stage = newStage(p, WithHooks(Hooks{Panic: func(PanicReport) {}}),
		WithHooks(Hooks{DeadLetter: func(l DeadLetter) {
			if l.Behaviour == "say" {
				d.dead = append(d.dead, l.Message.(int))
			}
		}}))
	d.super, d.friend = dozerType.Spawn(d.sys, dozer{d}), dozerType.Spawn(d.sys, dozer{d})
	dozerAct.Send(d.sys, d.super, func(c *Context) {
		d.child = SpawnUnder(c, dozerType, func(a *dozer) {
			a.d = d
		}, Care[dozer]{Fell: dozerFell, Backlog: backlog})
	})
	d.tidyUp()
	d.word(1)
	d.ask(context.Background())
	dozerAct.Send(d.sys, d.child, func(c *Context) { d.word(2); c.Exit(errors.New("on purpose")) })
	d.tidyUp()
	return d
}

// word sends the child a word from outside.
func (d *dormitory) word(n int) {
	d.said = append(d.said, n)
	dozerSay.Send(d.sys, d.child, n)
}

func (d *dormitory) ask(ctx context.Context) {
	d.asked++
	askInto(ctx, dozerAsk, d.child, 1, d.replies)
}

// dozerOps has operations of other actors and goroutines while the supervisor decides.
var dozerOps = map[string]func(d *dormitory){
	"words": func(d *dormitory) { d.word(11); d.word(12) },
	"friend": func(d *dormitory) {
		d.said = append(d.said, 21, 22, 23)
		dozerAct.Send(d.sys, d.friend, func(c *Context) { dozerSay.Send(c, d.child, 21) })
		dozerAct.Send(d.sys, d.friend, func(c *Context) {
			dozerSay.Send(c, d.child, 22)
			dozerSay.Send(c, d.child, 23)
		})
	},
	"ask":     func(d *dormitory) { d.ask(context.Background()) },
	"waiting": func(d *dormitory) { d.ask(kernel.WaitForRestart(context.Background())) },
	"try": func(d *dormitory) {
		d.said = append(d.said, 31)
		if dozerSay.TrySend(d.sys, d.child, 31) != nil {
			d.said = slices.DeleteFunc(d.said, func(n int) bool { return n == 31 })
		}
	},
}

// dozerVerdicts has the decisions of the supervisor.
var dozerVerdicts = map[string]func(d *dormitory){
	"postpone": func(d *dormitory) { Postpone(d.sys, d.child) },
	"restart":  func(d *dormitory) { Postpone(d.sys, d.child); Restart(d.sys, d.child) },
	"again": func(d *dormitory) {
		Postpone(d.sys, d.child)
		Restart(d.sys, d.child)
		Suspend(d.sys, d.child)
		Postpone(d.sys, d.child)
	},
	"stop":    func(d *dormitory) { Postpone(d.sys, d.child); Stop(d.sys, d.child) },
	"standby": func(d *dormitory) { Standby(d.sys, d.child); Postpone(d.sys, d.child) },
}

// judge checks the stage when nothing is left to do. No sender is muted for a child that is in a
// back-off. Each caller has its outcome unless it waits for the restart. After a restart each word
// has run or is a dead letter, once.
func (d *dormitory) judge(op, verdict string) error {
	x, waits := d.child.target().Cold, 0
	if op == "waiting" {
		waits = 1
	}
	if down := x.State == kernel.Suspended; down {
		if x.Backoff == nil && verdict != "again" {
			return errors.New("it is down, and in no back-off")
		}
		if x.Backoff == nil { // Postpone came before the second fall
			Postpone(d.sys, d.child)
			d.tidyUp()
		}
		if d.friend.target().BlockedOn.Parked() {
			return errors.New("a sender is muted for one in a back-off")
		}
		if n := len(d.replies); n < d.asked-waits {
			return fmt.Errorf("%d asked, %d heard, %d of them wait", d.asked, n, waits)
		}
		if err := d.resting(); err != nil {
			return err
		}
		d.sys.kernel().Sched.WakeAll()
		Restart(d.sys, d.child)
		d.tidyUp()
	}
	if err := d.resting(); err != nil {
		return err
	}
	slices.Sort(d.said)
	if got := slices.Sorted(slices.Values(slices.Concat(d.ran, d.dead))); !slices.Equal(got, d.said) {
		return fmt.Errorf("said %v, run %v, dead %v", d.said, d.ran, d.dead)
	}
	return errors.Join(d.heard(), d.inOrder(), d.close())
}

// heard checks that each caller has one answer, which is a value if the request has run.
func (d *dormitory) heard() error {
	if len(d.replies) != d.asked {
		return fmt.Errorf("%d asked, %d answered", d.asked, len(d.replies))
	}
	values := 0
	for range d.asked {
		switch r := <-d.replies; {
		case r.Err == nil:
			values++
		case !errors.Is(r.Err, ErrSuspended) && !errors.Is(r.Err, ErrStopped):
			return r.Err
		}
	}
	if values != d.asksRan {
		return fmt.Errorf("%d requests have run, %d had a value", d.asksRan, values)
	}
	return nil
}

// inOrder checks that the words of each sender that have run have run in order.
func (d *dormitory) inOrder() error {
	last := map[int]int{}
	for _, n := range d.ran {
		if n < last[n/10] {
			return fmt.Errorf("run %v: out of order", d.ran)
		}
		last[n/10] = n
	}
	return nil
}

func (d *dormitory) close() error {
	d.sys.kernel().Sched.WakeAll()
	Stop(d.sys, d.super)
	d.tidyUp()
	Stop(d.sys, d.friend)
	d.tidyUp()
	if err := d.resting(); err != nil {
		return err
	}
	if err := d.sys.Shutdown(context.Background()); err != nil {
		return err
	}
	if l := LeftoversOf(d.sys); l != (Leftovers{}) {
		return fmt.Errorf("left over: %+v", l)
	}
	return d.allEnded()
}

// TestPostpone_Explored: senders of every kind send while a supervisor puts a restart off,
// restarts, stops or suspends again. In no order is a sender left muted, a caller left without an
// answer, or a message lost, doubled or out of order.
func TestPostpone_Explored(t *testing.T) {
	for op, do := range dozerOps {
		for verdict, decide := range dozerVerdicts {
			for _, backlog := range []int{-1, 1} {
				t.Run(fmt.Sprintf("%s-%s/%d", op, verdict, backlog), func(t *testing.T) {
					explore.PortfolioOf(t, 600, 150, func(p *explore.Program) {
						d := newDormitory(p, backlog)
						p.Go(func() { do(d) })
						p.Go(func() { decide(d) })
						d.man()
						p.After(func() error { return d.judge(op, verdict) })
					})
				})
			}
		}
	}
}
