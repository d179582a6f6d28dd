package actor_test

import (
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Tests with thousands of behaviours that block: "a behaviour that blocks does not take its
// worker's other actors with it".

// TestAsk_ManyInTurns: three thousand behaviours ask one actor, which is free when all of them
// wait. All are answered, with contexts that end and contexts that do not.
func TestAsk_ManyInTurns(t *testing.T) {
	n := scaled(3000)
	for _, way := range []string{"Ask", "Deadline"} {
		t.Run(way, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			asked := puppetType.Spawn(sys, puppet{})
			free := make(chan struct{})
			do.Send(sys, asked, func(*puppet, *actor.Context) { <-free })
			var failed atomic.Int64
			for range n {
				do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
					if looked[way](c, asked, justReply) != nil {
						failed.Add(1)
					}
				})
			}
			eventually(t, "all wait", func() bool { return actor.CallersOf(sys) == n })
			close(free)
			quiet(t, sys)
			equal(t, "failed", failed.Load(), 0)
			equal(t, "lacked spares", sys.Stats().TooManyBlocked, 0)
		})
	}
}

// TestBlocking_Many: while ten thousand behaviours are in Blocking, another actor answers. When
// they have returned, all their messages are counted.
func TestBlocking_Many(t *testing.T) {
	n := scaled(10_000)
	sys := start(t, actor.WithWorkers(2))
	other := puppetType.Spawn(sys, puppet{n: 7})
	release := make(chan struct{})
	var in atomic.Int64
	for range n {
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			c.Blocking(func() { in.Add(1); <-release })
		})
	}
	eventually(t, "all block", func() bool { return in.Load() == int64(n) })
	for range 100 {
		v, err := value.Ask(soon(t), other, struct{}{})
		must(t, err)
		equal(t, "its answer", v, 7)
	}
	close(release)
	quiet(t, sys)
	st := sys.Stats()
	equal(t, "messages", st.Messages, uint64(n)+100)
	equal(t, "actors", st.Spawned, uint64(n)+1)
	equal(t, "lacked spares", st.TooManyBlocked, 0)
}

// TestAsk_TooManyBlocked: ErrTooManyBlocked: "the limit of [WithMaxBlocked] is reached: the caller
// would keep its worker from other actors. The request becomes a dead letter." A later request is
// answered, when an idle worker is free again.
func TestAsk_TooManyBlocked(t *testing.T) {
	for way, ask := range asksInTurn {
		t.Run(way, func(t *testing.T) {
			var dead letters
			var log lockedBuffer
			sys := start(t, actor.WithWorkers(1), actor.WithMaxBlocked(1), actor.WithLongTurn(time.Hour),
				actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))), dead.option())
			blocked, release := make(chan struct{}), make(chan struct{})
			do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
				c.Blocking(func() { close(blocked); <-release })
			})
			receive(t, "the one that blocks", blocked)
			caller, asked := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
			errs := make(chan error, 2)
			do.Send(sys, caller, func(_ *puppet, c *actor.Context) {
				errs <- ask(notSoLong(t), c, asked, justReply)
			})
			wants(t, receive(t, "the first outcome", errs), actor.ErrTooManyBlocked)
			eventually(t, "the log says so", func() bool {
				return strings.Contains(log.String(), "level=ERROR")
			})
			close(release)
			quiet(t, sys)
			do.Send(sys, caller, func(_ *puppet, c *actor.Context) {
				errs <- ask(notSoLong(t), c, asked, justReply)
			})
			must(t, receive(t, "the second outcome", errs))
			quiet(t, sys)
			if n := sys.Stats().TooManyBlocked; n == 0 {
				t.Error("nothing was counted")
			}
			if way == "AskAll" || way == "Replies" { // their requests run
				equal(t, "dead letters", dead.n.Load(), 0)
				return
			}
			equal(t, "dead letters", dead.n.Load(), 1)
			wants(t, dead.last.Load().Reason, actor.ErrTooManyBlocked)
		})
	}
}

// TestAsk_NoDetachedNeeded: a behaviour on a thread of its own, and code outside of behaviours,
// wait although all idle workers are in use.
func TestAsk_NoDetachedNeeded(t *testing.T) {
	sys := start(t, actor.WithWorkers(1), actor.WithMaxBlocked(1))
	blocked, release := make(chan struct{}), make(chan struct{})
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		c.Blocking(func() { close(blocked); <-release })
	})
	receive(t, "the one that blocks", blocked)
	asked := puppetType.Spawn(sys, puppet{})
	errs := make(chan error, 1)
	pinnedDo.Send(sys, pinnedType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		errs <- asksInTurn["Ask"](notSoLong(t), c, asked, justReply)
	})
	must(t, receive(t, "the outcome", errs))
	_, err := try.Ask(notSoLong(t), asked, justReply)
	must(t, err)
	close(release)
	quiet(t, sys)
}

// TestAsk_TooManyBlockedSeeded: a deterministic system returns the error too: a chain of asks needs
// an idle worker for each of its links.
func TestAsk_TooManyBlockedSeeded(t *testing.T) {
	for blocked, want := range map[int]error{1: actor.ErrTooManyBlocked, 2: nil} {
		sys := start(t, actor.WithDeterministic(1), actor.WithWorkers(1), actor.WithMaxBlocked(blocked))
		a, b, last := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys,
			puppet{}), puppetType.Spawn(sys, puppet{})
		errs := make([]error, 2)
		do.Send(sys, a, func(_ *puppet, c *actor.Context) {
			errs[0] = endless["Ask"](c, b, func(_ *puppet, c *actor.Context) (any, error) {
				errs[1] = endless["Ask"](c, last, justReply)
				return nil, nil
			})
		})
		endsQuiet(t, sys)
		must(t, errs[0])
		wants(t, errs[1], want)
	}
}
