package actor

import "github.com/gallop-go/gallop/internal/seam"

// Labels of profiles are set by exchanged dispatch tables, as in inspect_watch.go, at the messages
// at which a worker comes to another behaviour than before. A message that finds the labels set
// compares a number and counts down another, both of the worker's Context. A pointer there would
// have the description of its type in every program.
//
// An entry is common to all systems, and so are the labels of a behaviour. A worker of a system
// without labels learns from its own system, once in a while, that there is nothing to set.

// behaviourLabels are those of a behaviour, for all systems of the process. A worker comes to them
// by way of an exchanged entry: so what they say is behind an atomic, for the race detector too.
type behaviourLabels struct{ of seam.Pointer[labelSet] }

// labelSet is what the labels of a behaviour are. Read-only.
type labelSet struct {
	typ *typeInfo
	set func() // gives them to the goroutine that calls it
}

// labelsOfWorker are the labels that the worker's goroutine was given last.
type labelsOfWorker struct {
	of         uint64 // their number; 0: none
	left       int    // messages until they are set again
	unlabelled uint64 // see [sched.Worker.Unlabelled]
}

// labelsAgain is how many messages of one behaviour run before its labels are set again: a
// behaviour may have set others.
const labelsAgain = 16

// Label gives goroutines labels, by the functions that of returns for the behaviours of the types
// that fit, until the system ends.
func (in *inspector) Label(fits func(typ string) bool,
	of func(typ, behaviour string) (set func())) {
	w := &watch{sys: in.s, fits: fits, labels: of}
	all := in.on()
	all.labels.add(fits)
	all.mu.Lock()
	defer all.mu.Unlock()
	all.watches = append(all.watches, w)
	in.eachTable(w.add)
}

// label gives the behaviours of a table their labels. Caller holds the mu of watchedTables.
func (t *watchedTable) label(w *watch) {
	if t.labels != nil {
		return
	}
	t.labels = make([]*behaviourLabels, len(t.runs))
	for id := userIDs; id < len(t.runs); id++ {
		t.labels[id] = new(behaviourLabels)
		t.labels[id].of.Store(&labelSet{t.typ, w.labels(t.typ.name, t.typ.decls[id].name)})
	}
}

// labelled returns an entry of a dispatch table that sees to the labels, and then goes on.
//
//go:noinline
func labelled(l *behaviourLabels, run runFunc) runFunc {
	n := lastLabels.Add(1)
	return func(c *Context, a *cell, m *message) {
		if w := &c.labels; w.left == 0 || w.of != n || w.unlabelled != c.w.Unlabelled() {
			c.setLabels(l, n)
		}
		c.labels.left--
		run(c, a, m)
	}
}

// lastLabels is the number of the labels that were made last.
var lastLabels seam.Uint64

// setLabels sets labels, unless those of another system are meant. Owner only.
func (c *Context) setLabels(l *behaviourLabels, n uint64) {
	c.labels = labelsOfWorker{of: n, left: labelsAgain, unlabelled: c.w.Unlabelled()}
	i := c.sys.inspected.Load()
	if i == nil {
		return
	}
	if o := l.of.Load(); i.all.(*inspected).isLabelled(o.typ) {
		o.set()
	}
}

// isLabelled reports whether the system has labels for a type.
func (i *inspected) isLabelled(t *typeInfo) bool {
	if all := i.labels.now.Load(); all != nil {
		for _, fits := range *all {
			if (*fits)(t.name) {
				return true
			}
		}
	}
	return false
}
