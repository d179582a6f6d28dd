package actor

import "sync"

// Variant is another dispatch table of a type, which its actors can [Become]. Make one
// at package level with [Type.Variant]. It must not be copied after first use.
type Variant[S any] struct{ info variantInfo }

// variantInfo is the part of a Variant that does not depend on the type of the state.
type variantInfo struct {
	typ     *typeInfo
	entries map[*descriptor]runFunc
	once    sync.Once
	table   table
}

// Variant makes a dispatch table in which some behaviours have other methods. A
// behaviour without an entry keeps its method of [Type.Table]. Variant panics if an
// entry is of another type or if a behaviour is given twice.
func (t *Type[S]) Variant(entries ...Entry[S]) *Variant[S] {
	v := new(Variant[S])
	v.info.typ = infoOf(t).made("Variant")
	for _, e := range entries {
		v.info.give(e.decl, e.run)
	}
	return v
}

// give gives a behaviour another method. It is not inlined: see typeInfo.made.
//
//go:noinline
func (v *variantInfo) give(d *descriptor, run runFunc) {
	switch {
	case d == nil:
		panicMisuse(v.typ.name, ".Variant: an entry without a behaviour")
	case d.typ != v.typ:
		panicMisuse(v.typ.name, ".Variant: "+d.fullName()+" was declared for another type")
	case v.entries[d] != nil:
		panicMisuse(v.typ.name, ".Variant: "+d.fullName()+" got two methods")
	}
	if v.entries == nil {
		v.entries = make(map[*descriptor]runFunc)
	}
	v.entries[d] = run
}

// fill makes the table. By then the type's own table is complete.
func (v *variantInfo) fill() {
	for _, d := range v.typ.decls { // and not its table, which may be watched
		v.table.runs = append(v.table.runs, d.run)
	}
	v.typ.variants.Add(v)
	for d, run := range v.entries {
		v.table.runs[d.id] = run
	}
}

// Become makes the running actor dispatch by v, from its next message on, until another
// Become, an [Unbecome] or a restart. It panics if v is nil or zero, or belongs to another
// type. Dispatching by v costs no more than by the type's own table.
func Become[S any](c *Context, v *Variant[S]) {
	if v == nil {
		v = new(Variant[S])
	}
	c.kernel().become(&v.info)
}

func (c *kernelTurn) become(v *variantInfo) {
	if v.typ == nil {
		panic("gallop: Become: a nil or zero Variant: use Type.Variant")
	}
	mustRun(c, "Become")
	if c.self.shared().typ != v.typ {
		panic("gallop: Become: " + c.self.String() + " cannot become a variant of " + v.typ.name)
	}
	v.once.Do(v.fill)
	t := c.sys.variantOf(v)
	if i := c.sys.inspected.Load(); i != nil && c.sys.sim == nil {
		i.dispatch(v.typ, t.runs)
	}
	dispatchBy(c.self, t)
	c.then |= turnTable
}

// Unbecome makes the running actor dispatch by its type's own table again.
func Unbecome(c *Context) {
	turn := c.kernel()
	mustRun(turn, "Unbecome")
	dispatchBy(turn.self, nil)
	turn.then |= turnTable
}

// ends implements part, for the table of a variant.
func (*table) ends(a *cell, _ env, at ending, _ error) {
	if at == atLifeEnd || at == atEnd {
		dispatchBy(a, nil)
	}
}

// dispatchBy changes the table to that of a variant or, if v is nil, to the type's own. The running
// segment still uses the old table. Callers in a behaviour end the segment by turnTable. Owner
// only.
func dispatchBy(a *cell, v *table) {
	switch {
	case v != nil:
		a.makeCold().parts[variantPart] = v
	case a.cold != nil:
		a.cold.parts[variantPart] = nil
	}
	a.became = v != nil || a.shared().sys.sim != nil
}

// runs returns the table by which the actor dispatches. Owner only.
func (a *cell) runs() []runFunc {
	runs := a.shared().runs
	if a.became {
		runs = a.otherRuns()
	}
	return runs
}

// otherRuns is runs for an actor that does not dispatch by its type's own table.
//
//go:noinline
func (a *cell) otherRuns() []runFunc {
	var v *table
	runs := a.shared().runs
	if a.cold != nil {
		if v, _ = a.cold.parts[variantPart].(*table); v != nil {
			runs = v.runs
		}
	}
	if s := a.shared().sys.sim; s != nil {
		return s.runs(a.shared().typ, v, runs)
	}
	return runs
}
