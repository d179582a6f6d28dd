package inspect

import (
	"context"
	"runtime/pprof"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
)

// The labels of profiles are set by exchanged dispatch tables, as in watch.go. They are set when a
// worker runs a message of another behaviour than the one before. For any other message the entry
// compares one number and counts down another, both in the worker's kernel.Turn.
//
// All systems share an entry and the labels of a behaviour. A worker of a system without labels
// notices every few messages that there are none to set.

// behaviourLabels holds the labels of a behaviour, for all systems of the process. A worker reaches
// it through an exchanged entry. Its content is loaded by an atomic, which the race detector needs
// too.
type behaviourLabels struct{ of seam.Pointer[labelSet] }

// labelSet is the content of the labels of a behaviour. Read-only.
type labelSet struct {
	typ *kernel.TypeInfo
	set func() // gives the labels to the calling goroutine
}

// labelsAgain is the number of messages of one behaviour after which its labels are set again. A
// behaviour may have set labels of its own.
const labelsAgain = 16

// Labels implements observe.Labels. It sets labels for the behaviours of the types, until the
// system ends.
func Labels(sys *actor.System, types ...string) {
	s := of(sys)
	w := &watch{sys: s, fits: fits(types), labels: func(typ, behaviour string) (set func()) {
		ctx := pprof.WithLabels(context.Background(),
			pprof.Labels("gallop.type", typ, "gallop.behaviour", behaviour))
		return func() { pprof.SetGoroutineLabels(ctx) }
	}}
	all := on(s)
	all.labels.add(w.fits)
	all.mu.Lock()
	defer all.mu.Unlock()
	all.watches = append(all.watches, w)
	s.EachTable(w.add)
}

// label makes labels for the behaviours of a table. Caller holds the mu of watchedTables.
func (t *watchedTable) label(w *watch) {
	if t.labels != nil {
		return
	}
	t.labels = make([]*behaviourLabels, len(t.runs))
	for id := kernel.UserIDs; id < len(t.runs); id++ {
		t.labels[id] = new(behaviourLabels)
		t.labels[id].of.Store(&labelSet{t.typ, w.labels(t.typ.Name, t.typ.Decls[id].Name)})
	}
}

// labelled returns an entry of a dispatch table that sets the labels if needed, and then runs the
// message.
//
//go:noinline
func labelled(l *behaviourLabels, run kernel.RunFunc) kernel.RunFunc {
	n := lastLabels.Add(1)
	return func(c *kernel.Turn, a *kernel.Cell, m *kernel.Message) {
		if w := &c.Labels; w.Left == 0 || w.Of != n || w.Unlabelled != c.W.Unlabelled() {
			setLabels(c, l, n)
		}
		c.Labels.Left--
		run(c, a, m)
	}
}

// lastLabels is the number of the labels that were made most recently.
var lastLabels seam.Uint64

// setLabels sets the labels l, if the system of the worker has labels for that type. Owner only.
func setLabels(c *kernel.Turn, l *behaviourLabels, n uint64) {
	c.Labels = kernel.WorkerLabels{Of: n, Left: labelsAgain, Unlabelled: c.W.Unlabelled()}
	i, ok := c.Sys.Inspection().(*inspected)
	if !ok {
		return
	}
	if o := l.of.Load(); i.isLabelled(o.typ) {
		o.set()
	}
}

// isLabelled reports whether the system has labels for a type.
func (i *inspected) isLabelled(t *kernel.TypeInfo) bool {
	if all := i.labels.now.Load(); all != nil {
		for _, fits := range *all {
			if (*fits)(t.Name) {
				return true
			}
		}
	}
	return false
}
