package group

import (
	"context"
	"log/slog"
	"math/bits"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/guard"
)

// logSpan is the span of time in which the falls of a member are counted for the log, as those of a
// supervisor's children are.
const logSpan = time.Minute

// fallCount counts the falls of a member for the log.
type fallCount struct {
	n     int
	since time.Time
}

// logs counts a fall, and reports whether it is to be logged: the first, second, fourth, eighth and
// so on of a minute.
func (f *fallCount) logs(now time.Time) bool {
	if f.n == 0 || now.Sub(f.since) >= logSpan {
		*f = fallCount{since: now}
	}
	f.n++
	return bits.OnesCount(uint(f.n)) == 1
}

// logFall says that a member has fallen. The logger is that of the pool, and has its path if it is
// the child of a supervisor.
func (a *MemberSupervisor) logFall(c *actor.Context, s *slot, f actor.ChildDown,
	delay time.Duration) {
	if s.logged.logs(c.Now()) {
		a.write(c, slog.LevelWarn, "gallop: member of a pool fell, and backs off", "member", s.index,
			"member_type", f.Type, "member_id", f.ActorID, "reason", guard.TextApart(f.Reason),
			"falls_in_a_row", s.consecutive, "delay", delay)
	}
}

// logEnd says that the pool ends because its members fall too often.
func (a *MemberSupervisor) logEnd(c *actor.Context, why error) {
	a.write(c, slog.LevelError, "gallop: members of a pool fell too often, and it ends",
		"reason", guard.TextApart(why))
}

func (a *MemberSupervisor) write(c *actor.Context, level slog.Level, msg string, args ...any) {
	l := a.log
	if l == nil {
		l = c.Logger() // an AskPool has no other actor
	}
	access.Guard(c.System(), "Logger", func() { l.Log(context.Background(), level, msg, args...) })
}
