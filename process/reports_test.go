package process

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// plantedPanic is found in stacks.
func plantedPanic(v any) { panic(v) }

// TestPanic_Reported: each panic and each Goexit of a process is counted and told of once, with its
// stack, also if other processes end because of it; a normal end, an Exit, a cancel and a panic that
// was recovered from are not.
func TestPanic_Reported(t *testing.T) {
	for seed := uint64(0); seed < 3; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			var mu sync.Mutex
			var got []PanicReport
			s := Start(Config{Workers: 2, Seed: seed, Panic: func(r PanicReport) {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, r)
				panic("in the hook") // is logged
			}, Logger: slog.New(slog.DiscardHandler)})
			defer s.Stop()
			own := errors.New("own")
			o := Go(s, func(p *Proc) { Select(p) })
			p := Spawn(s, func(self *Self[int]) {
				self.Link(o)
				self.Receive()
				defer func() { _ = recover(); plantedPanic(own) }()
				panic("recovered from")
			})
			if err := Register("crasher", p); err != nil {
				t.Fatal(err)
			}
			p.Send(s, 1)
			quiet(t, s)
			x := Go(s, func(*Proc) { runtime.Goexit() })
			for _, f := range []func(p *Proc){func(*Proc) {}, func(p *Proc) { p.Exit(own) },
				func(p *Proc) { p.Process().Cancel(p, own); p.Yield() },
				func(*Proc) { defer func() { _ = recover() }(); panic(1) }} {
				Go(s, f)
			}
			quiet(t, s)
			equal(t, "panics", s.Stats().Panics, uint64(2))
			if len(got) != 2 {
				t.Fatalf("%d reports: %v", len(got), got)
			}
			equal(t, "process", got[0].Process, p.Process)
			equal(t, "names", fmt.Sprint(got[0].Names), "[crasher]")
			equal(t, "value", got[0].Value, any(own))
			if !strings.Contains(string(got[0].Stack), "plantedPanic") {
				t.Errorf("the stack: %s", got[0].Stack)
			}
			equal(t, "process", got[1].Process, x)
			equal(t, "Goexit", got[1].Goexit, true)
			reason, _ := o.Result()
			for who, err := range map[string]error{"linked": reason, "own": reasonOf(p.Process)} {
				if !errors.Is(err, own) {
					t.Errorf("%s: errors.Is of %v and the panic's value is false", who, err)
				}
			}
		})
	}
}

func reasonOf(p Process) error {
	reason, _ := p.Result()
	return reason
}

// TestPanic_Logged: without a hook a panic is logged once, with its stack.
func TestPanic_Logged(t *testing.T) {
	var text bytes.Buffer
	s := Start(Config{Workers: 1, Logger: slog.New(slog.NewTextHandler(&text, nil))})
	p := Go(s, func(*Proc) { plantedPanic("boom") })
	s.Run()
	for _, want := range []string{"level=ERROR", fmt.Sprint("process=", p.ID()), "value=boom", "plantedPanic"} {
		if strings.Count(text.String(), "gallop: process panicked") != 1 || !strings.Contains(text.String(), want) {
			t.Errorf("no %s, or not one line: %s", want, text.String())
		}
	}
}

// TestPanic_AfterStop: a process that panics while its system unwinds it is reported.
func TestPanic_AfterStop(t *testing.T) {
	n := 0
	s := Start(Config{Workers: 1, Panic: func(PanicReport) { n++ }})
	Go(s, func(p *Proc) { defer panic("late"); Select(p) })
	quiet(t, s)
	s.Stop()
	equal(t, "reports", n, 1)
}

// TestDeadLetters_Hook: a hook that panics, or calls Goexit, loses no letter and harms nothing.
func TestDeadLetters_Hook(t *testing.T) {
	for _, end := range []func(){func() { panic("in the hook") }, runtime.Goexit} {
		n := 0
		s := Start(Config{Workers: 1, Logger: slog.New(slog.DiscardHandler),
			DeadLetters: func(DeadLetter) { n++; end() }})
		p := Spawn(s, func(self *Self[int]) { self.Receive() })
		for range 3 {
			p.Send(s, 1)
		}
		quiet(t, s)
		p.Send(s, 1)
		equal(t, "letters", n, 3)
		equal(t, "counted", s.Stats().DeadLetters, uint64(3))
		s.Stop()
	}
}

// TestHook_Logged: a hook that panics each time is logged the 1st, 2nd, 4th … time in a minute.
func TestHook_Logged(t *testing.T) {
	var text bytes.Buffer
	s := Start(Config{Workers: 1, Logger: slog.New(slog.NewTextHandler(&text, nil)),
		Panic: func(PanicReport) { panic("in the hook") }, DeadLetters: func(DeadLetter) { panic("in the hook") }})
	defer s.Stop()
	for range 1000 {
		Spawn(s, func(*Self[int]) { panic("planted") }).Send(s, 1)
	}
	quiet(t, s)
	for _, hook := range []string{"Config.Panic", "Config.DeadLetters"} {
		equal(t, hook, strings.Count(text.String(), hook), 10)
	}
}
