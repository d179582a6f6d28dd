package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"

	"github.com/gallop-go/gallop/actor"
)

// watchOptions returns the options of a system that reports failures to trouble: a panic, or a dead
// letter. One report is enough: it ends the turn, and the counters have the rest.
func watchOptions(trouble chan<- error) []actor.Option {
	report := func(format string, about any) {
		select {
		case trouble <- fmt.Errorf(format, about):
		default:
		}
	}
	return []actor.Option{
		actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) {
			report("a behaviour panicked: %+v", p)
		}}),
		actor.WithLogger(slog.New(failureLog{slog.Default().Handler(), report})),
	}
}

// A failureLog is the log handler of the system. It reports dead letters, and prints everything
// else.
//
// Hooks.DeadLetter is not used: it costs a goroutine per dead letter, and millions of messages are
// left when a turn is interrupted, so Ctrl-C would take half a minute. The log has only the 1st,
// 2nd, 4th, 8th and so on.
type failureLog struct {
	slog.Handler // for all but Handle
	report       func(format string, about any)
}

const letterLogged = "gallop: dead letter" // the runtime's log line for a dead letter

func (a failureLog) Handle(_ context.Context, r slog.Record) error {
	var about string
	r.Attrs(func(of slog.Attr) bool { about += " " + of.String(); return true })
	if r.Message == letterLogged {
		a.report("a message was not run:%s", about)
	} else {
		log.Print(r.Level, " ", r.Message, about)
	}
	return nil
}
