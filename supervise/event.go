package supervise

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/loglimit"
)

// EventKind is the kind of an [Event] in a supervision tree.
type EventKind uint8

// The kinds of events.
const (
	// ChildFailed: a child that was up has failed, and will be restarted after Delay; at once if that
	// is 0.
	ChildFailed EventKind = iota
	// StartFailed: a child did not come up: its init or OnStart failed, or, for a supervisor, one
	// of its children did. It is retried after Delay, unless a caller waits for the start: see
	// [StartWait], [StartChild] and [RestartChild].
	StartFailed
	// ChildRestarted: a child is up again.
	ChildRestarted
	// GivenUp: there were too many restarts ([Intensity]), or Decide said so. The Path is that of
	// the child that is not restarted any more, or of the supervisor that ends with its children. A
	// supervisor's Reason is an *[EscalationError].
	GivenUp
	// ChildEnded: a child has ended by itself and is not restarted: it is Temporary, or it is
	// Transient and its end was normal, or Decide said so. Or the root has ended, for any reason.
	ChildEnded
	// ChildOverdue: a child was told to end, or to go down with others, had not done so by the
	// deadline of its Stop, and was killed. Reason wraps [actor.ErrKilled].
	ChildOverdue
)

// String returns the name of the kind, in lower case.
func (k EventKind) String() string {
	return nameIn(int(k), "failed", "failed to start", "restarted", "gave up", "ended",
		"was killed at its deadline")
}

// Event is a change of a child or of a supervisor: see OnEvent of [Spec].
type Event struct {
	// Kind is the kind of the change.
	Kind EventKind
	// Path names the child from the root on, as in "app/sessions/bob". Type is its actor type.
	Path, Type string
	// Ref is the child's actor; zero if that actor has ended.
	Ref actor.AnyRef
	// Reason is why the child failed or ended; nil for a normal end, and for ChildRestarted.
	Reason error
	// Restarts is how often the child was restarted after a failure, this restart included.
	Restarts int
	// Delay is the time until the restart.
	Delay time.Duration
	// Time is when it happened, by the system's clock.
	Time time.Time
}

// String returns the event in one line.
func (e Event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s) %v", e.Path, e.Type, e.Kind)
	if e.Reason != nil {
		fmt.Fprintf(&b, ": %s", shorten.Replace(guard.Text(e.Reason)))
	}
	if e.Restarts > 0 {
		fmt.Fprintf(&b, "; restarts: %d", e.Restarts)
	}
	if e.Delay > 0 {
		fmt.Fprintf(&b, "; restart in %v", e.Delay)
	}
	return b.String()
}

// newEvent makes an event about a child, without Reason and Delay.
func (s *supervisor) newEvent(c *actor.Context, what EventKind, ch *child) Event {
	return Event{Kind: what, Path: s.pathOf(ch), Type: ch.spec.typeName, Ref: ch.ref,
		Restarts: ch.restarts, Time: c.Now()}
}

// pathOf returns the path of a child.
func (s *supervisor) pathOf(ch *child) string {
	if ch.name == "" {
		return s.path + "/" + ch.spec.typeName // it has no name until it is spawned
	}
	return s.path + "/" + ch.name
}

// placeOf returns the place of a child in the tree, for the log: the path, but with the type in place
// of the name of a child that was added later. So children that come and go have one place.
func (s *supervisor) placeOf(ch *child) string {
	if ch.declared {
		return s.place + "/" + ch.name
	}
	return s.place + "/" + ch.spec.typeName
}

// reportFailure logs and publishes that a child has failed, or has not come up.
func (s *supervisor) reportFailure(c *actor.Context, what EventKind, ch *child,
	delay time.Duration) {
	e := s.newEvent(c, what, ch)
	e.Reason, e.Delay = ch.lastReason, delay
	cold := ch.makeCold()
	cold.lastTime = e.Time
	msg := "gallop: child failed, and is restarted"
	switch {
	case what == StartFailed:
		msg = "gallop: child failed to start"
	case delay > 0:
		msg = "gallop: child failed, and backs off"
	}
	cold.logged = e.log(c, slog.LevelWarn, msg, s.placeOf(ch))
	s.callOnEvent(c, e)
}

// reportRestarted publishes that a child is up again. It is logged if the failure before it was.
func (s *supervisor) reportRestarted(c *actor.Context, ch *child) {
	e := s.newEvent(c, ChildRestarted, ch)
	if ch.failed && ch.makeCold().logged {
		e.write(c, slog.LevelWarn, "gallop: child restarted")
	}
	ch.failed = false
	s.callOnEvent(c, e)
}

// reportEnd logs and publishes that a child has ended, or ends, and is not restarted.
func (s *supervisor) reportEnd(c *actor.Context, what EventKind, ch *child) {
	e := s.newEvent(c, what, ch)
	e.Reason = ch.lastReason
	ch.makeCold().lastTime = e.Time
	if what == GivenUp {
		e.log(c, slog.LevelError, "gallop: child failed too often, and is not restarted", s.placeOf(ch))
	} else if !actor.IsNormal(ch.lastReason) {
		e.log(c, slog.LevelWarn, "gallop: child ended, and is not restarted", s.placeOf(ch))
	}
	s.callOnEvent(c, e)
}

// reportSelf logs and publishes that the supervisor itself gives up, or has ended as a root.
func (s *supervisor) reportSelf(c *actor.Context, what EventKind, reason error) {
	e := Event{Kind: what, Path: s.path, Type: supervisorType.Name(), Reason: reason,
		Ref: actor.Self[supervisor](c).Any(), Time: c.Now()}
	if what == GivenUp {
		e.log(c, slog.LevelError, "gallop: supervisor gave up", s.place)
	} else if !actor.IsNormal(reason) {
		e.log(c, slog.LevelError, "gallop: a supervision tree has ended", s.place)
	}
	s.callOnEvent(c, e)
}

// reportLate logs and publishes that a child was killed because it had not ended in time.
func (e Event) reportLate(c *actor.Context, hook func(Event), within time.Duration,
	place string) {
	e.Reason = fmt.Errorf("gallop: supervise: not ended within %v: %w", within, actor.ErrKilled)
	e.log(c, slog.LevelWarn, "gallop: child was killed at its deadline", place)
	e.publish(c, hook)
}

// callOnEvent calls OnEvent, if there is one. A panic in it is logged.
func (s *supervisor) callOnEvent(c *actor.Context, e Event) { e.publish(c, s.spec.onEvent) }

// publish calls a hook of events, if there is one. A panic in it is logged.
func (e Event) publish(c *actor.Context, hook func(Event)) {
	if hook != nil {
		kernel.SystemOf(c).Guard("OnEvent", func() { hook(e) })
	}
}

// log writes an event to the log of the system, unless many of the same place and type were written
// in the last minute. It reports whether it did.
func (e Event) log(c *actor.Context, level slog.Level, msg, place string) bool {
	n, write := kernel.SystemOf(c).MayLogOf(loglimit.Key{Line: msg, Type: e.Type, Where: place})
	if !write {
		return false
	}
	var more []any
	if n > 1 {
		more = []any{"so_far", n}
	}
	e.write(c, level, msg, more...)
	return true
}

// write writes an event to the log of the system.
func (e Event) write(c *actor.Context, level slog.Level, msg string, more ...any) {
	args := []any{"child", e.Path, "child_type", e.Type}
	if e.Kind != ChildRestarted {
		args = append(args, "reason", guard.Text(e.Reason))
	}
	if args = append(args, "restarts", e.Restarts); e.Kind == ChildFailed || e.Kind == StartFailed {
		args = append(args, "delay", e.Delay)
	}
	args = append(args, more...)
	l := c.Logger()
	kernel.SystemOf(c).Guard("Logger", func() { l.Log(context.Background(), level, msg, args...) })
}
