package kernel

import (
	"fmt"
	"log"
	"log/slog"
	"strings"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/loglimit"
)

// logSink is where a system reports: the standard logger, in lines for people, or a user's slog.
type logSink interface {
	debug(msg string, args ...any)
	warn(msg string, args ...any)
	fail(msg string, args ...any)
}

// SlogSink is the sink of actor.WithLogger.
type SlogSink struct{ L *slog.Logger }

func (s SlogSink) debug(msg string, args ...any) { s.L.Debug(msg, args...) }

func (s SlogSink) warn(msg string, args ...any) { s.L.Warn(msg, args...) }

// fail logs an error.
func (s SlogSink) fail(msg string, args ...any) { s.L.Error(msg, args...) }

// plainSink is the default: package log, which slog.SetDefault redirects. It drops lines that are
// for debugging.
type plainSink struct{}

func (plainSink) debug(string, ...any) {}

func (plainSink) warn(msg string, args ...any) { log.Print("WARN ", line(msg, args)) }

// fail logs an error.
func (plainSink) fail(msg string, args ...any) { log.Print("ERROR ", line(msg, args)) }

// Logger implements actor.Context.Logger.
func (c *Turn) Logger() *slog.Logger {
	MustRun(c, "Logger")
	x := c.Self.MakeCold()
	if x.logger == nil {
		x.logger = c.newLogger()
	}
	return x.logger
}

func (c *Turn) newLogger() *slog.Logger {
	l := slog.Default()
	if s, ok := c.Sys.Opts.Log.(SlogSink); ok {
		l = s.L
	}
	with := l // if its Handler panics
	guard.Apart(func() { with = l.With(c.Self.ownName().attrs()...) })
	return with
}

// log calls f with the user's logger.
func (s *System) log(f func(logSink)) {
	s.Guard(loggerHook, func() { f(s.Opts.Log) })
}

// warn writes a warning to the log. The methods of the arguments, by which they are formatted, are
// foreign code. So they are called within guard.
func (s *System) warn(msg string, args ...any) {
	s.log(func(l logSink) { l.warn(msg, args...) })
}

// line writes a message and then pairs of keys and values, as slog's text does. A stack is written
// below, and indented, so that people can read it.
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

// mayLog counts a line that many actors may cause at once, and reports whether it is to be written:
// see package loglimit. It returns how many there were in this minute. Any goroutine.
func (s *System) mayLog(line, typ, where string) (soFar uint64, write bool) {
	return s.MayLogOf(loglimit.Key{Line: line, Type: typ, Where: where})
}

// MayLogOf counts a line of the log that many actors may cause at once, and reports whether it is
// to be written: see loglimit.Limit.Next. Any goroutine.
func (s *System) MayLogOf(k loglimit.Key) (soFar uint64, write bool) {
	return s.lines.Next(k, s.Opts.Clock.Nanos())
}

// Reports and logs name an actor. An actor of one type among thousands is known by its number, by
// the name that it has registered, or by its place in a tree of supervisors.

// ActorName is actor.ActorName, which documents it.
type ActorName struct {
	Type string
	ID   uint64
	Name string
	Path string
}

// String returns the type and the number, as in "socket#4".
func (n ActorName) String() string { return fmt.Sprintf("%s#%d", n.Type, n.ID) }

// Describe adds the path or, if there is none, the name, as in "socket#4 (app/sockets/4)".
func (n ActorName) Describe() string {
	switch {
	case n.Path != "":
		return n.String() + " (" + n.Path + ")"
	case n.Name != "":
		return n.String() + " (" + n.Name + ")"
	}
	return n.String()
}

// LogValue implements slog.LogValuer: a group with actor, which is the number, type and, if the
// actor has them, name and path, as the log of the system has them.
func (n ActorName) LogValue() slog.Value {
	var r slog.Record
	r.Add(n.attrs()...)
	all := make([]slog.Attr, 0, r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool { all = append(all, a); return true })
	return slog.GroupValue(all...)
}

// attrs returns the keys and values of a log line that is about the actor.
func (n ActorName) attrs(more ...any) []any {
	args := []any{"actor", n.ID, "type", n.Type}
	if n.Name != "" {
		args = append(args, "name", n.Name)
	}
	if n.Path != "" {
		args = append(args, "path", n.Path)
	}
	return append(args, more...)
}

// ActorName returns the name of the actor. It costs a look at a map. Any goroutine.
func (a *Cell) ActorName() ActorName {
	return ActorName{Type: a.Typ().Name, ID: a.ID, Name: knownAs(a), Path: a.path()}
}

// ownName is ActorName for the owner, which also knows the name that the actor has just given back.
func (a *Cell) ownName() ActorName {
	n := a.ActorName()
	if n.Name == "" && a.Cold != nil {
		n.Name = a.Cold.lastName
	}
	return n
}

// knownAs returns the actor's first name, or "" if it has no name. If the mailbox is closed, it
// returns the first name that the actor had. It reads that from the cold state, which does not
// change after the mailbox was closed. Any goroutine.
func knownAs(a *Cell) string {
	if name, ok := a.Sys().Names.of.Load(a); ok {
		return name.(string)
	}
	if a.Box.Closed() {
		return a.Cold.lastName
	}
	return ""
}

// path returns the actor's place under its supervisor. The cold state of a supervised actor is
// made before its ref is known. Any goroutine.
func (a *Cell) path() string {
	if !a.Supervised {
		return ""
	}
	return a.Cold.Path
}

// loggerHook is the one hook whose crashes cannot be logged.
const loggerHook = "Logger"

// Guard keeps a panic or a Goexit in a user's hook from doing harm. The hook has a goroutine of its
// own: nothing stops a Goexit, such as that of a test that fails in the hook, and the calling
// goroutine may be a worker. The caller waits for the hook. Any goroutine.
func (s *System) Guard(hook string, f func()) {
	s.Sched.Lend(1)
	ended := make(chan any) // nothing: well
	go func() {
		var v any = "runtime.Goexit"
		defer func() {
			if r := recover(); r != nil {
				v = r
			}
			ended <- v
		}()
		f()
		v = nil
	}()
	if v := <-ended; v != nil && hook != loggerHook {
		s.logHookPanic(hook, v)
	}
	s.Sched.Lend(-1)
}

// logHookPanic logs that a user's function has panicked.
func (s *System) logHookPanic(hook string, v any) {
	const line = "gallop: panic in a hook"
	if n, write := s.mayLog(line, "", hook); write {
		s.log(func(l logSink) { l.fail(line, "hook", hook, "value", guard.Text(v), "so_far", n) })
	}
}
