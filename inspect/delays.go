package inspect

import (
	"context"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/guard"
)

const (
	delaysEvery   = time.Second // if nothing else is said
	delaysLeast   = 10 * time.Millisecond
	delaysAtOnce  = 16 // probes that are sent at a time
	delaysOpen    = 64 // that have not run yet
	delaysOfType  = 2
	delaysTimeout = 10 * time.Second
)

// Delays measures again and again, once a second if every is 0, how long messages wait in
// mailboxes, by probes ([Delay]) to up to 16 actors at a time, at most two of a type:
// actors that can be found ([Names], [Roots]) and those of the sample of [Population], in turn. It
// calls each with the type and the delay, 10 s for a probe that has not run by then, in goroutines
// of its own. It calls [Begin]. Messages cost nothing for it. stop waits for what runs, and may be
// called again.
//
// Nothing is measured in a deterministic system. Delays panics if every is negative or below 10 ms,
// or if each is nil.
func Delays(sys *actor.System, every time.Duration, each func(typ string, d time.Duration)) (
	stop func()) {
	switch {
	case every == 0:
		every = delaysEvery
	case every < delaysLeast:
		panic("gallop: inspect.Delays more often than every 10 ms")
	}
	if each == nil {
		panic("gallop: inspect.Delays with a nil function")
	}
	Begin(sys)
	ctx, cancel := context.WithCancel(context.Background())
	d := &delays{sys: sys, each: each, ctx: ctx, under: map[uint64]bool{}}
	d.running.Go(func() {
		guard.Unlabel()
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				d.probe()
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		d.running.Wait()
	}
}

// delays sends probes.
type delays struct {
	sys     *actor.System
	each    func(typ string, d time.Duration)
	ctx     context.Context
	running sync.WaitGroup
	next    int // where in the list the next round begins

	mu sync.Mutex
	// Actors that were sent a probe which has not run; guarded by mu.
	under map[uint64]bool
}

// probe sends probes to the next actors.
func (d *delays) probe() {
	all := Population(d.sys).Seen
	for _, n := range Names(d.sys) {
		all = append(all, n.Actor)
	}
	all = append(all, Roots(d.sys)...)
	sent, ofType, seen := 0, map[string]int{}, map[uint64]bool{}
	for i := range all {
		a := all[(d.next+i)%len(all)]
		if seen[a.ID] || ofType[a.Type] == delaysOfType || a.Ref.IsZero() ||
			a.Status == actor.StatusEnded || !d.begin(a.ID) {
			continue
		}
		seen[a.ID] = true
		ofType[a.Type]++
		d.running.Go(func() { d.measure(a) })
		if sent++; sent == delaysAtOnce {
			d.next = (d.next + i + 1) % len(all)
			return
		}
	}
	d.next++
}

// begin reports whether an actor may be sent a probe, and notes it.
func (d *delays) begin(id uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.under[id] || len(d.under) == delaysOpen {
		return false
	}
	d.under[id] = true
	return true
}

func (d *delays) measure(a Actor) {
	ctx, cancel := context.WithTimeout(d.ctx, delaysTimeout)
	defer cancel()
	took, err := Delay(ctx, a.Ref)
	d.mu.Lock()
	delete(d.under, a.ID)
	d.mu.Unlock()
	if ctx.Err() != nil && d.ctx.Err() == nil {
		took, err = delaysTimeout, nil
	}
	if err == nil {
		access.Guard(d.sys, "inspect.Delays", func() { d.each(a.Type, took) })
	}
}
