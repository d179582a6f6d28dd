package observe

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// Limits of probes. A probe that has not run after probeTimeout is given up: its actor's delay is
// at least that long.
const (
	probesPerTick = 16
	probesAtMost  = 32
	probeTimeout  = 10 * time.Second
	delaysKept    = 64 // for each type
	delayTypes    = 256
)

// probes measures the mailbox delay of types by probes to some of their actors.
type probes struct {
	delay  func(context.Context, actor.AnyRef) (time.Duration, error)
	ctx    context.Context
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu      sync.Mutex
	under   map[uint64]probed // by the number of the actor
	results map[string][]time.Duration
	actors  map[uint64]probed // the latest result of each actor, for a while
}

// probed is an actor whose probe was sent at a time and has not run yet, or has run after a delay.
type probed struct {
	actor inspect.Actor
	at    time.Time
	delay time.Duration
}

// waitKept is how long the result of an actor counts, and mostWaits the number of actors that are
// remembered.
const (
	waitKept  = 5 * time.Second
	mostWaits = 256
)

func newProbes(delay func(context.Context, actor.AnyRef) (time.Duration, error)) *probes {
	p := &probes{delay: delay, under: map[uint64]probed{}, results: map[string][]time.Duration{},
		actors: map[uint64]probed{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// send sends probes to the first actors that have none, at most two of a type.
func (p *probes) send(at time.Time, actors []inspect.Actor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sent, ofType := 0, map[string]int{}
	for _, a := range actors {
		if sent == probesPerTick || len(p.under) == probesAtMost {
			return
		}
		_, has := p.under[a.ID]
		if has || ofType[a.Type] == 2 || a.Status == actor.StatusEnded || a.Ref.IsZero() {
			continue
		}
		ofType[a.Type]++
		sent++
		p.under[a.ID] = probed{actor: a, at: at}
		p.done.Go(func() { p.measure(a, at) })
	}
}

func (p *probes) measure(a inspect.Actor, at time.Time) {
	ctx, cancel := context.WithTimeout(p.ctx, probeTimeout)
	defer cancel()
	d, err := p.delay(ctx, a.Ref)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.under, a.ID)
	if ctx.Err() != nil && p.ctx.Err() == nil {
		d, err = probeTimeout, nil
	}
	if err == nil && (d >= longWait || len(p.actors) < mostWaits) {
		p.actors[a.ID] = probed{a, at.Add(d), d}
	}
	if list := p.results[a.Type]; err == nil && (list != nil || len(p.results) < delayTypes) {
		p.results[a.Type] = append(list[max(0, len(list)+1-delaysKept):], d)
	}
}

// delays returns the delays of each type that was probed.
func (p *probes) delays(at time.Time) []typeDelay {
	p.mu.Lock()
	defer p.mu.Unlock()
	byType := map[string]*typeDelay{}
	of := func(typ string) *typeDelay {
		if byType[typ] == nil {
			byType[typ] = &typeDelay{typ: typ}
		}
		return byType[typ]
	}
	for typ, list := range p.results {
		d := of(typ)
		d.probes, d.last = len(list), list[len(list)-1]
		sorted := slices.Sorted(slices.Values(list))
		d.p50, d.p99 = sorted[(len(list)-1)/2], sorted[(len(list)-1)*99/100]
	}
	for _, u := range p.under {
		d := of(u.actor.Type)
		d.waits = max(d.waits, at.Sub(u.at))
	}
	var all []typeDelay
	for _, d := range byType {
		all = append(all, *d)
	}
	slices.SortFunc(all, func(a, b typeDelay) int { return cmp.Compare(a.typ, b.typ) })
	return all
}

// waits returns how long messages to actors waited of late, the longest first. known are the actors
// as they look now, by number.
func (p *probes) waits(at time.Time, known func(id uint64, typ string) inspect.Actor) (all []actorWait) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, u := range p.under {
		all = append(all, actorWait{known(id, u.actor.Type), at.Sub(u.at), true})
	}
	for id, r := range p.actors {
		if at.Sub(r.at) > waitKept {
			delete(p.actors, id)
		} else if _, open := p.under[id]; !open || r.delay >= longWait {
			all = append(all, actorWait{known(id, r.actor.Type), r.delay, false})
		}
	}
	slices.SortFunc(all, func(a, b actorWait) int {
		return cmp.Or(cmp.Compare(b.delay, a.delay), cmp.Compare(a.actor.ID, b.actor.ID))
	})
	return all
}

// close gives up the outstanding probes.
func (p *probes) close() {
	p.cancel()
	p.done.Wait()
}
