package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/gallop-go/gallop/actor"
)

// watch are the options of a system that reports to trouble what no scenario does when all is well: a panic, or a
// message that could not be run. One is enough: the turn is over then, and the counters tell of the others.
func watch(trouble chan<- error) []actor.Option {
	report := func(format string, about any) {
		select {
		case trouble <- fmt.Errorf(format, about):
		default:
		}
	}
	return []actor.Option{
		actor.OnPanic(func(p actor.PanicReport) { report("a behaviour panicked: %+v", p) }),
		actor.Logger(slog.New(alarm{slog.Default().Handler(), report})),
	}
}

// An alarm is what the runtime logs to. It reports the dead letters, and leaves all else to the standard logger.
//
// To see each letter (OnDeadLetter) would cost a goroutine a letter, and millions of messages are left when a turn is cut
// short: Ctrl-C would take half a minute. Of those that are logged there are 1, 2, 4, 8 and so on.
type alarm struct {
	slog.Handler
	report func(format string, about any)
}

const letterLogged = "gallop: dead letter" // what the runtime logs of one

func (a alarm) Handle(ctx context.Context, r slog.Record) error {
	if r.Message != letterLogged {
		return a.Handler.Handle(ctx, r)
	}
	var about string
	r.Attrs(func(of slog.Attr) bool { about += " " + of.String(); return true })
	a.report("a message was not run:%s", about)
	return nil
}
