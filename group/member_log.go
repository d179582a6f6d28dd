package group

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/loglimit"
)

// logFall says that a member has fallen. The logger is that of the pool, and has its path if it is
// the child of a supervisor.
func (a *MemberSupervisor) logFall(c *actor.Context, s *slot, f actor.ChildDown,
	delay time.Duration) {
	a.write(c, slog.LevelWarn, "gallop: member of a pool fell, and backs off", f.Type,
		f.Reason, "member", s.index, "member_type", f.Type, "member_id", f.ActorID,
		"falls_in_a_row", s.consecutive, "delay", delay)
}

// logLost says that a member that leaves is ended, with the mail that is left, since it cannot be
// started.
func (a *MemberSupervisor) logLost(c *actor.Context, s *slot, f actor.ChildDown) {
	a.write(c, slog.LevelError, "gallop: member that leaves its pool cannot be started, and ends", f.Type,
		f.Reason, "member", s.index, "member_type", f.Type, "member_id", f.ActorID)
}

// logEnd says that the pool ends because its members fall too often.
func (a *MemberSupervisor) logEnd(c *actor.Context, why error) {
	a.write(c, slog.LevelError, "gallop: members of a pool fell too often, and it ends", "", why)
}

// write writes a line about members of a type, unless the log has had many of the pool in the last
// minute. Only then it asks for the text of the reason, in a goroutine of its own.
func (a *MemberSupervisor) write(c *actor.Context, level slog.Level, msg, typ string, reason error,
	args ...any) {
	pool := a.pool
	if pool == 0 {
		pool = actor.Self[MemberSupervisor](c).ID() // an AskPool has no other actor
	}
	n, write := access.MayLog(c.System(),
		loglimit.Key{Line: msg, Type: typ, Where: strconv.FormatUint(pool, 10)})
	if !write {
		return
	}
	args = append(args, "reason", guard.Text(reason))
	if n > 1 {
		args = append(args, "so_far", n)
	}
	l := a.log
	if l == nil {
		l = c.Logger()
	}
	access.Guard(c.System(), "Logger", func() { l.Log(context.Background(), level, msg, args...) })
}
