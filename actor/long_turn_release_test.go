package actor_test

import (
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

type sender struct{ to actor.Ref[sender] }

var (
	senderType = actor.NewType[sender]("sender")
	senderSend = actor.Declare[int](senderType, "send")
	_          = senderType.Table(senderSend.Handle((*sender).Send))
)

// Send floods the receiver of the sender. A sink has no receiver.
func (s *sender) Send(c *actor.Context, n int) {
	if s.to.IsZero() {
		return
	}
	senderSend.Send(c, s.to, 0)
	if n > 0 {
		senderSend.Send(c, actor.Self[sender](c), n-1)
	}
}

// TestLongTurn_OfNoActor: a long turn may belong to a task that is not an actor's, such as the
// release of many muted senders. It is not taken for an actor's turn. Under the race detector, Go
// checks each conversion of a pointer against the type of the memory there.
func TestLongTurn_OfNoActor(t *testing.T) {
	sys := start(t, actor.WithLongTurn(time.Millisecond), actor.WithWorkers(2))
	for range scaled(16) {
		sink := senderType.Spawn(sys, sender{})
		for range 3000 { // all are muted, and let go in one turn
			senderSend.Send(sys, senderType.Spawn(sys, sender{sink}), 30)
		}
		quiet(t, sys)
	}
}
