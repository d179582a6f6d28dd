package main

import (
	"errors"
	"math/rand/v2"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// straight is the same saga as a process: what saga.go keeps in fields and looks at in Done is the
// order of its lines here.
func (b *bank) straight(id, from, to, amount int) func(self *process.Self[struct{}]) {
	return func(self *process.Self[struct{}]) {
		done := b.do(self, step{id, "withdrawal", from, -amount}) == nil
		if done && b.do(self, step{id, "deposit", to, amount}) != nil {
			_ = b.do(self, step{id, "refund", from, amount}) // an account that gave takes back
			done = false
		}
		b.disk.end(id, outcome(done))
	}
}

// do asks for a step until it is known to be done or refused.
func (b *bank) do(p process.Party, s step) error {
	for {
		_, err := actors.Call(p, doStep, b.accounts[s.account], s)
		b.maybeCrash(rand.Float64(), "in the saga")
		if !errors.Is(err, actor.ErrPanicked) { // or else: done or not? retry
			return err
		}
	}
}

// template is what sagas as processes have in common.
func template() supervise.Child {
	t := actors.Child("", 0, func(*process.Self[struct{}]) {})
	t.Restart, t.Backoff = supervise.Transient, supervise.NoBackoff
	return t
}
