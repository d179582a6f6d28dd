package inspect

import (
	"slices"
	"sync"

	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/seam"
)

// To watch a type, the entries of its dispatch tables are exchanged for entries that call the
// probes. A type that is not watched pays nothing, because the loop loads its entries as before.
//
// Several systems may share a table, and several probes may watch it. So an exchanged entry
// searches the list of its table for the probes of its own system. If no probe watches a table, its
// list is empty and its old entries are back. A worker may still hold an exchanged entry, which
// then finds the list empty.

// probe is a pair of functions that are called before and after a behaviour. Either may be nil.
type probe struct {
	before, after func(c *kernel.Turn, worker int, from uint64)
}

// watch is one call of watchTypes, Record or Labels in one system. A watch of watchTypes has of, a
// watch of Labels has labels, and a watch of Record has neither.
type watch struct {
	sys  *kernel.System
	fits func(typ string) bool
	of   func(typ, behaviour string, request bool) (before, after func(c *kernel.Turn, worker int,
		from uint64))
	labels func(typ, behaviour string) (set func())
	tables []*watchedTable // guarded by inspected.mu
}

// watchedTable is a dispatch table whose entries are exchanged.
type watchedTable struct {
	typ       *kernel.TypeInfo
	runs, old []kernel.RunFunc
	// probes is changed under the mu of watchedTables.
	probes seam.Pointer[[]tableProbes]
	// Guarded by the same mu: the number of systems that record, and the present function of the
	// entries.
	recorders         int
	records, isProbed bool
	labels            []*behaviourLabels // by number of the behaviour; nil: no labels
	isLabelled        bool
}

// tableProbes has the probes of one watch for the behaviours of a table.
type tableProbes struct {
	of    *watch
	probe []probe
}

// watchedTables has the watched tables of all systems, by the address of their first entry.
var watchedTables struct {
	mu  sync.Mutex
	all map[*kernel.RunFunc]*watchedTable // guarded by mu
}

// watchTypes puts probes around the behaviours of each type for which fits returns true. of is
// called once for each behaviour of such a type and returns its probes. stop ends the watch.
func watchTypes(s *kernel.System, fits func(typ string) bool, of func(typ, behaviour string,
	request bool) (before, after func(c *kernel.Turn, worker int, from uint64))) (stop func()) {
	w := &watch{sys: s, fits: fits, of: of}
	all := on(s)
	all.mu.Lock()
	defer all.mu.Unlock()
	all.watches = append(all.watches, w)
	s.EachTable(w.add)
	var once sync.Once
	return func() { once.Do(func() { all.unwatch(w) }) }
}

// Dispatch implements kernel.Inspection.
func (i *inspected) Dispatch(t *kernel.TypeInfo, runs []kernel.RunFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, w := range i.watches {
		w.add(t, runs)
	}
}

// add watches a table, unless the watch has it already or does not fit its type. Caller holds
// inspected.mu.
func (w *watch) add(t *kernel.TypeInfo, runs []kernel.RunFunc) {
	if !w.fits(t.Name) || slices.ContainsFunc(w.tables,
		func(o *watchedTable) bool { return &o.runs[0] == &runs[0] }) {
		return
	}
	p := tableProbes{w, make([]probe, len(runs))}
	for id := kernel.UserIDs; id < len(runs) && w.of != nil; id++ {
		d := t.Decls[id]
		p.probe[id].before, p.probe[id].after = w.of(t.Name, d.Name, d.Reject != nil)
	}
	l := &watchedTables
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.all[&runs[0]]
	if o == nil {
		o = &watchedTable{typ: t, runs: runs, old: slices.Clone(runs)}
		o.probes.Store(new([]tableProbes))
		if l.all == nil {
			l.all = map[*kernel.RunFunc]*watchedTable{}
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

// update exchanges the entries if they must do something else than before. Caller holds the mu of
// watchedTables.
func (t *watchedTable) update() {
	records, isProbed, isLabelled := t.recorders > 0, len(*t.probes.Load()) > 0, t.labels != nil
	if records == t.records && isProbed == t.isProbed && isLabelled == t.isLabelled {
		return
	}
	t.records, t.isProbed, t.isLabelled = records, isProbed, isLabelled
	now := slices.Clone(t.old)
	for id := kernel.UserIDs; id < len(now); id++ {
		if records {
			now[id] = recorded(flightlog.IndexOf(t.typ.Name, t.typ.Decls[id].Name), now[id])
		}
		if isProbed {
			now[id] = t.probed(id, now[id])
		}
		if isLabelled {
			now[id] = labelled(t.labels[id], now[id])
		}
	}
	t.probes.Store(t.probes.Load()) // a barrier: entries are complete before they are stored
	for id := kernel.UserIDs; id < len(now); id++ {
		exchange(t.runs, id, now[id])
	}
}

// unwatch ends a watch and restores the entries that no watch needs any more.
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

// exchange stores an entry into a table by which workers dispatch. A worker loads the entry once
// for each message, as one word and without an atomic, and follows it. It sees the old entry or the
// complete new one, because the caller has executed an atomic after it made the new entry. The race
// detector cannot know that, so it is off here.
//
//go:norace
//go:noinline
func exchange(runs []kernel.RunFunc, id int, run kernel.RunFunc) { runs[id] = run }

// probed returns the entry of a behaviour that has probes. It calls run between the probes.
func (t *watchedTable) probed(id int, run kernel.RunFunc) kernel.RunFunc {
	return func(c *kernel.Turn, a *kernel.Cell, m *kernel.Message) {
		probes, from := *t.probes.Load(), m.From&^msg.WasStashed
		for i := range probes {
			if p := &probes[i]; p.of.sys == c.Sys && p.probe[id].before != nil {
				p.probe[id].before(c, c.W.ID(), from)
			}
		}
		run(c, a, m)
		for i := range probes {
			if p := &probes[i]; p.of.sys == c.Sys && p.probe[id].after != nil {
				p.probe[id].after(c, c.W.ID(), from)
			}
		}
	}
}
