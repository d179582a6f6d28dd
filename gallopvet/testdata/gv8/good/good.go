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
func (s *server) Part(c *actor.Context, _ actor.None) {
	for len(s.left) > 0 {
		s.left = s.left[1:]
		if c.ShouldYield() {
			actor.Yield(c, part, actor.None{})
			return
		}
	}
}

// Out has a way out.
func (s *server) Out(c *actor.Context, _ actor.None) {
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
func (s *server) Killed(c *actor.Context, _ actor.None) {
	for {
		c.Checkpoint()
	}
}

// Atomic waits for what a goroutine sets.
func (s *server) Atomic(c *actor.Context, _ actor.None) {
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
func (*pinned) Loop(*actor.Context, actor.None) {
	for {
	}
}

var (
	serverType = actor.NewType[server]("server")
	part       = actor.Declare[actor.None](serverType, "part")
	out        = actor.Declare[actor.None](serverType, "out")
	killed     = actor.Declare[actor.None](serverType, "killed")
	atomics    = actor.Declare[actor.None](serverType, "atomics")
	goroutine  = actor.Declare[chan int](serverType, "goroutine")
	_          = serverType.Table(
		part.Do((*server).Part), out.Do((*server).Out), killed.Do((*server).Killed),
		atomics.Do((*server).Atomic), goroutine.Do((*server).Goroutine),
	)
	pinnedType = actor.NewType[pinned]("pinned", actor.WithPinnedThread())
	loop       = actor.Declare[actor.None](pinnedType, "loop")
	_          = pinnedType.Table(loop.Do((*pinned).Loop))
)
