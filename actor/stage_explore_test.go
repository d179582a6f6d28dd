//go:build gallop_explore

package actor

import (
	"context"
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// stage is a whole system under exploration. Actors, their parts and their turns are those of
// production. Two threads stand in for its workers, one turn after the other
// (sched/manual_explore.go). The other threads act from outside. Nodes are not reused, because Go's
// pools return them by chance; TestMailbox_Explored covers that.
type stage struct {
	p    *explore.Program
	sys  *System
	crew []*sched.Worker
}

func newStage(p *explore.Program, opts ...Option) stage {
	s := stage{p: p, sys: Start(append(opts, WithWorkers(2))...)}
	s.crew = s.sys.kernel().Manual()
	return s
}

// tidyUp runs everything that can run. It is called outside of threads.
func (s *stage) tidyUp() { explore.RunAll(s.crew) }

// man gives each worker its thread.
func (s *stage) man() { explore.Man(s.p, s.crew) }

// resting checks that nothing is queued or held, and that calls that wait for quiescence are let
// go.
func (s *stage) resting() error {
	if !s.sys.kernel().Sched.ParkAll() {
		return errors.New("there is work left, and nobody does it")
	}
	if n, ok := s.sys.kernel().Sched.OnlyHolds(); n != 0 || !ok {
		return fmt.Errorf("%d holds left, quiet but for them: %v", n, ok)
	}
	return s.sys.Wait(context.Background())
}

// allEnded checks that after the end of the system every actor that was spawned has ended.
func (s *stage) allEnded() error {
	spawned, ended := s.sys.kernel().Outside.Spawned.Load(), s.sys.kernel().Outside.Stopped.Load()
	for _, w := range s.crew {
		n := &w.Local().(*kernel.Turn).Count
		spawned, ended = spawned+n.Spawned.Load(), ended+n.Stopped.Load()
	}
	if spawned != ended {
		return fmt.Errorf("%d were spawned, %d have ended", spawned, ended)
	}
	return nil
}

// heard is a handler of outcomes that go to a channel. The channel has room.
type heard[R any] chan Result[R]

func (h heard[R]) Own(guard.Mark) {}

func (h heard[R]) Send(_ Sender, res Result[R]) { h <- res }

func (h heard[R]) TrySend(_ Sender, res Result[R]) error { h <- res; return nil }

// askInto sends a request from outside, as package bridge does. The outcome goes to replies.
func askInto[S, Q, R any](ctx context.Context, b AskBehaviour[S, Q, R], to Ref[S], q Q,
	replies chan Result[R]) {
	b.To(to).(*askedActor[Q, R]).AskFor(ctx, to.target().Sys(), nil, q, new(seam.Bool), heard[R](replies))
}
