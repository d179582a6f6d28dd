package actors_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// desk has a bound, may be asked urgently, and asks processes.
type desk struct{ mail, heard int }

var (
	deskType   = actor.NewType[desk]("desk", actor.WithBound(2, actor.OverflowRefuse))
	deskDo     = actor.Declare[func(*desk, *actor.Context)](deskType, "do")
	deskHeard  = actor.Declare[actor.Result[int]](deskType, "heard")
	deskStatus = actor.DeclareAsk[struct{}, int](deskType, "status", actor.Urgent())
	_          = deskType.Table(
		deskDo.Handle(func(d *desk, c *actor.Context, f func(*desk, *actor.Context)) { f(d, c) }),
		deskHeard.Handle(func(d *desk, _ *actor.Context, r actor.Result[int]) {
			if r.Err == nil {
				d.heard += r.Value
			}
		}),
		deskStatus.Handle(func(d *desk, _ *actor.Context, _ struct{}) (int, error) { return d.mail, nil }))
)

// TestAsk_Urgent: an urgent request of a process comes ahead of the mail, and needs no room.
func TestAsk_Urgent(t *testing.T) {
	sys := actor.Start(actor.WithWorkers(1), quietLetters, quietLogger)
	defer sys.Stop()
	logOf[sys] = &logs{make(chan string, 100)}
	defer delete(logOf, sys)
	r := deskType.Spawn(sys, desk{})
	mail, stay := -1, make(chan struct{})
	run(t, sys, func(p *process.Proc) {
		begun := make(chan struct{})
		deskDo.Send(actors.Sender(p), r, func(_ *desk, c *actor.Context) {
			c.Blocking(func() { close(begun); <-stay })
		})
		p.Blocking(func() { <-begun })
		for range 2 {
			deskDo.Send(actors.Sender(p), r, func(d *desk, _ *actor.Context) { d.mail++ })
		}
		asked := actors.Ask(p, deskStatus, r, struct{}{})
		close(stay)
		var err error
		mail, err = asked.Reply(p)
		equal(t, "error", err, error(nil))
	})
	equal(t, "mail that has run before", mail, 0)
}

// TestAskTo_Bounded: the answers of processes reach an actor at its bound.
func TestAskTo_Bounded(t *testing.T) {
	sys := actor.Start(actor.WithWorkers(2), quietLetters, quietLogger)
	defer sys.Stop()
	logOf[sys] = &logs{make(chan string, 100)}
	defer delete(logOf, sys)
	const asks = 10
	answered := make(chan struct{})
	server := process.Spawn(actors.Join(sys), func(self *process.Self[process.ReplyTo[int]]) {
		for range asks {
			self.Receive().Reply(self, 1)
		}
		for range 100 { // for the processes that bring the answers
			self.Yield()
		}
		close(answered)
	})
	r := deskType.Spawn(sys, desk{})
	deskDo.Send(sys, r, func(_ *desk, c *actor.Context) {
		for range asks {
			actors.AskTo(c, server, func(to process.ReplyTo[int]) process.ReplyTo[int] { return to },
				deskHeard)
		}
		c.Blocking(func() { <-answered })
	})
	quiet(t, sys)
	deskDo.Send(sys, r, func(d *desk, _ *actor.Context) { equal(t, "answers", d.heard, asks) })
	quiet(t, sys)
	equal(t, "dead letters", sys.Stats().DeadLetters, uint64(0))
}
