package supervise

import (
	"context"
	"fmt"
	"log/slog"
	"math/bits"
	"strings"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// EventKind says what has happened in a tree.
type EventKind uint8

// The kinds of events.
const (
	// Fell: a child that was up has fallen, and will be restarted after Delay; at once if that
	// is 0.
	Fell EventKind = iota
	// StartFailed: a child did not come up: its init or OnStart failed, or one of the children
	// of a supervisor did. It will be tried again after Delay, unless somebody waits for the start:
	// see [StartWait], [StartChild] and [RestartChild].
	StartFailed
	// Restarted: a child is up again.
	Restarted
	// GaveUp: there were too many restarts ([Intensity]), or Decide said so. The Path is that
	// of the child that ends for good, or of the supervisor that ends with its children. A
	// supervisor's Reason is an *[EscalationError].
	GaveUp
	// Ended: a child has ended by itself and is not restarted: it is Temporary, or it is Transient
	// and its end was normal, or Decide said so. Or the root has ended, whatever for.
	Ended
)

// String returns the name of the kind, in lower case.
func (k EventKind) String() string {
	return nameIn(int(k), "fell", "failed to start", "restarted", "gave up", "ended")
}

// Event is what has happened to a child, or to a supervisor: see OnEvent of [Spec].
type Event struct {
	// Kind says what has happened.
	Kind EventKind
	// Path names the child from the root on, as in "app/sessions/bob". Type is its actor type.
	Path, Type string
	// Ref is the child's actor. It is zero if that has ended.
	Ref actor.AnyRef
	// Reason is why it fell or ended; nil for a normal end, and for Restarted.
	Reason error
	// Restarts is how often it was restarted because it had fallen, this one included.
	Restarts int
	// Delay is how long the restart is put off.
	Delay time.Duration
	// Time is when it happened, by the runtime's clock.
	Time time.Time
}

// String says it in one line.
func (e Event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s) %v", e.Path, e.Type, e.Kind)
	if e.Reason != nil {
		fmt.Fprintf(&b, ": %s", shorten.Replace(e.Reason.Error()))
	}
	if e.Restarts > 0 {
		fmt.Fprintf(&b, "; restarts: %d", e.Restarts)
	}
	if e.Delay > 0 {
		fmt.Fprintf(&b, "; put off by %v", e.Delay)
	}
	return b.String()
}

// logSpan is the span of time in which the falls of a child are counted for the log.
const logWindow = time.Minute

// logs reports whether a child's fall is logged: the first, second, fourth, eighth and so on of a
// minute.
func (ch *child) shouldLog(now time.Time) bool {
	cold := ch.makeCold()
	if cold.failures == 0 || now.Sub(cold.countedSince) >= logWindow {
		cold.failures, cold.countedSince = 0, now
	}
	cold.failures++
	cold.lastLogged = bits.OnesCount(uint(cold.failures)) == 1
	return cold.lastLogged
}

// eventOf fills in what is known of a child.
func (s *supervisor) newEvent(c *actor.Context, what EventKind, ch *child) Event {
	return Event{Kind: what, Path: s.pathOf(ch), Type: ch.spec.typeName, Ref: ch.ref,
		Restarts: ch.restarts, Time: c.Now()}
}

// pathOf returns the path of a child.
func (s *supervisor) pathOf(ch *child) string {
	if ch.name == "" {
		return s.path + "/" + ch.spec.typeName // it has not got a name yet
	}
	return s.path + "/" + ch.name
}

// reportFall tells of a child that has fallen, or has not come up.
func (s *supervisor) reportFailure(c *actor.Context, what EventKind, ch *child,
	delay time.Duration) {
	e := s.newEvent(c, what, ch)
	e.Reason, e.Delay = ch.lastReason, delay
	ch.makeCold().lastTime = e.Time
	if ch.shouldLog(c.Now()) {
		msg := "gallop: child fell, and is restarted"
		switch {
		case what == StartFailed:
			msg = "gallop: child failed to start"
		case delay > 0:
			msg = "gallop: child fell, and backs off"
		}
		e.log(c, slog.LevelWarn, msg)
	}
	s.callOnEvent(c, e)
}

// reportUp tells of a child that is up again. It is logged if its fall was.
func (s *supervisor) reportRestarted(c *actor.Context, ch *child) {
	e := s.newEvent(c, Restarted, ch)
	if ch.failed && ch.makeCold().lastLogged {
		e.log(c, slog.LevelWarn, "gallop: child restarted")
	}
	ch.failed = false
	s.callOnEvent(c, e)
}

// reportEnd tells of a child that has ended, or ends, for good.
func (s *supervisor) reportEnd(c *actor.Context, what EventKind, ch *child) {
	e := s.newEvent(c, what, ch)
	e.Reason = ch.lastReason
	ch.makeCold().lastTime = e.Time
	if what == GaveUp {
		e.log(c, slog.LevelError, "gallop: child fell too often, and is not restarted")
	} else if !actor.IsNormal(ch.lastReason) {
		e.log(c, slog.LevelWarn, "gallop: child ended, and is not restarted")
	}
	s.callOnEvent(c, e)
}

// reportSelf tells of the supervisor itself: it gives up, or has ended as a root.
func (s *supervisor) reportSelf(c *actor.Context, what EventKind, reason error) {
	e := Event{Kind: what, Path: s.path, Type: supervisorType.Name(), Reason: reason,
		Ref: actor.Self[supervisor](c).Any(), Time: c.Now()}
	if what == GaveUp {
		e.log(c, slog.LevelError, "gallop: supervisor gave up")
	} else if !actor.IsNormal(reason) {
		e.log(c, slog.LevelError, "gallop: a supervision tree has ended")
	}
	s.callOnEvent(c, e)
}

// tellHook calls OnEvent.
func (s *supervisor) callOnEvent(c *actor.Context, e Event) {
	if f := s.spec.onEvent; f != nil {
		actor.Guard(c.System(), "OnEvent", func() { f(e) })
	}
}

// log writes an event to the log of the system.
func (e Event) log(c *actor.Context, level slog.Level, msg string) {
	args := []any{"child", e.Path, "child_type", e.Type}
	if e.Kind != Restarted {
		args = append(args, "reason", fmt.Sprint(e.Reason))
	}
	if args = append(args, "restarts", e.Restarts); e.Kind == Fell || e.Kind == StartFailed {
		args = append(args, "delay", e.Delay)
	}
	l := c.Logger()
	actor.Guard(c.System(), "Logger", func() { l.Log(context.Background(), level, msg, args...) })
}
