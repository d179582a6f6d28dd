//go:build gallop_explore

package actors

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/explore"
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
	s.procs = access.Join(s.sys, func(of access.Shared) (processes any, unwind func()) {
		processes, s.unwind = access.StartOn(of)
		return processes, s.unwind
	}).(*process.System)
	s.crew = access.Manual(s.sys).([]*sched.Worker)
	return s
}

// source sends a process what it is sent itself.
type source struct{ to process.Ref[int] }

var (
	sourceType = actor.NewType[source]("source")
	sourceSend = actor.Declare[int](sourceType, "send")
	_          = sourceType.Table(sourceSend.Handle(func(s *source, c *actor.Context, n int) {
		s.to.Send(Env(c), n)
	}))
)

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

// TestMuting_Explored: actors send to a process while that receives down to its low watermark. None
// is left muted, and each message is received once, those of one actor in their order. So it is
// when the mailbox becomes full once more.
func TestMuting_Explored(t *testing.T) {
	most := 0 // all
	if testing.Short() {
		most = 20_000
	}
	for _, m := range []muting{
		{name: "waits for else", preemptions: 2, sources: 1, sends: 2},
		{name: "waits for mail", preemptions: 2, sources: 1, sends: 1, waits: true},
		{name: "behind a muted proxy", preemptions: 2, sources: 1, sends: 2, behind: true},
		{name: "two sources", preemptions: 1, sources: 2, sends: 2},
	} {
		t.Run(m.name, func(t *testing.T) {
			for _, s := range []explore.Strategy{
				explore.Bounded(m.preemptions, most), explore.Random(1, 1000), explore.PCT(3, 1, 1000),
			} {
				explore.Run(t, explore.Config{Strategy: s}, m.play)
			}
			if m.mutes == 0 {
				t.Error("no source was muted in any schedule")
			}
		})
	}
}

// muting is one course of the scenario: so many sources send so many messages each.
type muting struct {
	name                        string
	preemptions, sources, sends int

	// Behind what it is to receive, the process waits for more.
	waits bool
	// The process has sent to an actor under pressure, for which its proxy is muted.
	behind bool

	mutes uint64 // of sources, in all schedules
}

// fullProcess is a process with room for one message, which is there, and those around it.
type fullProcess struct {
	*muting
	*stage
	gate     *process.Chan[int] // how many messages it is to receive
	box      process.Ref[int]
	from     []actor.Ref[source]
	sink     actor.Ref[sink]
	by       []int // the sources of all messages, which are numbers
	received []int
}

func (m *muting) play(p *explore.Program) {
	s := &fullProcess{muting: m, stage: newStage(), gate: process.NewChan[int](1)}
	s.sink = sinkType.Spawn(s.sys, sink{})
	s.box = process.Spawn(s.procs, s.run, process.WithBound(1), WithMuting())
	proxyOf(s.sys, s.box.Process)
	for range m.sources {
		s.from = append(s.from, sourceType.Spawn(s.sys, source{s.box}))
	}
	s.send(0)
	open := func() { s.gate.TrySend(s.procs, 1+m.sources*m.sends) }
	if m.behind {
		sinkPress.Send(s.sys, s.sink, true)
		explore.RunAll(s.crew)
		open()
		open = func() { sinkPress.Send(s.sys, s.sink, false) }
	}
	explore.RunAll(s.crew)
	before := s.sys.Stats().Mutes
	explore.Man(p, s.crew)
	for i := range s.from {
		p.Go(func() {
			for range m.sends {
				s.send(i)
			}
		})
	}
	p.Go(open)
	p.After(func() error {
		defer s.unwind()
		if err := s.check(); err != nil {
			return err
		}
		m.mutes += s.sys.Stats().Mutes - before
		return s.fillOnceMore()
	})
}

// run is the process.
func (s *fullProcess) run(self *process.Self[int]) {
	for first := true; ; first = false {
		n, _ := s.gate.Recv(self)
		if first && s.behind {
			sinkTake.Send(Sender(self), s.sink, 1)
		}
		for ; n > 0 || s.waits; n-- {
			s.received = append(s.received, self.Receive())
		}
	}
}

// send has a source send the next message.
func (s *fullProcess) send(i int) {
	n := len(s.by)
	s.by = append(s.by, i)
	sourceSend.Send(s.sys, s.from[i], n)
}

// check: each message was received once, those of a source in their order, and no actor is muted.
func (s *fullProcess) check() error {
	if st := s.sys.Stats(); st.Mutes != st.Unmutes {
		return fmt.Errorf("%d mutes, %d unmutes", st.Mutes, st.Unmutes)
	}
	last := make([]int, s.sources)
	for _, m := range s.received {
		if i := s.by[m]; m < last[i] {
			return fmt.Errorf("out of order: %v", s.received)
		} else {
			last[i] = m
		}
	}
	all := slices.Clone(s.received)
	slices.Sort(all)
	for m := range s.by {
		if m >= len(all) || all[m] != m {
			return fmt.Errorf("of %d messages are received %v", len(s.by), s.received)
		}
	}
	return nil
}

// fillOnceMore has the mailbox become full, and be received. Outside of threads.
func (s *fullProcess) fillOnceMore() error {
	for i := range 2 {
		s.send(i % s.sources)
	}
	explore.RunAll(s.crew)
	s.gate.TrySend(s.procs, 2)
	explore.RunAll(s.crew)
	return s.check()
}
