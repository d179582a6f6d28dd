// Package good has what GV6 must not report.
package good

import (
	"context"
	"net/http"
	"os"
	"sync"
	"time"

	"cases/gv6/lib"

	"github.com/gallop-go/gallop/actor"
)

type worker struct {
	mu sync.Mutex
	n  int
}

// Wait says that it waits.
func (s *worker) Wait(c *actor.Context, _ actor.None) {
	c.Blocking(func() { time.Sleep(time.Second) })
	c.Blocking(func() { s.fetch() })
	c.Blocking(s.fetch)
	lib.NapWell(c)
	lib.NapIn(c) // is reported there
}

func (s *worker) fetch() { _, _ = http.Get("http://localhost") }

// Elsewhere waits elsewhere.
func (s *worker) Elsewhere(c *actor.Context, _ actor.None) {
	actor.Pipe(c, done, func(context.Context) (int, error) {
		time.Sleep(time.Second)
		return 0, nil
	})
	go func() { time.Sleep(time.Second) }()
	go lib.Nap()
	actor.After(c, time.Second, wait, actor.None{})
	time.AfterFunc(time.Second, func() { time.Sleep(time.Second) })
}

// Short is short.
func (s *worker) Short(c *actor.Context, _ actor.None) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	_, _ = os.ReadFile("/dev/null")
}

func (s *worker) Done(*actor.Context, actor.Result[int]) {}

// Poll asks a channel and goes on.
func (s *worker) Poll(c *actor.Context, ch chan int) {
	select {
	case s.n = <-ch:
	default:
	}
}

// Outside is no behaviour.
func Outside() { time.Sleep(time.Second) }

type pinned struct{}

// Sleep keeps a thread that is its own.
func (*pinned) Sleep(*actor.Context, actor.None) { time.Sleep(time.Second) }

var (
	workerType = actor.NewType[worker]("worker")
	wait       = actor.Declare[actor.None](workerType, "wait")
	elsewhere  = actor.Declare[actor.None](workerType, "elsewhere")
	short      = actor.Declare[actor.None](workerType, "short")
	done       = actor.Declare[actor.Result[int]](workerType, "done")
	poll       = actor.Declare[chan int](workerType, "poll")
	_          = workerType.Table(
		wait.Do((*worker).Wait), elsewhere.Do((*worker).Elsewhere), short.Do((*worker).Short),
		done.Do((*worker).Done), poll.Do((*worker).Poll),
	)
	pinnedType = actor.NewType[pinned]("pinned", actor.WithPinnedThread())
	sleep      = actor.Declare[actor.None](pinnedType, "sleep")
	_          = pinnedType.Table(sleep.Do((*pinned).Sleep))
)
