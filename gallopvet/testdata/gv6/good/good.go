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
func (s *worker) Wait(c *actor.Context, _ struct{}) {
	c.Blocking(func() { time.Sleep(time.Second) })
	c.Blocking(func() { s.fetch() })
	c.Blocking(s.fetch)
	lib.NapWell(c)
	lib.NapIn(c) // is reported there
}

func (s *worker) fetch() { _, _ = http.Get("http://localhost") }

// Elsewhere waits elsewhere.
func (s *worker) Elsewhere(c *actor.Context, _ struct{}) {
	actor.Pipe(c, done, func(context.Context) (int, error) {
		time.Sleep(time.Second)
		return 0, nil
	})
	go func() { time.Sleep(time.Second) }()
	go lib.Nap()
	actor.After(c, time.Second, wait, struct{}{})
	time.AfterFunc(time.Second, func() { time.Sleep(time.Second) })
}

// Short is short.
func (s *worker) Short(c *actor.Context, _ struct{}) {
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
func (*pinned) Sleep(*actor.Context, struct{}) { time.Sleep(time.Second) }

var (
	workerType = actor.NewType[worker]("worker")
	wait       = actor.Declare[struct{}](workerType, "wait")
	elsewhere  = actor.Declare[struct{}](workerType, "elsewhere")
	short      = actor.Declare[struct{}](workerType, "short")
	done       = actor.Declare[actor.Result[int]](workerType, "done")
	poll       = actor.Declare[chan int](workerType, "poll")
	_          = workerType.Table(
		wait.Handle((*worker).Wait), elsewhere.Handle((*worker).Elsewhere), short.Handle((*worker).Short),
		done.Handle((*worker).Done), poll.Handle((*worker).Poll),
	)
	pinnedType = actor.NewType[pinned]("pinned", actor.WithPinnedThread())
	sleep      = actor.Declare[struct{}](pinnedType, "sleep")
	_          = pinnedType.Table(sleep.Handle((*pinned).Sleep))
)

// Token takes back what it has given.
func Token(*actor.Context) {
	free := make(chan struct{}, 1)
	free <- struct{}{}
	<-free
}
