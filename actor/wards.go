package actor

import "github.com/gallop-go/gallop/internal/seam"

// wards are two sorts of actors of a system. Some have mail although they are in no queue: they
// wait for their children or their supervisor, or have a stash. Others are known, by a link or a
// monitor, to actors of other systems, which must not wait for them, or keep them, for ever. When
// the system stops, all wards are made runnable once more, so that their mail becomes dead letters
// like everybody's, and the other systems' actors hear.
//
// That is when the last worker has gone: nobody becomes a ward any more, since that takes a turn.
type wards struct {
	mu  seam.Mutex
	all roster[body] // guarded by mu
}

// add counts one reason why b is a ward. Owner of b only.
func (w *wards) add(b *body, x *extras) {
	if x.ward++; x.ward == 1 {
		w.mu.Lock()
		w.all.add(b, &x.place)
		w.mu.Unlock()
	}
}

// remove takes one reason away. Owner of the actor only.
func (w *wards) remove(x *extras) {
	if x.ward--; x.ward == 0 {
		w.mu.Lock()
		w.all.remove(&x.place)
		w.mu.Unlock()
	}
}

// tie makes b a ward if other is of another system. The two are linked, or one watches the other.
// Owner of b only.
func (b *body) tie(x *extras, other *body) {
	if other == nil || other.sys() == b.sys() {
		return
	}
	b.sys().wards.add(b, x)
}

// untie takes back what tie did. Owner of b only.
func (b *body) untie(x *extras, other *body) {
	if other != nil && other.sys() != b.sys() {
		b.sys().wards.remove(x)
	}
}

// drop takes all reasons away.
func (w *wards) drop(x *extras) {
	if x.ward > 0 {
		x.ward = 1
		w.remove(x)
	}
}

// rouse makes all wards runnable, and so buries them. After all workers have gone.
func (w *wards) rouse(s *System) {
	w.mu.Lock()
	entries := append([]entry[body](nil), w.all.entries...)
	w.mu.Unlock()
	for _, at := range entries {
		b := at.who
		if b.recall(nil) || b.box.push(newSignal(nil, nil)) == pushWoke {
			s.sched.Inject(&b.task)
		}
	}
}
