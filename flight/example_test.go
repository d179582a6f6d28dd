package flight_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/flight"
)

// Example records a system, and reads the events before a panic.
func Example() {
	sys := actor.Start(actor.WithWorkers(1), actor.WithLogger(slog.New(slog.DiscardHandler)))
	rec, err := flight.Start(sys)
	if err != nil {
		panic(err)
	}
	defer rec.Close()
	a := pilotType.Spawn(sys, pilot{})
	count.Send(sys, a, 1)
	crash.Send(sys, a, "no fuel")
	_ = sys.Run()
	for _, e := range rec.Snapshot().Events {
		if e.What == flight.Run || e.What == flight.Panic {
			fmt.Println(e.What, e.Type, e.Behaviour)
		}
	}
	// Output:
	// run pilot count
	// run pilot crash
	// panic pilot crash
}

// ExampleEvent reads the events of one actor, with who has sent each message.
func ExampleEvent() {
	sys := actor.Start(actor.WithWorkers(1))
	rec, err := flight.Start(sys, flight.WithRing(256<<10))
	if err != nil {
		panic(err)
	}
	defer rec.Close()
	a := pilotType.Spawn(sys, pilot{})
	count.Send(sys, a, 1)
	_ = sys.Run()
	for _, e := range rec.Snapshot().Events {
		if e.Actor == a.ID() {
			fmt.Println(e)
		}
	}
	// Output:
	// spawn pilot#1 by outside
	// run pilot#1.count from outside
}

// ExampleOption writes recordings to standard output, and lets each worker keep 32,768 events.
func ExampleOption() {
	sys := actor.Start(actor.WithWorkers(1))
	defer sys.Stop()
	var out bytes.Buffer
	rec, err := flight.Start(sys, flight.WithWriter(&out), flight.WithRing(flight.LargestRing))
	if err != nil {
		panic(err)
	}
	defer rec.Close()
	fmt.Println(rec.Dump("to see how it looks"))
	line, _, _ := strings.Cut(out.String(), "\n")
	fmt.Println(line)
	// Output:
	// <nil>
	// gallop flight recording
}

// ExampleLost says how much is missing in a recording.
func ExampleLost() {
	l := flight.Lost{Workers: []flight.LostEvents{{Worker: 0, Before: 100, Kept: 2048}}}
	fmt.Println(l)
	// Output:
	// 100 events were overwritten before, and 0 while they were read; 2048 are kept
}

// ExampleLostEvents shows the losses of one worker's ring.
func ExampleLostEvents() {
	l := flight.LostEvents{Worker: 3, Before: 7, Kept: 2048}
	fmt.Println("worker", l.Worker, "has written", l.Before+l.Torn+uint64(l.Kept), "events")
	// Output:
	// worker 3 has written 2055 events
}

// ExampleRecording writes a recording, and reads it back.
func ExampleRecording() {
	sys := actor.Start(actor.WithWorkers(1))
	rec, err := flight.Start(sys)
	if err != nil {
		panic(err)
	}
	count.Send(sys, pilotType.Spawn(sys, pilot{}), 1)
	_ = sys.Run()
	rec.Close()
	var file bytes.Buffer
	if err := rec.Snapshot().WriteJSON(&file); err != nil {
		panic(err)
	}
	s, err := flight.Read(&file)
	fmt.Println(err)
	for _, e := range s.Events {
		if e.What == flight.Run {
			fmt.Println(e.Sequence, e.Type, e.Behaviour)
		}
	}
	// Output:
	// <nil>
	// 0 pilot count
}
