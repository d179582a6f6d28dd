package kernel

import "sync"

// VariantInfo is the part of an actor.Variant that does not depend on the type of the state.
type VariantInfo struct {
	Typ     *TypeInfo
	entries map[*Descriptor]RunFunc
	once    sync.Once
	table   table
}

// Give gives a behaviour another method. It is not inlined: see TypeInfo.Made.
//
//go:noinline
func (v *VariantInfo) Give(d *Descriptor, run RunFunc) {
	switch {
	case d == nil:
		PanicMisuse(v.Typ.Name, ".Variant: an entry without a behaviour")
	case d.Typ != v.Typ:
		PanicMisuse(v.Typ.Name, ".Variant: "+d.FullName()+" was declared for another type")
	case v.entries[d] != nil:
		PanicMisuse(v.Typ.Name, ".Variant: "+d.FullName()+" got two methods")
	}
	if v.entries == nil {
		v.entries = make(map[*Descriptor]RunFunc)
	}
	v.entries[d] = run
}

// fill makes the table. By then the type's own table is complete.
func (v *VariantInfo) fill() {
	for _, d := range v.Typ.Decls { // and not its table, which may be watched
		v.table.Runs = append(v.table.Runs, d.run)
	}
	v.Typ.variants.Add(v)
	for d, run := range v.entries {
		v.table.Runs[d.ID] = run
	}
}

// Become implements the function Become of package actor. It panics if v is zero.
func (c *Turn) Become(v *VariantInfo) {
	if v.Typ == nil {
		panic("gallop: Become: a nil or zero Variant: use Type.Variant")
	}
	MustRun(c, "Become")
	if c.Self.Shared().Typ != v.Typ {
		panic("gallop: Become: " + c.Self.String() + " cannot become a variant of " + v.Typ.Name)
	}
	v.once.Do(v.fill)
	t := c.Sys.variantOf(v)
	if i := c.Sys.inspected.Load(); i != nil && c.Sys.Sim == nil {
		(*i).Dispatch(v.Typ, t.Runs)
	}
	DispatchBy(c.Self, t)
	c.Then |= TurnTable
}

// Ends implements Part, for the table of a variant.
func (*table) Ends(a *Cell, _ Env, at Ending, _ error) {
	if at == atLifeEnd || at == atEnd {
		DispatchBy(a, nil)
	}
}

// DispatchBy changes the table to that of a variant or, if v is nil, to the type's own. The running
// segment still uses the old table. Callers in a behaviour end the segment by TurnTable. Owner
// only.
func DispatchBy(a *Cell, v *table) {
	switch {
	case v != nil:
		a.MakeCold().Parts[VariantPart] = v
	case a.Cold != nil:
		a.Cold.Parts[VariantPart] = nil
	}
	a.Became = v != nil || a.Shared().Sys.Sim != nil
}

// Runs returns the table by which the actor dispatches. Owner only.
func (a *Cell) Runs() []RunFunc {
	runs := a.Shared().runs
	if a.Became {
		runs = a.otherRuns()
	}
	return runs
}

// otherRuns is Runs for an actor that does not dispatch by its type's own table.
//
//go:noinline
func (a *Cell) otherRuns() []RunFunc {
	var v *table
	runs := a.Shared().runs
	if a.Cold != nil {
		if v, _ = a.Cold.Parts[VariantPart].(*table); v != nil {
			runs = v.Runs
		}
	}
	if s := a.Shared().Sys.Sim; s != nil {
		return s.runs(a.Shared().Typ, v, runs)
	}
	return runs
}
