package actor

import (
	"math/rand/v2"
	"testing"

	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// orderly is a system queue and the messages taken from it, of an actor that does not run.
type orderly struct {
	b kernel.Cell
	x kernel.Cold
}

func (o *orderly) push(s kernel.Signal) *kernel.Message {
	m := &new(msg.Node[kernel.Signal]).Header
	*kernel.PayloadOf[kernel.Signal](m) = s
	if s == nil { // as urgent mail
		m.ID = kernel.UserIDs
	}
	o.b.System.Push(m)
	return m
}

// Serve takes the next message. If it is an order, the cached rank of todo becomes unknown.
func (o *orderly) Serve() {
	if m := o.x.Next(&o.b.System); m != nil && m.ID == kernel.SystemID && kernel.RankOf(*kernel.PayloadOf[kernel.Signal](m)) > 0 {
		o.x.Orders.InTodo = kernel.NotAsked
	}
}

// tells reports whether there is an order above mode v, by a look at every message.
func (o *orderly) tells(v kernel.StopMode) bool {
	for _, first := range [...]*kernel.Message{o.x.Todo.First, o.b.System.Newest()} {
		if kernel.GreatestIn(first, nil) > uint8(v) {
			return true
		}
	}
	return false
}

// TestPendingStop_Twin: while signals and urgent messages come and are served, pendingStop gives
// the same answers as a look at all of them.
func TestPendingStop_Twin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	signals := [...]kernel.Signal{nil, nil, nil, kernel.Linked{}, kernel.StopRequest{Mode: kernel.ModeDrain},
		kernel.StopRequest{Mode: kernel.ModeStop}, kernel.StopRequest{Mode: kernel.ModeKill}, kernel.TakeDown{}, kernel.BringUp{}}
	for range 200 {
		var o orderly
		o.b.Cold = &o.x
		for range 200 {
			switch n := rnd.IntN(8); {
			case n < 3:
				o.push(signals[rnd.IntN(len(signals))])
			case n < 6:
				o.Serve()
			default:
				v := kernel.StopMode(rnd.IntN(int(kernel.ModeKill) + 1))
				if got, want := kernel.PendingStop(&o.b, v), o.tells(v); got != want {
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
	o.b.Cold = &o.x
	flood := func() *kernel.Message {
		m := o.push(kernel.Linked{})
		o.push(nil)
		return m
	}
	flood()
	taken := flood()
	o.x.Next(&o.b.System)
	inQueue := flood()
	for range 2 {
		if kernel.PendingStop(&o.b, kernel.ModeDrain) {
			t.Error("a message was looked at again")
		}
		for _, m := range [...]*kernel.Message{taken, inQueue} {
			*kernel.PayloadOf[kernel.Signal](m) = kernel.StopRequest{Mode: kernel.ModeKill}
		}
		flood()
	}
	o.x.Next(&o.b.System)
	o.push(kernel.StopRequest{Mode: kernel.ModeStop})
	if kernel.PendingStop(&o.b, kernel.ModeKill) || !kernel.PendingStop(&o.b, kernel.ModeStop) {
		t.Error("an order that comes is told of as what it is")
	}
}
