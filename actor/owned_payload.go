package actor

import "github.com/gallop-go/gallop/heap"

// An owned payload has regions or parcels. These are discarded if the message will not run.

// discardOwned ends the regions and parcels in a message that will not run. The caller
// owns the message.
func (d *descriptor) discardOwned(m *message) {
	if o := d.typ.ownedIn()[d.id]; o.Any() {
		heap.DiscardIn(payloadOf[byte](m), o)
	}
}

// owns reports whether messages of d may own something. d's type is sealed.
func (d *descriptor) owns() bool { return d.typ.ownedIn()[d.id].Any() }

// ownedIn returns, for each behaviour, what its messages own.
func (t *typeInfo) ownedIn() []heap.Owned {
	if o := t.owned.Load(); o != nil {
		return *o
	}
	owned := make([]heap.Owned, len(t.decls))
	for i, d := range t.decls {
		if p := d.payloadType(); p != nil {
			owned[i] = heap.OwnedIn(p)
		}
	}
	t.owned.Store(&owned) // as in heapRoots
	return owned
}
