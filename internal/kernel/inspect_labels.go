package kernel

import "github.com/gallop-go/gallop/internal/seam"

// The labels of profiles are set by exchanged dispatch tables, as in inspect_watch.go. They are set
// when a worker runs a message of another behaviour than the one before. For any other message the
// entry compares one number and counts down another, both in the worker's Context. They are
// numbers, because a pointer would lead from Context to the description of its type in every
// program.
//
// All systems share an entry and the labels of a behaviour. A worker of a system without labels
// notices every few messages that there are none to set.

// behaviourLabels holds the labels of a behaviour, for all systems of the process. A worker reaches
// it through an exchanged entry. Its content is loaded by an atomic, which the race detector needs
// too.
type behaviourLabels struct{ of seam.Pointer[labelSet] }

// labelSet is the content of the labels of a behaviour. Read-only.
type labelSet struct {
	typ *TypeInfo
	set func() // gives the labels to the calling goroutine
}

// labelsOfWorker records the labels that the worker's goroutine was given last.
type labelsOfWorker struct {
	of         uint64 // the number of the labels; 0: none
	left       int    // messages until the labels are set again
	unlabelled uint64 // see [sched.Worker.Unlabelled]
}

// labelsAgain is the number of messages of one behaviour after which its labels are set again. A
// behaviour may have set labels of its own.
const labelsAgain = 16

// Label sets labels for the behaviours of each type for which fits returns true, until the system
// ends. For each behaviour of such a type, of returns the function that sets the labels of the
// calling goroutine.
func (in *Inspector) Label(fits func(typ string) bool,
	of func(typ, behaviour string) (set func())) {
	w := &watch{sys: in.S, fits: fits, labels: of}
	all := in.on()
	all.labels.add(fits)
	all.mu.Lock()
	defer all.mu.Unlock()
	all.watches = append(all.watches, w)
	in.eachTable(w.add)
}

// label makes labels for the behaviours of a table. Caller holds the mu of watchedTables.
func (t *watchedTable) label(w *watch) {
	if t.labels != nil {
		return
	}
	t.labels = make([]*behaviourLabels, len(t.runs))
	for id := UserIDs; id < len(t.runs); id++ {
		t.labels[id] = new(behaviourLabels)
		t.labels[id].of.Store(&labelSet{t.typ, w.labels(t.typ.Name, t.typ.Decls[id].Name)})
	}
}

// labelled returns an entry of a dispatch table that sets the labels if needed, and then runs the
// message.
//
//go:noinline
func labelled(l *behaviourLabels, run RunFunc) RunFunc {
	n := lastLabels.Add(1)
	return func(c *Turn, a *Cell, m *Message) {
		if w := &c.labels; w.left == 0 || w.of != n || w.unlabelled != c.W.Unlabelled() {
			c.setLabels(l, n)
		}
		c.labels.left--
		run(c, a, m)
	}
}

// lastLabels is the number of the labels that were made most recently.
var lastLabels seam.Uint64

// setLabels sets the labels l, if the system of the worker has labels for that type. Owner only.
func (c *Turn) setLabels(l *behaviourLabels, n uint64) {
	c.labels = labelsOfWorker{of: n, left: labelsAgain, unlabelled: c.W.Unlabelled()}
	i := c.Sys.inspected.Load()
	if i == nil {
		return
	}
	if o := l.of.Load(); i.all.(*inspected).isLabelled(o.typ) {
		o.set()
	}
}

// isLabelled reports whether the system has labels for a type.
func (i *inspected) isLabelled(t *TypeInfo) bool {
	if all := i.labels.now.Load(); all != nil {
		for _, fits := range *all {
			if (*fits)(t.Name) {
				return true
			}
		}
	}
	return false
}
