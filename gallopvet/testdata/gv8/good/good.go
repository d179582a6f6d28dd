// Package good has what GV8 must not report.
package good

import (
	"sync/atomic"

	"github.com/gallop-go/gallop/actor"
)

type server struct {
	n     int
	left  []int
	stop  *atomic.Bool
	ready bool
}

// Part does a part, and goes on later.
func (s *server) Part(c *actor.Context, _ struct{}) {
	for len(s.left) > 0 {
		s.left = s.left[1:]
		if c.ShouldYield() {
			actor.Yield(c, part, struct{}{})
			return
		}
	}
}

// Out has a way out.
func (s *server) Out(c *actor.Context, _ struct{}) {
	for {
		s.n++
		if s.n > 100 {
			break
		}
	}
	for {
		if c.Stopping() {
			return
		}
	}
}

// Killed ends when the actor is killed.
func (s *server) Killed(c *actor.Context, _ struct{}) {
	for {
		c.Checkpoint()
	}
}

// Atomic waits for what a goroutine sets.
func (s *server) Atomic(c *actor.Context, _ struct{}) {
	for !s.stop.Load() {
	}
	for !s.ready {
		s.check()
	}
}

func (s *server) check() { s.ready = true }

// Goroutine may loop.
func (s *server) Goroutine(c *actor.Context, ch chan int) {
	go func() {
		for {
			<-ch
		}
	}()
}

type pinned struct{}

// Loop has a thread of its own.
func (*pinned) Loop(*actor.Context, struct{}) {
	for {
	}
}

var (
	serverType = actor.NewType[server]("server")
	part       = actor.Declare[struct{}](serverType, "part")
	out        = actor.Declare[struct{}](serverType, "out")
	killed     = actor.Declare[struct{}](serverType, "killed")
	atomics    = actor.Declare[struct{}](serverType, "atomics")
	goroutine  = actor.Declare[chan int](serverType, "goroutine")
	_          = serverType.Table(
		part.Handle((*server).Part), out.Handle((*server).Out), killed.Handle((*server).Killed),
		atomics.Handle((*server).Atomic), goroutine.Handle((*server).Goroutine),
	)
	pinnedType = actor.NewType[pinned]("pinned", actor.WithPinnedThread())
	loop       = actor.Declare[struct{}](pinnedType, "loop")
	_          = pinnedType.Table(loop.Handle((*pinned).Loop))
)
