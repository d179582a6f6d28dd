//go:build gallop_explore

package actors

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/sched"
)

// stage is a whole system under exploration, with actors and processes. Two threads stand in for
// its workers, one turn after the other: see sched/manual_explore.go.
type stage struct {
	sys    *actor.System
	procs  *process.System
	crew   []*sched.Worker
	unwind func() // ends all processes
}

func newStage() *stage {
	s := &stage{sys: actor.Start(actor.WithWorkers(2))}
	sys := kernel.SystemOf(s.sys)
	processes := sys.JoinProcesses(parts.StartOn)
	s.procs, s.unwind = parts.SystemOf(processes), processes.Unwind
	s.crew = sys.ManualUnwatched()
	return s
}

// sink is an actor that applies and releases pressure as it is told.
type sink struct{ got int }

var (
	sinkType  = actor.NewType[sink]("sink")
	sinkPress = actor.Declare[bool](sinkType, "press")
	sinkTake  = actor.Declare[int](sinkType, "take")
	_         = sinkType.Table(sinkTake.Handle(func(s *sink, _ *actor.Context, _ int) { s.got++ }),
		sinkPress.Handle(func(_ *sink, c *actor.Context, on bool) {
			if on {
				c.ApplyPressure()
			} else {
				c.ReleasePressure()
			}
		}))
)

// TestOrders_Explored: the proxy of a process is told to end at any moment while the process waits
// for its turns. It waits in a send to an actor under pressure, which is never released, and,
// deferred, in another send and an Unlink. Every wait ends, each message is sent once, and the
// proxy lives on while the process does. The process does not end, since an ending coroutine is no
// part of a schedule.
func TestOrders_Explored(t *testing.T) {
	for _, o := range []ordered{
		{name: "one", orders: orders{actor.Stop}},
		{name: "two", orders: orders{actor.Stop, actor.Drain}},
	} {
		t.Run(o.name, func(t *testing.T) {
			for _, s := range []explore.Strategy{
				explore.Bounded(1, 5000), explore.Random(1, 1000), explore.PCT(3, 1, 1000),
			} {
				explore.Run(t, explore.Config{Strategy: s}, o.play)
			}
			if o.muted == 0 || o.muted == o.runs {
				t.Errorf("muted in %d schedules of %d: want some and not all", o.muted, o.runs)
			}
		})
	}
}

// orders are given by a thread each.
type orders []func(from actor.Sender, to actor.Target)

// ordered is one course of the scenario.
type ordered struct {
	name   string
	orders orders

	runs, muted int // schedules
}

// toldToEnd is a process whose actor is told to end, and those around it.
type toldToEnd struct {
	*ordered
	*stage
	gate         *process.Chan[int]
	sink, friend actor.Ref[sink]
	unwound      bool
}

func (o *ordered) play(p *explore.Program) {
	s := &toldToEnd{ordered: o, stage: newStage(), gate: process.NewChan[int](1)}
	s.sink, s.friend = sinkType.Spawn(s.sys, sink{}), sinkType.Spawn(s.sys, sink{})
	of := process.Go(s.procs, s.run)
	ref := Ref(s.sys, of)
	sinkPress.Send(s.sys, s.sink, true)
	explore.RunAll(s.crew)
	before := s.sys.Stats().Mutes
	explore.Man(p, s.crew)
	p.Go(func() { s.gate.TrySend(s.procs, 1) })
	for _, give := range o.orders {
		p.Go(func() { give(s.sys, ref) })
	}
	p.After(func() error {
		defer s.unwind()
		if o.runs++; s.sys.Stats().Mutes > before {
			o.muted++
		}
		return s.check(proxyOf(s.sys, of).ref())
	})
}

// run is the process.
func (s *toldToEnd) run(p *process.Proc) {
	Link(p, s.friend)
	defer func() {
		sinkTake.Send(Sender(p), s.sink, 1)
		Unlink(p, s.friend)
		s.unwound = true
		process.Select(p)
	}()
	s.gate.Recv(p)
	sinkTake.Send(Sender(p), s.sink, 1)
	process.Select(p)
}

func (s *toldToEnd) check(ref actor.Ref[Proxy]) error {
	switch st := s.sys.Stats(); {
	case !s.unwound:
		return fmt.Errorf("the process has not unwound: %v", s.procs.Blocked())
	case ref.Status() == actor.StatusEnded:
		return fmt.Errorf("its actor has ended before it")
	case st.DeadLetters > 0:
		return fmt.Errorf("%d dead letters", st.DeadLetters)
	case st.Mutes != st.Unmutes:
		return fmt.Errorf("%d mutes, %d unmutes", st.Mutes, st.Unmutes)
	}
	return nil
}
