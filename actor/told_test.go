package actor

import (
	"math/rand/v2"
	"testing"
)

// orderly is a lane and what was taken from it, of an actor that does not run.
type orderly struct {
	b body
	x extras
}

func (o *orderly) push(s signal) *message {
	m := &new(node[signal]).header
	*payloadOf[signal](m) = s
	if s == nil { // as urgent mail
		m.id = userIDs
	}
	o.b.lane.push(m)
	return m
}

// serve takes off what is next. Of an order it does what the order would.
func (o *orderly) serve() {
	if m := o.x.next(&o.b.lane); m != nil && m.id == systemID && rankOf(*payloadOf[signal](m)) > 0 {
		o.x.inTodo = notAsked
	}
}

// tells whether there is an order, by a look at everything.
func (o *orderly) tells(v verb) bool {
	for _, first := range [...]*message{o.x.todo.first, o.b.lane.head.Load()} {
		if greatestIn(first, nil) > uint8(v) {
			return true
		}
	}
	return false
}

// TestTold_Twin: while signals and urgent messages come and are served, an actor is told what a look at all of
// them tells.
func TestTold_Twin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	signals := [...]signal{nil, nil, nil, linked{}, order{verb: verbDrain}, order{verb: verbStop}, order{verb: verbKill}, takeDown{}, bringUp{}}
	for range 200 {
		var o orderly
		o.b.extra = &o.x
		for range 200 {
			switch n := rnd.IntN(8); {
			case n < 3:
				o.push(signals[rnd.IntN(len(signals))])
			case n < 6:
				o.serve()
			default:
				v := verb(rnd.IntN(int(verbKill) + 1))
				if got, want := told(&o.b, v), o.tells(v); got != want {
					t.Fatalf("told(%d) is %v, want %v", v, got, want)
				}
			}
		}
	}
}

// TestTold_Once: however often a flood of urgent messages asks for orders, each message is looked at once: one that
// becomes an order behind that, which none does, is not noticed.
func TestTold_Once(t *testing.T) {
	var o orderly
	o.b.extra = &o.x
	flood := func() *message {
		m := o.push(linked{})
		o.push(nil)
		return m
	}
	flood()
	taken := flood()
	o.x.next(&o.b.lane)
	inLane := flood()
	for range 2 {
		if told(&o.b, verbDrain) {
			t.Error("a message was looked at again")
		}
		for _, m := range [...]*message{taken, inLane} {
			*payloadOf[signal](m) = order{verb: verbKill}
		}
		flood()
	}
	o.x.next(&o.b.lane)
	o.push(order{verb: verbStop})
	if told(&o.b, verbKill) || !told(&o.b, verbStop) {
		t.Error("an order that comes is told of as what it is")
	}
}
