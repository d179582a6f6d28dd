package inspect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/process"
)

// join is actors.Join, whose package is on the same floor as this one.
func join(sys *actor.System) *process.System {
	var f process.ForActors
	return f.SystemOf(kernel.SystemOf(sys).JoinProcesses(f.StartOn))
}

// TestProcesses: each sort of waiting has its name, and the actor that is waited for.
func TestProcesses(t *testing.T) {
	sys := start(t)
	if l := inspect.Processes(sys, true); l.Seen != 0 || l.Processes != nil {
		t.Errorf("%+v without processes", l)
	}
	ps := join(sys)
	ref := dollType.Spawn(sys, doll{})
	ch := process.NewChan[int](0)
	process.Go(ps, func(p *process.Proc) { ch.Recv(p) })
	process.Go(ps, func(p *process.Proc) {
		process.Select(p, process.RecvFrom(ch, new(int), new(bool)), process.After(time.Hour))
	})
	process.Go(ps, func(p *process.Proc) {
		defer process.ForActors{}.Waits(p, "reply of", kernel.AnyRef(ref))()
		ch.Recv(p)
	})
	process.Go(ps, func(p *process.Proc) {
		defer process.ForActors{}.Waits(p, "overload of", kernel.AnyRef(ref))()
		ch.Recv(p)
	})
	depot := process.Spawn(ps, func(s *process.Self[int]) { _ = s.Receive() })
	if err := process.Register("depot", depot); err != nil {
		t.Fatal(err)
	}
	var l inspect.ProcessList
	eventually(t, "all wait", func() bool {
		l = inspect.Processes(sys, true)
		return !slices.ContainsFunc(l.Processes, func(p inspect.Process) bool { return !p.Waits })
	})
	equal(t, "seen", l.Seen, 5)
	for _, p := range l.Processes {
		if !strings.HasPrefix(p.At, "github.com/gallop-go/gallop/internal/inspect_test.TestProcesses.func") ||
			!strings.Contains(p.At, "processes_test.go:") {
			t.Errorf("%v is at %q", p, p.At)
		}
	}
	equal(t, "named", fmt.Sprint(l.Processes[0].Names, l.Processes[0].On), "[depot]receive")
	var said []string
	for _, p := range l.Processes {
		p.ID = 1
		said = append(said, p.String())
	}
	slices.Sort(said)
	to := inspect.Describe(ref.Any()).String()
	want := []string{"process#1 waits: channel receive", "process#1 waits: channel receive", // or an hour
		"process#1 waits: overload of " + to, "process#1 waits: receive",
		"process#1 waits: reply of " + to}
	if !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
	if len(l.Waits) != 4 || l.Waits[0] != (inspect.ProcessWaits{On: "channel receive", Count: 2}) {
		t.Errorf("waits: %v", l.Waits)
	}
}

// TestProcesses_Many: "up to 4,096 of each of the sixteen parts", of which 500 are described, those
// with a name in any case. From outside, processes are made in one part.
func TestProcesses_Many(t *testing.T) {
	sys := start(t)
	ps := join(sys)
	ch := process.NewChan[int](0)
	for range 4096 {
		process.Go(ps, func(p *process.Proc) { ch.Recv(p) })
	}
	l := inspect.Processes(sys, true)
	equal(t, "seen", l.Seen, 4096)
	equal(t, "more", l.More, false)
	last := process.Spawn(ps, func(s *process.Self[int]) { _ = s.Receive() })
	if err := process.Register("last", last); err != nil {
		t.Fatal(err)
	}
	l = inspect.Processes(sys, true)
	equal(t, "seen", l.Seen, 4096)
	equal(t, "more", l.More, true)
	equal(t, "described", len(l.Processes), 500)
	equal(t, "first", l.Processes[0].ID, last.ID())
	if s := (inspect.Process{ID: 3}).String(); s != "process#3 runs" {
		t.Error(s)
	}
}
