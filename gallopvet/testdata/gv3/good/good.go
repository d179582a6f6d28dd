// Package good has what GV3 must not report.
package good

import (
	"slices"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/capability"
)

type words struct{ all []string }

type iso = capability.Iso[words]

type holder struct {
	w iso
	v capability.Val[words]
	n int
}

// Again makes a new one before the next use.
func Again(n int) iso {
	i := capability.NewIso[words](nil)
	for range n {
		_ = i.Move()
		i = capability.NewIso[words](nil)
	}
	return i.Move()
}

// Chain goes on with what Move returns.
func Chain() *words {
	i := capability.NewIso[words](nil)
	i = i.Move()
	i = i.Move()
	return i.Take()
}

// Branches give it away once each.
func Branches(b bool) {
	i := capability.NewIso[words](nil)
	if b {
		_ = i.Move()
	} else {
		_ = i.Freeze()
	}
}

// Same asks the same question twice.
func Same(b bool) {
	i := capability.NewIso[words](nil)
	if b {
		_ = i.Move()
	}
	if !b {
		_ = i.Freeze()
	}
}

// Early returns.
func Early(b bool) {
	i := capability.NewIso[words](nil)
	if b {
		_ = i.Move()
		return
	}
	i.Use(func(*words) {})
}

// Asked looks whether it is gone.
func Asked(b bool) {
	i := capability.NewIso[words](nil)
	if b {
		_ = i.Move()
	}
	if !i.Gone() {
		i.Use(func(*words) {})
	}
	_ = i.IsZero()
}

// Fields are put anew.
func (h *holder) Fields() {
	_ = h.w.Move()
	h.w = capability.NewIso[words](nil)
	h.w.Use(func(w *words) {})
	_ = h.w.Move()
	h.renew()
	_ = h.w.Move()
}

func (h *holder) renew() { h.w = capability.NewIso[words](nil) }

// Refused is the caller's again.
func (h *holder) Refused(c *actor.Context, to actor.Ref[holder]) {
	i := capability.NewIso[words](nil)
	if err := take.TrySend(c, to, i); err != nil {
		i.Use(func(*words) {})
	}
}

// Copies leave.
func (h *holder) Copies() []string {
	var n int
	var all []string
	h.w.Use(func(w *words) {
		n = len(w.all)
		all = slices.Clone(w.all)
		h.n = n
		first := w.all
		first[0] = "x"
	})
	h.v.View(func(w *words) { n += len(w.all) })
	got := h.v.Get()
	got.all = append(slices.Clone(got.all), "more")
	got.all[0] = "x"
	return all
}

// Built is made from copies, and from what is not used any more.
func Built(all []string, text string) iso {
	fresh := []string{text}
	_ = capability.NewIso(func(w *words) { w.all = slices.Clone(all) })
	return capability.NewIso(func(w *words) { w.all = fresh })
}

// Take takes.
func (h *holder) Take(_ *actor.Context, i iso) { h.w = i }

var (
	holderType = actor.NewType[holder]("holder")
	take       = actor.Declare[iso](holderType, "take")
	_          = holderType.Table(take.Handle((*holder).Take))
)
