package inspect

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
)

const (
	delaysEvery   = time.Second // the default interval
	delaysLeast   = 10 * time.Millisecond
	delaysAtOnce  = 16 // probes sent in one round
	delaysOpen    = 64 // probes that have not run yet
	delaysOfType  = 2
	delaysTimeout = 10 * time.Second

	// A round visits delaysVisits actors, and keeps delaysKept of a type for later rounds.
	delaysVisits = 256
	delaysKept   = 4
)

// Delays implements observe.MailboxDelays. It calls [Begin]. It probes actors that [Names], [Roots]
// and the sample of [Population] find, and remembers some of each type. If there are many actors,
// the first of a new type may be found only after several rounds.
func Delays(sys *actor.System, every time.Duration, each func(typ string, d time.Duration)) (
	stop func()) {
	switch {
	case every == 0:
		every = delaysEvery
	case every < delaysLeast:
		panic("gallop: observe.MailboxDelays more often than every 10 ms")
	}
	if each == nil {
		panic("gallop: observe.MailboxDelays with a nil function")
	}
	Begin(sys)
	ctx, cancel := context.WithCancel(context.Background())
	d := newDelays(sys, each, ctx)
	d.running.Go(func() {
		guard.Unlabel()
		defer d.end()
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
		if _, within := d.calling.Load(seam.Goroutine()); within {
			panic("gallop: observe.MailboxDelays: each calls stop, which waits for it")
		}
		cancel()
		d.running.Wait()
	}
}

// delays sends probes and reports their results.
type delays struct {
	sys     *actor.System
	each    func(typ string, d time.Duration)
	ctx     context.Context
	running sync.WaitGroup
	calling sync.Map // the goroutines in which each runs

	// The fields from here to mu are used by one goroutine.
	//
	// all walks over all actors that can be found: see everyFound. found continues that walk, from
	// round to round; nil: no walk has begun.
	all   iter.Seq[kernel.AnyRef]
	found func() (kernel.AnyRef, bool)
	stop  func()
	known map[string]*typeKnown
	types []*typeKnown // in the order of discovery
	next  int          // index in types where the next round begins

	mu sync.Mutex
	// under has the actors whose probe has not run; guarded by mu.
	under map[uint64]bool
}

// typeKnown has some actors of one type.
type typeKnown struct {
	name string
	// all holds the actors weakly: a function returns the zero ref after the GC has collected its
	// actor.
	all  []func() kernel.AnyRef
	turn int // index in all of the last probed actor
	used int // how many, up to turn, were probed since they were found
}

func newDelays(sys *actor.System, each func(string, time.Duration), ctx context.Context) *delays {
	return &delays{sys: sys, each: each, ctx: ctx, all: everyFound(of(sys)),
		known: map[string]*typeKnown{}, under: map[uint64]bool{}}
}

// end ends the walk.
func (d *delays) end() {
	if d.stop != nil {
		d.stop()
	}
}

// everyFound walks over all actors that can be found. Actors of other systems, and duplicates, are
// included.
func everyFound(s *kernel.System) iter.Seq[kernel.AnyRef] {
	return func(yield func(kernel.AnyRef) bool) {
		on := true
		add := func(ref kernel.AnyRef) { on = on && yield(ref) }
		eachRunning(s, add)
		eachPressed(s, func(ref kernel.AnyRef, _ uint32) { add(ref) })
		eachWait(s, func(who, to kernel.AnyRef, _ int64, _ bool) { add(who); add(to) })
		eachListed(s, add)
		eachSampled(s, func(ref kernel.AnyRef, _ string, _ uint64, _ time.Duration) {
			if !ref.IsZero() {
				add(ref)
			}
		})
		eachName(s, func(_ string, ref kernel.AnyRef) { add(ref) })
	}
}

// visit continues the walk, up to its end or the share of one round.
func (d *delays) visit() {
	if d.found == nil {
		d.found, d.stop = iter.Pull(d.all)
	}
	for range delaysVisits {
		ref, ok := d.found()
		if !ok {
			d.found, d.stop = nil, nil
			return
		}
		if ref.Cell().Status() != kernel.StatusEnded {
			d.keep(ref)
		}
	}
}

// keep remembers an actor. If enough are remembered, it replaces a probed actor of the same type.
func (d *delays) keep(ref kernel.AnyRef) {
	name := ref.Cell().Typ().Name
	t := d.known[name]
	if t == nil {
		t = &typeKnown{name: name}
		d.known[t.name] = t
		d.types = append(d.types, t)
	}
	for _, get := range t.all {
		if get() == ref {
			return
		}
	}
	if len(t.all) < delaysKept {
		t.all = append(t.all, ref.Weak())
	} else if t.used > 0 {
		t.used--
		t.all[(t.turn-t.used+delaysKept)%delaysKept] = ref.Weak()
	}
}

// probe runs one round: it sends probes to actors of the next types.
func (d *delays) probe() {
	d.visit()
	sent, looked := 0, 0
	for n := len(d.types); looked < min(n, delaysVisits) && sent < delaysAtOnce; looked++ {
		sent += d.probeType(d.types[(d.next+looked)%n], delaysAtOnce-sent)
	}
	if d.next += looked; d.next >= len(d.types) {
		d.next %= max(len(d.types), 1)
		d.forget()
	}
}

// probeType sends probes to actors of one type, and returns how many it sent.
func (d *delays) probeType(t *typeKnown, most int) (sent int) {
	for range t.all {
		if len(t.all) == 0 || sent == min(most, delaysOfType) {
			break
		}
		t.turn = (t.turn + 1) % len(t.all)
		ref := t.all[t.turn]()
		if ref.IsZero() || ref.Cell().Status() == kernel.StatusEnded {
			t.all, t.used = slices.Delete(t.all, t.turn, t.turn+1), 0
		} else if d.begin(ref.ID()) {
			d.running.Go(func() { d.measure(t.name, ref) })
			sent++
			t.used = min(t.used+1, len(t.all))
		}
	}
	return sent
}

// forget drops types without actors after all types have had their turn.
func (d *delays) forget() {
	d.types = slices.DeleteFunc(d.types, func(t *typeKnown) bool {
		if len(t.all) > 0 {
			return false
		}
		delete(d.known, t.name)
		return true
	})
}

// begin reports whether an actor may be sent a probe, and notes the probe.
func (d *delays) begin(id uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.under[id] || len(d.under) == delaysOpen {
		return false
	}
	d.under[id] = true
	return true
}

func (d *delays) measure(typ string, ref kernel.AnyRef) {
	ctx, cancel := context.WithTimeout(d.ctx, delaysTimeout)
	defer cancel()
	took, err := Delay(ctx, actor.AnyRef(ref))
	d.mu.Lock()
	delete(d.under, ref.ID())
	d.mu.Unlock()
	if ctx.Err() != nil && d.ctx.Err() == nil {
		took, err = delaysTimeout, nil
	}
	if err == nil {
		kernel.SystemOf(d.sys).Guard("observe.MailboxDelays", func() { d.report(typ, took) })
	}
}

// report calls each, and records the goroutine until it returns.
func (d *delays) report(typ string, took time.Duration) {
	me := seam.Goroutine()
	d.calling.Store(me, nil)
	defer d.calling.Delete(me)
	d.each(typ, took)
}
