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

func (s *server) Ever(*actor.Context, actor.None) {
	for {
		s.n++ // want `GV8: a loop without a way out: the behaviour never returns`
	}
}

func (s *server) Sends(c *actor.Context, _ actor.None) {
	for i := 0; ; i++ { // want `a loop without a way out`
		if i > 10 {
			i = 0
		}
		s.n += i
	}
}

func (s *server) Select(c *actor.Context, _ actor.None) {
	tick, done := time.NewTicker(time.Hour), make(chan int)
	for {
		select { // want `a loop without a way out`
		case <-tick.C:
			s.n++
		case n := <-done:
			s.n = n
		}
	}
}

func (s *server) Helper(*actor.Context, actor.None) { s.loop() }

func (s *server) loop() {
	for {
		runtime.Gosched() // want `a loop without a way out`
	}
}

func (s *server) Ready(*actor.Context, actor.None) {
	for !s.ready { // want `a loop that waits until server.ready changes: no other behaviour of the actor runs before this one returns`
		runtime.Gosched()
	}
}

func (s *server) Queue(*actor.Context, actor.None) {
	for len(s.queue) == 0 { // want `a loop that waits until server.queue changes`
		runtime.Gosched()
	}
	s.n++
}

func (s *server) Set(*actor.Context, actor.None) { s.ready, s.queue = true, []int{1} }

var (
	serverType = actor.NewType[server]("server")
	ever       = actor.Declare[actor.None](serverType, "ever")
	sends      = actor.Declare[actor.None](serverType, "sends")
	selects    = actor.Declare[actor.None](serverType, "selects")
	helper     = actor.Declare[actor.None](serverType, "helper")
	readies    = actor.Declare[actor.None](serverType, "readies")
	queues     = actor.Declare[actor.None](serverType, "queues")
	set        = actor.Declare[actor.None](serverType, "set")
	_          = serverType.Table(
		ever.Do((*server).Ever), sends.Do((*server).Sends), selects.Do((*server).Select),
		helper.Do((*server).Helper), readies.Do((*server).Ready), queues.Do((*server).Queue),
		set.Do((*server).Set),
	)
)

func init() {
	for name, b := range map[string]actor.Behaviour[server, actor.None]{
		"ever": ever, "sends": sends, "selects": selects, "helper": helper, "readies": readies,
		"queues": queues,
	} {
		step.Case("gv8/"+name, step.LongTurn, func() {
			sys := step.StartImpatient()
			r := serverType.Spawn(sys, server{})
			b.Send(sys, r, actor.None{})
			set.Send(sys, r, actor.None{})
			_ = sys.Run()
		})
	}
}
