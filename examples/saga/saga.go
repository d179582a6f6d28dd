package main

import (
	"errors"

	"github.com/gallop-go/gallop/actor"
)

// account is an actor that keeps no state in memory that is not on the disk.
type account struct{ bank *bank }

// Do does a step. It may crash before, or after the step and before the reply.
func (a *account) Do(c *actor.Context, s step) (struct{}, error) {
	a.bank.maybeCrash(c.Rand().Float64(), "before a "+s.what)
	err := a.bank.disk.do(s)
	a.bank.maybeCrash(c.Rand().Float64(), "after a "+s.what)
	return struct{}{}, err
}

// saga is one transfer: take the money, give it, and if that is refused give it back. A saga may
// crash too, and is then restarted from the beginning: steps that were done are not done twice.
type saga struct {
	bank             *bank
	id               int
	from, to, amount int
	now              step // the step that it waits for
}

func (s *saga) Start(c *actor.Context) error {
	s.take(c, step{s.id, "withdrawal", s.from, -s.amount})
	return nil
}

// take asks for the next step.
func (s *saga) take(c *actor.Context, next step) {
	s.now = next
	actor.AskTo(c, doStep, s.bank.accounts[next.account], next, stepDone)
}

// Done handles the result of the last step.
func (s *saga) Done(c *actor.Context, r actor.Result[struct{}]) {
	s.bank.maybeCrash(c.Rand().Float64(), "in the saga")
	switch {
	case errors.Is(r.Err, actor.ErrPanicked): // done or not? retry the same step
		s.take(c, s.now)
	case s.now.what == "withdrawal" && r.Err == nil:
		s.take(c, step{s.id, "deposit", s.to, s.amount})
	case s.now.what == "deposit" && r.Err != nil:
		s.take(c, step{s.id, "refund", s.from, s.amount})
	default:
		s.bank.disk.end(s.id, s.now.what == "deposit")
		c.Stop()
	}
}

var (
	accountType = actor.NewType[account]("account")
	doStep      = actor.DeclareAsk[step, struct{}](accountType, "do")
	_           = accountType.Table(doStep.Handle((*account).Do))

	sagaType = actor.NewType[saga]("saga")
	stepDone = actor.Declare[actor.Result[struct{}]](sagaType, "done")
)

func init() { sagaType.OnStart((*saga).Start).Table(stepDone.Handle((*saga).Done)) }
