package backpressure_test

import (
	"fmt"

	"github.com/gallop-go/gallop/backpressure"
)

// A receiver that cannot keep up shuts its gate. A sender that meets it takes on a blocked-on
// count, leaves a Waiter in the wait list and parks; the receiver that opens the gate finds out
// that it has to run the sender again.
func Example() {
	type sender struct {
		name      string
		blockedOn backpressure.BlockedOn
	}
	var mark backpressure.Marks[*sender] // ends every wait list
	var gate backpressure.Gate[*sender]
	gate.Shut(&mark)

	s := &sender{name: "ann"}
	s.blockedOn.Block() // before Enter: the gate may open at once
	if !gate.Enter(&backpressure.Waiter[*sender]{Who: s}) {
		s.blockedOn.Unblock()
	}
	fmt.Println("parked:", s.blockedOn.Park())

	for w := gate.Open(&mark); w != nil; w = w.Next() {
		if w.Who.blockedOn.Unblock() {
			fmt.Println(w.Who.name, "runs again")
		}
	}
	// Output:
	// parked: true
	// ann runs again
}

// The wait list of a gate is read oldest first.
func ExampleGate() {
	var mark backpressure.Marks[string]
	var gate backpressure.Gate[string]
	fmt.Println(gate.IsOpen(), gate.Enter(&backpressure.Waiter[string]{Who: "nobody"}))
	gate.Shut(&mark)
	for _, who := range []string{"ann", "bob", "cid"} {
		gate.Enter(&backpressure.Waiter[string]{Who: who})
	}
	for w := gate.Open(&mark); w != nil; w = w.Next() {
		fmt.Println(w.Who)
	}
	// Output:
	// true false
	// ann
	// bob
	// cid
}

// A Waiter says who waits; the list that Open returns is read with Next.
func ExampleWaiter() {
	var mark backpressure.Marks[int]
	var gate backpressure.Gate[int]
	gate.Shut(&mark)
	gate.Enter(&backpressure.Waiter[int]{Who: 1})
	gate.Enter(&backpressure.Waiter[int]{Who: 2})
	first := gate.Open(&mark)
	second := first.Next()
	fmt.Println(first.Who, second.Who, second.Next())
	// Output: 1 2 <nil>
}

// A sender that waits at two gates is resumed by the second that opens.
func ExampleBlockedOn() {
	var d backpressure.BlockedOn
	d.Block()
	d.Block()
	fmt.Println(d.Park(), d.Count(), d.Parked())
	fmt.Println(d.Unblock())
	fmt.Println(d.Unblock())
	// Output:
	// true 2 true
	// false
	// true
}

// A muted actor shuts its own gate as well, so that muting spreads backwards along
// a chain; one that is overloaded is never muted, so that the chain has an end.
func ExampleLoad() {
	for _, l := range []backpressure.Load{0, backpressure.Overloaded, backpressure.Pressed,
		backpressure.Muted} {
		fmt.Println(l.MustShut(), l.MayBeMuted())
	}
	// Output:
	// false true
	// true false
	// true false
	// true true
}
