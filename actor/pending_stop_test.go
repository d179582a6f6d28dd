package actor

import (
	"math/rand/v2"
	"testing"

	"github.com/gallop-go/gallop/actor/internal/msg"
)

// orderly is a system queue and the messages taken from it, of an actor that does not run.
type orderly struct {
	b cell
	x coldState
}

func (o *orderly) push(s signal) *message {
	m := &new(msg.Node[signal]).Header
	*payloadOf[signal](m) = s
	if s == nil { // as urgent mail
		m.ID = userIDs
	}
	o.b.system.Push(m)
	return m
}

// serve takes the next message. If it is an order, the cached rank of todo becomes unknown.
func (o *orderly) serve() {
	if m := o.x.next(&o.b.system); m != nil && m.ID == systemID && rankOf(*payloadOf[signal](m)) > 0 {
		o.x.orders.inTodo = notAsked
	}
}

// tells reports whether there is an order above mode v, by a look at every message.
func (o *orderly) tells(v stopMode) bool {
	for _, first := range [...]*message{o.x.todo.First, o.b.system.Newest()} {
		if greatestIn(first, nil) > uint8(v) {
			return true
		}
	}
	return false
}

// TestPendingStop_Twin: while signals and urgent messages come and are served, pendingStop gives
// the same answers as a look at all of them.
func TestPendingStop_Twin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	signals := [...]signal{nil, nil, nil, linked{}, stopRequest{mode: modeDrain},
		stopRequest{mode: modeStop}, stopRequest{mode: modeKill}, takeDown{}, bringUp{}}
	for range 200 {
		var o orderly
		o.b.cold = &o.x
		for range 200 {
			switch n := rnd.IntN(8); {
			case n < 3:
				o.push(signals[rnd.IntN(len(signals))])
			case n < 6:
				o.serve()
			default:
				v := stopMode(rnd.IntN(int(modeKill) + 1))
				if got, want := pendingStop(&o.b, v), o.tells(v); got != want {
					t.Fatalf("told(%d) is %v, want %v", v, got, want)
				}
			}
		}
	}
}

// TestPendingStop_Once: however often a flood of urgent messages calls pendingStop, each message is
// looked at once. The test shows it by messages that turn into orders afterwards, which none does
// otherwise: they are not noticed.
func TestPendingStop_Once(t *testing.T) {
	var o orderly
	o.b.cold = &o.x
	flood := func() *message {
		m := o.push(linked{})
		o.push(nil)
		return m
	}
	flood()
	taken := flood()
	o.x.next(&o.b.system)
	inQueue := flood()
	for range 2 {
		if pendingStop(&o.b, modeDrain) {
			t.Error("a message was looked at again")
		}
		for _, m := range [...]*message{taken, inQueue} {
			*payloadOf[signal](m) = stopRequest{mode: modeKill}
		}
		flood()
	}
	o.x.next(&o.b.system)
	o.push(stopRequest{mode: modeStop})
	if pendingStop(&o.b, modeKill) || !pendingStop(&o.b, modeStop) {
		t.Error("an order that comes is told of as what it is")
	}
}
