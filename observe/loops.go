package observe

import (
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// If the busiest actor takes most of the time, its type is probed for a moment every few ticks, to
// see who sends the messages: 50 ms in 5 s, or 1 % of the time.
const (
	loopsEvery  = 5
	loopsWindow = 50 * time.Millisecond
	loopsShare  = 0.25 // of the time of all workers
)

// loops finds actors that send most of their messages to themselves.
type loops struct {
	probe func(p inspect.Probe, typ string) (stop func())
	find  func(id uint64) (inspect.Actor, bool)
	ticks int
	done  sync.WaitGroup

	mu     sync.Mutex
	counts map[uint64]*selfSender
	result []selfSender
}

func newLoops(sys *actor.System) *loops {
	return &loops{
		probe: func(p inspect.Probe, typ string) func() { return inspect.Around(sys, p, typ) },
		find:  func(id uint64) (inspect.Actor, bool) { return inspect.Find(sys, id) },
	}
}

// look probes the type of the busiest actor for a moment, at every loopsEvery-th tick.
func (l *loops) look(busy []inspect.Busy) {
	l.ticks++
	if l.ticks%loopsEvery != 2 {
		return
	}
	if len(busy) == 0 || busy[0].Actor == 0 || busy[0].Share < loopsShare {
		l.mu.Lock()
		l.result = nil
		l.mu.Unlock()
		return
	}
	l.mu.Lock()
	l.counts = map[uint64]*selfSender{}
	l.mu.Unlock()
	stop := l.probe(inspect.Probe{Before: l.count}, busy[0].Type)
	l.done.Go(func() {
		time.Sleep(loopsWindow) // the window is a length of time; no event ends it
		stop()
		l.sum()
	})
}

// count is the probe; it runs on a worker.
func (l *loops) count(c *actor.Context, m inspect.Message) { l.add(c.ActorID(), m.From) }

// add counts a message that an actor runs.
func (l *loops) add(id, from uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.counts[id]
	if n == nil {
		if len(l.counts) == mostActors {
			return
		}
		n = new(selfSender)
		l.counts[id] = n
	}
	n.all++
	if from == id {
		n.self++
	}
}

func (l *loops) sum() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.result = nil
	for id, n := range l.counts {
		if a, ok := l.find(id); ok {
			n.actor = a
			l.result = append(l.result, *n)
		}
	}
	l.counts = map[uint64]*selfSender{}
}

func (l *loops) found() []selfSender {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.result
}

func (l *loops) close() { l.done.Wait() }
