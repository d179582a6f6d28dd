package flow

import (
	"go/types"
	"maps"
	"strings"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
)

// Kind is the reason why values of a type may not simply be sent.
type Kind uint8

// The kinds.
const (
	Harmless Kind = iota // may be sent
	Shares               // a pointer, slice or map to shared memory
	Channel              // a channel of values that may not be sent
	Opaque               // a function or the like: the memory it reaches is unknown
)

// Mark is a fact about a type: its package says that values of it may be shared.
type Mark struct {
	Immutable bool // and no code writes to memory that it points to
}

// AFact marks a fact.
func (*Mark) AFact() {}

// Reason says why a type is not sendable.
type Reason struct {
	Kind Kind
	Path string     // to the part, as in ".Items[]"
	Part types.Type // the part
}

// librarySendable lists types of Go's library that may be sent: they do not change, or have locks.
var librarySendable = api.Names(`
	time.Time time.Location net/netip.Addr net/netip.AddrPort net/netip.Prefix regexp.Regexp
	log/slog.Logger log.Logger context.Context sync.Mutex sync.RWMutex sync.WaitGroup sync.Once
	sync.Map sync.Cond sync.Pool sync/atomic.Bool sync/atomic.Int32 sync/atomic.Int64
	sync/atomic.Uint32 sync/atomic.Uint64 sync/atomic.Uintptr sync/atomic.Value sync/atomic.Pointer
	unique.Handle database/sql.DB net/http.Client net/http.Server html/template.Template
	text/template.Template testing.T testing.B testing.TB reflect.Type os.File net.Conn net.Listener
	log/slog.Level io.Writer io.Reader
`)

// Sendable reports whether values of a type may be sent without a second thought, and if not, why.
func (p *Package) Sendable(t types.Type) (bool, Reason) {
	why, known := p.reasons[t]
	if !known {
		c := checker{p: p, seen: map[types.Type]bool{}}
		why = c.check(t, "")
		p.reasons[t] = why
	}
	if why == nil {
		return true, Reason{}
	}
	return false, *why
}

type checker struct {
	p        *Package
	seen     map[types.Type]bool
	deep     bool         // look into slices and maps too
	pointers bool         // and behind pointers
	found    func(Reason) // called for each part if deep
}

// bad notes a part that is not sendable. It returns nil if the search goes on.
func (c *checker) bad(r Reason) *Reason {
	if c.found == nil {
		return &r
	}
	c.found(r)
	return nil
}

func (c *checker) check(t types.Type, path string) *Reason {
	t = types.Unalias(t)
	if c.seen[t] {
		return nil // a recursive type is already being examined
	}
	c.seen[t] = true
	if yes, r := c.known(t, path); yes || r != nil {
		return r
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			return c.bad(Reason{Opaque, path, t})
		}
	case *types.Struct:
		for i := range u.NumFields() {
			if r := c.check(u.Field(i).Type(), path+"."+u.Field(i).Name()); r != nil {
				return r
			}
		}
	case *types.Array:
		return c.check(u.Elem(), path+"[]")
	case *types.Signature:
		return c.bad(Reason{Opaque, path, t})
	case *types.Chan:
		elem := checker{p: c.p, seen: maps.Clone(c.seen)}
		if elem.check(u.Elem(), path) != nil {
			return c.bad(Reason{Channel, path, t})
		}
	case *types.Pointer, *types.Slice, *types.Map:
		return c.reference(t, path)
	case *types.Interface:
		if IsAny(t) {
			return c.bad(Reason{Opaque, path, t})
		}
	}
	return nil
}

func (c *checker) reference(t types.Type, path string) *Reason {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		if s, ok := ptr.Elem().Underlying().(*types.Struct); ok && s.NumFields() == 0 {
			return nil // there is nothing to share
		}
	}
	if r := c.bad(Reason{Shares, path, t}); r != nil || !c.deep {
		return r
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if c.pointers {
			return c.check(u.Elem(), path)
		}
	case *types.Slice:
		return c.check(u.Elem(), path+"[]")
	case *types.Map:
		return c.check(u.Elem(), path+"[]")
	}
	return nil
}

// IsAny reports whether a type is an interface that everything implements.
func IsAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && !IsParam(t) && i.Empty()
}

// known judges types by their names: types of gallop, of the library, and marked ones.
func (c *checker) known(t types.Type, path string) (yes bool, why *Reason) {
	if yes, ifArgs := api.Sendable(t); yes {
		return true, nil
	} else if ifArgs {
		for _, arg := range api.TypeArgs(t) {
			if r := c.check(arg, path+"."+valueField); r != nil {
				return false, r
			}
		}
		return true, nil
	}
	if api.TypeName(t) == api.Party {
		return true, c.bad(Reason{Shares, path, t}) // of all that it may be, only its owner may use it
	}
	n := api.Named(t)
	if n == nil || n.Obj().Pkg() == nil {
		return n != nil && n.Obj().Name() == "error" && t == types.Type(n), nil
	}
	full := n.Obj().Pkg().Path() + "." + n.Obj().Name()
	if full == "reflect.Value" {
		return true, c.bad(Reason{Opaque, path, t})
	}
	if c.deep && !c.own(n.Obj().Pkg()) {
		if _, fn := n.Underlying().(*types.Signature); fn {
			return true, c.bad(Reason{Opaque, path, t}) // such as iter.Seq
		}
		return true, nil // other modules' types are their business
	}
	_, marked := c.p.MarkOf(n.Obj())
	return librarySendable[full] || marked, nil
}

// own reports whether a package is part of the same module: memory that other modules hide behind
// their pointers is not changed by this one.
func (c *checker) own(pkg *types.Package) bool {
	if pkg == c.p.Pkg {
		return true
	}
	m := c.p.Module
	return m != nil && m.Path != "" && !api.Is(pkg) &&
		(pkg.Path() == m.Path || strings.HasPrefix(pkg.Path(), m.Path+"/"))
}

// valueField is the field of a result or reply that has the value.
const valueField = "Value"

// MarkOf returns the mark of a type by its package.
func (p *Package) MarkOf(obj *types.TypeName) (Mark, bool) {
	if m, ok := p.marks[obj]; ok {
		return m, true
	}
	if obj.Pkg() == p.Pkg {
		return Mark{}, false
	}
	var m Mark
	ok := p.ImportObjectFact(obj, &m)
	return m, ok
}

// findMarks finds the declarations by which the package marks types of its own, such as
//
//	type _ = capability.Immutable[*Config]
func (p *Package) findMarks() {
	p.marks = map[*types.TypeName]Mark{}
	for ident, obj := range p.TypesInfo.Defs {
		tn, ok := obj.(*types.TypeName)
		if !ok || ident.Name != "_" || !tn.IsAlias() {
			continue
		}
		p.mark(tn)
	}
}

func (p *Package) mark(alias *types.TypeName) {
	t := types.Unalias(alias.Type())
	name := api.TypeName(t)
	if name != api.Immutable && name != api.Shared {
		return
	}
	for _, arg := range api.TypeArgs(t) {
		n := api.Named(arg)
		if n == nil || n.Obj().Pkg() != p.Pkg {
			continue
		}
		m := Mark{Immutable: name == api.Immutable}
		p.marks[n.Obj()] = m
		p.ExportObjectFact(n.Obj(), &m)
	}
}

// Worst returns the part of a type that makes it least fit to be sent. With pointers, targets of
// pointers count.
func (p *Package) Worst(t types.Type, pointers bool) Reason {
	c := checker{p: p, seen: map[types.Type]bool{}, deep: true, pointers: pointers}
	worst := Reason{}
	c.found = func(r Reason) {
		if r.Kind > worst.Kind {
			worst = r
		}
	}
	c.check(t, "")
	return worst
}
