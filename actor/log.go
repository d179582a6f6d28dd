package actor

import (
	"fmt"
	"log"
	"log/slog"
	"math/bits"
	"strings"

	"github.com/gallop-go/gallop/internal/seam"
)

// logSink is where a system reports: the standard logger, in lines for people, or a user's slog.
type logSink interface {
	debug(msg string, args ...any)
	warn(msg string, args ...any)
	fail(msg string, args ...any)
}

// slogSink is the sink of [Logger].
type slogSink struct{ l *slog.Logger }

func (s slogSink) debug(msg string, args ...any) { s.l.Debug(msg, args...) }
func (s slogSink) warn(msg string, args ...any)  { s.l.Warn(msg, args...) }
func (s slogSink) fail(msg string, args ...any)  { s.l.Error(msg, args...) }

// plainSink is the default: package log, which slog.SetDefault redirects. It has no use for what is
// for debugging.
type plainSink struct{}

func (plainSink) debug(string, ...any) {}

func (plainSink) warn(msg string, args ...any) { log.Print("WARN ", line(msg, args)) }
func (plainSink) fail(msg string, args ...any) { log.Print("ERROR ", line(msg, args)) }

// Logger returns a logger for the running actor, whose lines go where those of the
// system go ([Logger]; [slog.Default] if that is not set) and have the attributes type
// and id and, if the actor has them, name ([Context.Register]) and path ([Care]). It is
// made at the first call, and again when the actor gets its first name or gives it up;
// an actor that never calls Logger pays nothing for it. Unlike the Context, a logger may
// be kept and used anywhere.
func (c *Context) Logger() *slog.Logger {
	mustRun(c, "Logger")
	x := c.self.makeCold()
	if x.logger == nil {
		x.logger = c.newLogger()
	}
	return x.logger
}

func (c *Context) newLogger() *slog.Logger {
	l := slog.Default()
	if s, ok := c.sys.opts.log.(slogSink); ok {
		l = s.l
	}
	n := c.self.ownName()
	args := []any{"type", n.Type, "id", n.ID}
	if n.Name != "" {
		args = append(args, "name", n.Name)
	}
	if n.Path != "" {
		args = append(args, "path", n.Path)
	}
	return l.With(args...)
}

// log calls the user's logger.
func (s *System) log(f func(logSink)) {
	s.guard(loggerHook, func() { f(s.opts.log) })
}

// warn writes a warning to the log. Its arguments are put into words under guard, which sees to
// what they do.
func (s *System) warn(msg string, args ...any) {
	s.log(func(l logSink) { l.warn(msg, args...) })
}

// line writes pairs of keys and values behind a message, as slog's text does. Only a stack is
// written for people to read: below, and indented.
func line(msg string, args []any) string {
	for i := 0; i+1 < len(args); i += 2 {
		v := fmt.Sprint(args[i+1])
		if args[i] == "stack" {
			for l := range strings.Lines(v) {
				msg += "\n\t" + strings.TrimSuffix(l, "\n")
			}
			continue
		}
		if strings.ContainsAny(v, " \n\t\"=") {
			v = fmt.Sprintf("%q", v)
		}
		msg += fmt.Sprintf(" %v=%s", args[i], v)
	}
	return msg
}

// letterLog keeps dead letters, and reports of stalls, from flooding the log: the first, the
// second, the fourth, the eighth and so on are logged.
type letterLog struct{ n seam.Uint64 }

func (l *letterLog) next() (n uint64, ok bool) {
	n = l.n.Add(1)
	return n, bits.OnesCount64(n) == 1
}
