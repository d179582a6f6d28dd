package actor

import "github.com/gallop-go/gallop/internal/kernel"

// Variant is another dispatch table of a type, which its actors can [Become]. Make one
// at package level with [Type.Variant]. It must not be copied after first use.
type Variant[S any] struct{ info kernel.VariantInfo }

// Variant makes a dispatch table in which some behaviours have other methods. A
// behaviour without an entry keeps its method of [Type.Table]. Variant panics if an
// entry is of another type or if a behaviour is given twice.
func (t *Type[S]) Variant(entries ...Entry[S]) *Variant[S] {
	v := new(Variant[S])
	v.info.Typ = infoOf(t).Made("Variant")
	for _, e := range entries {
		v.info.Give(e.decl, e.run)
	}
	return v
}

// Become makes the running actor dispatch by v, from its next message on, until another
// Become, an [Unbecome] or a restart. It panics if v is nil or zero, or belongs to another
// type. Dispatching by v costs no more than by the type's own table.
func Become[S any](c *Context, v *Variant[S]) {
	if v == nil {
		v = new(Variant[S])
	}
	c.kernel().Become(&v.info)
}

// Unbecome makes the running actor dispatch by its type's own table again.
func Unbecome(c *Context) {
	turn := c.kernel()
	kernel.MustRun(turn, "Unbecome")
	kernel.DispatchBy(turn.Self, nil)
	turn.Then |= kernel.TurnTable
}
