package process

import (
	"bytes"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/internal/loglimit"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// PanicReport describes a process that panicked or called runtime.Goexit.
type PanicReport struct {
	// Process is the process.
	Process Process
	// Type is the type that it was given by [WithType], or "process".
	Type string
	// Names are the names that it had.
	Names []string
	// Value is the value of the panic; nil for a Goexit.
	Value any
	// Goexit says that the process called runtime.Goexit.
	Goexit bool
	// Stack is the stack of the process at that moment; empty for a Goexit.
	Stack []byte
}

// Stats has the counts of a system since its start.
type Stats struct {
	Panics      uint64 // processes that panicked or called runtime.Goexit
	DeadLetters uint64 // messages that no process received
	BestEffort  uint64 // dead letters to processes WithBestEffort
}

// Stats returns the system's counts. They count processes only, even if the system is joined to a
// system of actors.
func (s *System) Stats() Stats {
	s.mustBeReady("Stats")
	return Stats{Panics: s.reports.panics.Load(), DeadLetters: s.reports.letters.Load(),
		BestEffort: s.reports.bestEffort.Load()}
}

// reports has the hooks and counts of failures. The functions are the user's, and read-only.
type reports struct {
	dead     func(DeadLetter)
	panicked func(PanicReport)
	logger   *slog.Logger // nil: slog.Default

	panics, letters, bestEffort seam.Uint64
	lines                       loglimit.Limit
}

const panicLine = "gallop: process panicked"

// whereOf returns the line of code of a panic: the line after the last panic call of its stack.
func whereOf(stack []byte) string {
	const call = "\npanic("
	_, after, _ := strings.Cut(string(stack[max(0, bytes.LastIndex(stack, []byte(call))):]), call)
	lines := strings.SplitN(after, "\n", 5)
	if len(lines) < 4 {
		return ""
	}
	return strings.TrimSpace(lines[3])
}

// who names the process for reports of the actors' system.
func (p *Proc) who() joint.ProcessName {
	n := joint.ProcessName{ID: p.id, Type: p.typeName()}
	if names := p.namesOf(); len(names) > 0 {
		n.Name = names[0]
	}
	return n
}

// reportCrash tells of a panic of the process, or of a function that it has given others to call. Any
// goroutine.
func (p *Proc) reportCrash(c *sched.Crash) {
	s := p.sys
	s.reports.panics.Add(1)
	names := p.namesOf()
	if actors := s.joined.actors; actors != nil {
		actors.PanickedProcess(p.who(), c)
		return
	}
	if f := s.reports.panicked; f != nil {
		s.guard("Config.Panic", func() {
			f(PanicReport{Process: Process{p}, Type: p.typeName(), Names: names, Value: c.Value, Goexit: c.Goexit,
				Stack: c.Stack})
		})
		return
	}
	n, write := s.reports.lines.Next(loglimit.Key{Line: panicLine, Type: p.typeName(),
		Where: whereOf(c.Stack)}, s.clock.Nanos())
	if write {
		s.fail(panicLine, "process", p.id, "type", p.typeName(), "names", names,
			"value", guard.Text(c.Value), "goexit", c.Goexit, "so_far", n, "stack", string(c.Stack))
	}
}

// fail writes an error to the log.
func (s *System) fail(what string, args ...any) {
	guardCall(s.sched, func() {
		l := s.reports.logger
		if l == nil {
			l = slog.Default()
		}
		l.Error(what, args...)
	})
}

// guard calls a hook of the user's. Its panic is logged.
func (s *System) guard(hook string, f func()) {
	c := guardCall(s.sched, f)
	if c == nil {
		return
	}
	const line = "gallop: panic in a hook"
	n, write := s.reports.lines.Next(loglimit.Key{Line: line, Where: hook}, s.clock.Nanos())
	if write {
		s.fail(line, "hook", hook, "value", guard.Text(c), "so_far", n)
	}
}

// guardCall calls code of the user's that belongs to no process, and returns how it ended if it did
// not return. The code has a goroutine of its own, since nothing stops a Goexit, and the caller may
// be a worker. The caller waits.
func guardCall(workers *sched.Scheduler, f func()) (crash *sched.Crash) {
	workers.Lend(1)
	ended := make(chan *sched.Crash)
	go func() {
		c := &sched.Crash{Goexit: true}
		defer func() {
			if v := recover(); v != nil {
				c = &sched.Crash{Value: v, Stack: debug.Stack()}
			}
			ended <- c
		}()
		f()
		c = nil
	}()
	crash = <-ended
	workers.Lend(-1)
	return crash
}
