package actor

import (
	"slices"
	"sync"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/seam"
)

// To watch a type, the entries of its dispatch tables are exchanged for others that call the probe.
// So a type that is not watched pays nothing: the loop loads its entries as ever.
//
// A table may be common to several systems, and may be watched by several probes. So an exchanged
// entry looks into the list of its table for those of its own system. The list of a table that no
// probe watches is empty, and the entries are the old ones again; a worker may still have an
// exchanged entry in hand, which finds the list empty.

// probe is a pair of functions around a behaviour: either may be nil.
type probe struct {
	before, after func(c *Context, worker int, from uint64)
}

// watch is the probes of one call of Watch, in one system; or, without of, one of Record, or of
// Label if that has labels.
type watch struct {
	sys  *System
	fits func(typ string) bool
	of   func(typ, behaviour string, request bool) (before, after func(c *Context, worker int,
		from uint64))
	labels func(typ, behaviour string) (set func())
	tables []*watchedTable // guarded by inspected.mu
}

// watchedTable is a dispatch table whose entries are exchanged.
type watchedTable struct {
	typ       *typeInfo
	runs, old []runFunc
	// Changed under the mu of watchedTables.
	probes seam.Pointer[[]tableProbes]
	// Guarded by it: how many systems record, and what the entries do.
	recorders         int
	records, isProbed bool
	labels            []*behaviourLabels // of each behaviour; nil: none
	isLabelled        bool
}

// tableProbes are the probes of one watch for the behaviours of a table.
type tableProbes struct {
	of    *watch
	probe []probe
}

// watchedTables has the tables that are watched, of all systems, by their first entry.
var watchedTables struct {
	mu  sync.Mutex
	all map[*runFunc]*watchedTable // guarded by mu
}

// Watch puts probes around the behaviours of the types that fit. of is called once for each
// behaviour of such a type.
func (in *inspector) Watch(fits func(typ string) bool, of func(typ, behaviour string,
	request bool) (before, after func(c *Context, worker int, from uint64))) (stop func()) {
	w := &watch{sys: in.s, fits: fits, of: of}
	all := in.on()
	all.mu.Lock()
	defer all.mu.Unlock()
	all.watches = append(all.watches, w)
	in.eachTable(func(t *typeInfo, runs []runFunc) { w.add(t, runs) })
	var once sync.Once
	return func() { once.Do(func() { all.unwatch(w) }) }
}

// eachTable calls f for the tables by which actors of the system dispatch. What actors become later
// is told to dispatch. Caller holds inspected.mu.
func (in *inspector) eachTable(f func(t *typeInfo, runs []runFunc)) {
	if s := in.s.sim; s != nil {
		s.mu.Lock()
		var types []*typeInfo
		var tables []*table
		for of, own := range s.tables {
			types, tables = append(types, of.typ), append(tables, own)
		}
		s.mu.Unlock()
		for i, t := range types {
			f(t, tables[i].runs)
		}
		return
	}
	if all := in.s.types.all.Load(); all != nil {
		for _, k := range *all {
			if k == nil {
				continue
			}
			f(k.typ, k.runs)
			k.typ.variants.Each(func(v *variantInfo) { f(k.typ, in.s.variantOf(v).runs) })
		}
	}
}

// dispatch implements inspection.
func (i *inspected) dispatch(t *typeInfo, runs []runFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, w := range i.watches {
		w.add(t, runs)
	}
}

// add watches a table, unless it is watched or does not fit. Caller holds inspected.mu.
func (w *watch) add(t *typeInfo, runs []runFunc) {
	if !w.fits(t.name) || slices.ContainsFunc(w.tables,
		func(o *watchedTable) bool { return &o.runs[0] == &runs[0] }) {
		return
	}
	p := tableProbes{w, make([]probe, len(runs))}
	for id := userIDs; id < len(runs) && w.of != nil; id++ {
		d := t.decls[id]
		p.probe[id].before, p.probe[id].after = w.of(t.name, d.name, d.reject != nil)
	}
	l := &watchedTables
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.all[&runs[0]]
	if o == nil {
		o = &watchedTable{typ: t, runs: runs, old: slices.Clone(runs)}
		o.probes.Store(new([]tableProbes))
		if l.all == nil {
			l.all = map[*runFunc]*watchedTable{}
		}
		l.all[&runs[0]] = o
	}
	w.tables = append(w.tables, o)
	now := slices.Clone(*o.probes.Load())
	switch {
	case w.records():
		o.recorders++
	case w.labels != nil:
		o.label(w)
	default:
		now = append(now, p)
	}
	o.probes.Store(&now)
	o.update()
}

// update exchanges the entries, if they are to do something else. Caller holds the mu of
// watchedTables.
func (t *watchedTable) update() {
	records, isProbed, isLabelled := t.recorders > 0, len(*t.probes.Load()) > 0, t.labels != nil
	if records == t.records && isProbed == t.isProbed && isLabelled == t.isLabelled {
		return
	}
	t.records, t.isProbed, t.isLabelled = records, isProbed, isLabelled
	now := slices.Clone(t.old)
	for id := userIDs; id < len(now); id++ {
		if records {
			now[id] = recorded(flightlog.IndexOf(t.typ.name, t.typ.decls[id].name), now[id])
		}
		if isProbed {
			now[id] = t.probed(id, now[id])
		}
		if isLabelled {
			now[id] = labelled(t.labels[id], now[id])
		}
	}
	t.probes.Store(t.probes.Load()) // a barrier for what the entries refer to
	for id := userIDs; id < len(now); id++ {
		exchange(t.runs, id, now[id])
	}
}

// unwatch ends a watch.
func (i *inspected) unwatch(w *watch) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.watches = slices.DeleteFunc(i.watches, func(o *watch) bool { return o == w })
	l := &watchedTables
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range w.tables {
		if w.records() {
			t.recorders--
		}
		left := slices.DeleteFunc(slices.Clone(*t.probes.Load()),
			func(p tableProbes) bool { return p.of == w })
		t.probes.Store(&left)
		if t.update(); !t.records && !t.isProbed && !t.isLabelled {
			delete(l.all, &t.runs[0])
		}
	}
}

// exchange puts an entry into a table by which workers dispatch. They load it without an atomic,
// one word, once for each message, and go on by what it leads to: so they see the old entry or
// all of the new one, since the caller has passed an atomic after it made that. The race detector
// is told to look away.
//
//go:norace
//go:noinline
func exchange(runs []runFunc, id int, run runFunc) { runs[id] = run }

// probed returns the entry for a behaviour while there are probes. It goes on with run.
func (t *watchedTable) probed(id int, run runFunc) runFunc {
	return func(c *Context, a *cell, m *message) {
		probes, from := *t.probes.Load(), m.From&^msg.WasStashed
		for i := range probes {
			if p := &probes[i]; p.of.sys == c.sys && p.probe[id].before != nil {
				p.probe[id].before(c, c.w.ID(), from)
			}
		}
		run(c, a, m)
		for i := range probes {
			if p := &probes[i]; p.of.sys == c.sys && p.probe[id].after != nil {
				p.probe[id].after(c, c.w.ID(), from)
			}
		}
	}
}
