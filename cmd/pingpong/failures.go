package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"

	"github.com/gallop-go/gallop/actor"
)

// watchOptions returns the options of a system that reports to trouble what no scenario does when
// all is well: a panic, or a message that could not be run. One report is enough: then the turn is
// over, and the counters tell of the others.
func watchOptions(trouble chan<- error) []actor.Option {
	report := func(format string, about any) {
		select {
		case trouble <- fmt.Errorf(format, about):
		default:
		}
	}
	return []actor.Option{
		actor.OnPanic(func(p actor.PanicReport) { report("a behaviour panicked: %+v", p) }),
		actor.Logger(slog.New(failureLog{slog.Default().Handler(), report})),
	}
}

// An failureLog is what the runtime logs to. It reports dead letters, and prints everything else, a
// stack as a stack.
//
// Seeing each letter (OnDeadLetter) would cost a goroutine per letter, and millions of messages are
// left when a turn is cut short: Ctrl-C would take half a minute. Of the letters, the 1st, 2nd,
// 4th, 8th and so on are logged.
type failureLog struct {
	slog.Handler // for all but Handle
	report       func(format string, about any)
}

const letterLogged = "gallop: dead letter" // what the runtime logs of one

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
