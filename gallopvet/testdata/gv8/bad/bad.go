// Package bad has what GV8 must report. Each case never ends.
package bad

import (
	"runtime"
	"time"

	"cases/step"

	"github.com/gallop-go/gallop/actor"
)

type server struct {
	n     int
	ready bool
	queue []int
	to    actor.Ref[server]
}

func (s *server) Ever(*actor.Context, struct{}) {
	for {
		s.n++ // want `GV8: a loop without a way out: the behaviour never returns`
	}
}

func (s *server) Sends(c *actor.Context, _ struct{}) {
	for i := 0; ; i++ { // want `a loop without a way out`
		if i > 10 {
			i = 0
		}
		s.n += i
	}
}

func (s *server) Select(c *actor.Context, _ struct{}) {
	tick, done := time.NewTicker(time.Hour), make(chan int)
	for {
		select { // want `GV8: a loop without a way out` `GV6: a receive waits`
		case <-tick.C:
			s.n++
		case n := <-done:
			s.n = n
		}
	}
}

func (s *server) Helper(*actor.Context, struct{}) { s.loop() }

func (s *server) loop() {
	for {
		runtime.Gosched() // want `a loop without a way out`
	}
}

func (s *server) Ready(*actor.Context, struct{}) {
	for !s.ready { // want `a loop that waits until server.ready changes: no other behaviour of the actor runs before this one returns`
		runtime.Gosched()
	}
}

func (s *server) Queue(*actor.Context, struct{}) {
	for len(s.queue) == 0 { // want `a loop that waits until server.queue changes`
		runtime.Gosched()
	}
	s.n++
}

func (s *server) Set(*actor.Context, struct{}) { s.ready, s.queue = true, []int{1} }

var (
	serverType = actor.NewType[server]("server")
	ever       = actor.Declare[struct{}](serverType, "ever")
	sends      = actor.Declare[struct{}](serverType, "sends")
	selects    = actor.Declare[struct{}](serverType, "selects")
	helper     = actor.Declare[struct{}](serverType, "helper")
	readies    = actor.Declare[struct{}](serverType, "readies")
	queues     = actor.Declare[struct{}](serverType, "queues")
	set        = actor.Declare[struct{}](serverType, "set")
	_          = serverType.Table(
		ever.Handle((*server).Ever), sends.Handle((*server).Sends), selects.Handle((*server).Select),
		helper.Handle((*server).Helper), readies.Handle((*server).Ready), queues.Handle((*server).Queue),
		set.Handle((*server).Set),
	)
)

func init() {
	for name, b := range map[string]actor.Behaviour[server, struct{}]{
		"ever": ever, "sends": sends, "selects": selects, "helper": helper, "readies": readies,
		"queues": queues,
	} {
		step.Case("gv8/"+name, step.LongTurn, func() {
			sys := step.StartImpatient()
			r := serverType.Spawn(sys, server{})
			b.Send(sys, r, struct{}{})
			set.Send(sys, r, struct{}{})
			_ = sys.Run()
		})
	}
}
