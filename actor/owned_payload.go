package actor

import "github.com/gallop-go/gallop/heap"

// Freight is what a message owns: regions and parcels. It is discarded if the message will not run.

// discardOwned ends the regions and parcels in a message that will not run. The caller
// owns the message.
func (d *descriptor) discardOwned(m *message) {
	if o := d.typ.ownedIn()[d.id]; o.Any() {
		heap.DiscardIn(payloadOf[byte](m), o)
	}
}

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
