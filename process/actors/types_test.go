package actors_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// TestType: a process has the type that it was given in dead letters, reports of panics, the log, the
// lists of processes and its own name.
func TestType(t *testing.T) {
	var letters []actor.DeadLetter
	var panics []actor.PanicReport
	sys := actor.Start(actor.WithWorkers(1), quietLogger, actor.WithHooks(actor.Hooks{
		DeadLetter: func(l actor.DeadLetter) { letters = append(letters, l) },
		Panic:      func(r actor.PanicReport) { panics = append(panics, r) },
	}))
	defer sys.Stop()
	procs := actors.Join(sys)
	saga := process.Spawn(procs, func(self *process.Self[int]) {
		self.Receive()
		panic("planted")
	}, process.WithType("saga"))
	plain := process.Go(procs, func(p *process.Proc) { process.Select(p) })
	timer := process.Go(procs, func(p *process.Proc) { process.Select(p) }, process.WithType("timer"))
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "blocked", fmt.Sprint(procs.Blocked()), fmt.Sprintf("[saga %d waits: receive process %d waits: "+
		"nil channel or empty select timer %d waits: nil channel or empty select]", saga.ID(), plain.ID(), timer.ID()))
	var types []string
	for _, p := range inspect.Processes(sys, false).Processes {
		types = append(types, p.Type)
	}
	equal(t, "looked at", fmt.Sprint(types), "[saga process timer]")
	saga.Send(procs, 1)
	saga.Send(procs, 2)
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "panics", fmt.Sprint(len(panics), panics[0].Type), "1saga")
	equal(t, "letters", fmt.Sprint(len(letters), letters[0].Type), "1saga")
}

// TestBestEffort: dead letters of a process WithBestEffort are counted apart and not logged; others
// are logged with their type, and that of the message.
func TestBestEffort(t *testing.T) {
	var text bytes.Buffer
	sys := actor.Start(actor.WithWorkers(1), actor.WithLogger(slog.New(slog.NewTextHandler(&text, nil))))
	defer sys.Stop()
	procs := actors.Join(sys)
	for _, options := range [][]process.Option{{process.WithType("ack"), process.WithBestEffort()},
		{process.WithType("order")}} {
		p := process.Spawn(procs, func(*process.Self[int]) {}, options...)
		if err := sys.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.Send(procs, 1)
	}
	st := sys.Stats()
	equal(t, "letters", st.DeadLetters, uint64(2))
	equal(t, "best effort", st.BestEffort, uint64(1))
	if got := text.String(); strings.Contains(got, "type=ack") || strings.Count(got, "\n") != 1 ||
		!strings.Contains(got, "type=order") || !strings.Contains(got, "message=int") {
		t.Errorf("logged: %s", got)
	}
}
