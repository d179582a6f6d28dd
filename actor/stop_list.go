package actor

import "github.com/gallop-go/gallop/internal/seam"

// stopList are two sorts of actors of a system. Some have mail although they are in no queue: they
// wait for their children or their supervisor, or have a stash. Others are known, by a link or a
// monitor, to actors of other systems, which must not wait for them, or keep them, for ever. When
// the system stops, all wards are made runnable once more, so that their mail becomes dead letters
// like everybody's, and the other systems' actors hear.
//
// That is when the last worker has gone: nobody becomes a ward any more, since that takes a turn.
type stopList struct {
	mu  seam.Mutex
	all indexedSet[cell] // guarded by mu
}

// add counts one reason why b is a ward. Owner of b only.
func (w *stopList) add(a *cell, x *coldState) {
	if x.stopReasons++; x.stopReasons == 1 {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all.add(a, &x.stopIndex)
	}
}

// remove takes one reason away. Owner of the actor only.
func (w *stopList) remove(x *coldState) {
	if x.stopReasons--; x.stopReasons == 0 {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all.remove(&x.stopIndex)
	}
}

// retain makes b a ward if other is of another system. The two are linked, or one watches the
// other. Owner of b only.
func (a *cell) retain(x *coldState, other *cell) {
	if other == nil || other.sys() == a.sys() {
		return
	}
	a.sys().stopList.add(a, x)
}

// release takes back what tie did. Owner of b only.
func (a *cell) release(x *coldState, other *cell) {
	if other != nil && other.sys() != a.sys() {
		a.sys().stopList.remove(x)
	}
}

// drop takes all reasons away.
func (w *stopList) drop(x *coldState) {
	if x.stopReasons > 0 {
		x.stopReasons = 1
		w.remove(x)
	}
}

// wakeAll makes all wards runnable, and so terminates them. After all workers have gone.
func (w *stopList) wakeAll(s *System) {
	w.mu.Lock()
	entries := append([]entry[cell](nil), w.all.entries...)
	w.mu.Unlock()
	for _, at := range entries {
		a := at.who
		if a.recall(nil) || a.box.push(newSignal(nil, nil)) == pushWoke {
			s.sched.Inject(&a.task)
		}
	}
}
