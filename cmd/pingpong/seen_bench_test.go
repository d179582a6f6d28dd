package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/flight"
	"github.com/gallop-go/gallop/observe"
)

// BenchmarkSeen compares turns of a scenario whose system is seen with turns of one that is not, in
// turns: by a flight recorder, or by a page that is open and has had its first look. It reports
// the median of the quotients of neighbouring turns as "ratio".
//
//	go test -run '^$' -bench Seen/recorder -benchtime 20x ./cmd/pingpong -cpu 1,2
func BenchmarkSeen(b *testing.B) {
	for _, look := range []struct {
		name  string
		begin func(*testing.B, *actor.System) (end func())
	}{{"recorder", recorded}, {"page", pageIsOpen}} {
		for _, s := range registry {
			if s.uncounted {
				continue // processes are not recorded by message
			}
			b.Run(look.name+"/"+s.name, func(b *testing.B) {
				compareSeen(b, s, look.begin)
			})
		}
	}
}

func compareSeen(b *testing.B, s scenario, look func(*testing.B, *actor.System) func()) {
	plain := func(*testing.B, *actor.System) func() { return func() {} }
	seenTurn(b, s, plain) // memory is taken from the system, once
	var off, on []float64
	for range b.N {
		off = append(off, seenTurn(b, s, plain))
		on = append(on, seenTurn(b, s, look))
	}
	ratios := make([]float64, b.N)
	for i := range ratios {
		ratios[i] = on[i] / off[i]
	}
	middle := func(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }
	b.ReportMetric(middle(ratios), "ratio")
	b.ReportMetric(middle(off), "off-ns/op")
	b.ReportMetric(middle(on), "on-ns/op")
	b.ReportMetric(0, "ns/op") // of a pair of turns, and of no use
}

// seenTurn returns the time of an operation in a turn, in nanoseconds.
func seenTurn(b *testing.B, s scenario, look func(*testing.B, *actor.System) func()) float64 {
	sys, err := start(options{seed: 1}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer sys.Stop()
	defer look(b, sys)()
	j := options{seed: 1}.job(s)
	t := timed(func() (uint64, error) { return <-s.actors(b.Context(), sys, j), nil })
	if t.got != s.expected(j.n) {
		b.Fatalf("%d, want %d", t.got, s.expected(j.n))
	}
	if err := sys.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
	return float64(t.wall.Nanoseconds()) / float64(j.n)
}

func recorded(b *testing.B, sys *actor.System) (end func()) {
	rec, err := flight.Start(sys)
	if err != nil {
		b.Fatal(err)
	}
	return rec.Close
}

// pageIsOpen reads the stream that a browser with the overview reads.
func pageIsOpen(b *testing.B, sys *actor.System) (end func()) {
	srv := httptest.NewServer(observe.Handler(sys))
	answer, err := http.Get(srv.URL + "/api/v1/stream?view=overview")
	if err != nil {
		b.Fatal(err)
	}
	first := bufio.NewReader(answer.Body)
	if _, err := first.ReadString('\n'); err != nil {
		b.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, first)
	}()
	return func() {
		_ = answer.Body.Close()
		srv.CloseClientConnections()
		srv.Close()
		<-read
	}
}
