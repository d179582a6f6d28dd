package actor

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// What must hold of types, kinds and variants, in builds that check invariants.

// verifySealed checks a type that is about to be spawned: it never changes again.
func verifySealed(t *typeInfo, runs []runFunc) {
	invariant.Check(len(runs) > userIDs-1, "%s has %d behaviours, without the runtime's own", t.name, len(runs))
	for i, d := range t.decls {
		invariant.Check(isOwn(uint16(i)) || int(d.id) == i, "behaviour %s is number %d, and says %d", d.name, i, d.id)
		invariant.Check(isOwn(uint16(i)) || d.typ == t, "behaviour %s of another type is one of %s", d.name, t.name)
		invariant.Check(isOwn(uint16(i)) || d.size != nil, "behaviour %s has no messages", d.name)
		invariant.Check(isOwn(uint16(i)) || (d.urgent != nil) == (d.sizeID == noSizeClass), "behaviour %s is urgent: %v, and its stock is %d", d.name, d.urgent != nil, d.sizeID)
	}
}

// verifyTypeInSystem checks a kind before a system knows it. Under the system's mu.
func verifyTypeInSystem(k *typeInSystem) {
	invariant.Check(seam.Peek(&k.typ.sealed), "%s is spawned before it is sealed", k.typ.name)
	invariant.Check(k.batch >= 1, "%s has a batch of %d", k.typ.name, k.batch)
	invariant.Check(len(k.runs) == len(k.typ.decls), "%s dispatches %d of %d behaviours", k.typ.name, len(k.runs), len(k.typ.decls))
}

// verifyVariant checks the table of a variant that is about to be used.
func verifyVariant(v *variantInfo) {
	invariant.Check(seam.Peek(&v.typ.sealed), "a variant of %s is in use before that is sealed", v.typ.name)
	invariant.Check(len(v.table.runs) == len(v.typ.decls), "a variant of %s dispatches %d of %d behaviours", v.typ.name, len(v.table.runs), len(v.typ.decls))
	for d := range v.entries {
		invariant.Check(v.typ.decls[d.id] == d, "a variant of %s has another behaviour %d", v.typ.name, d.id)
	}
}
