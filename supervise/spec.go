package supervise

import (
	"reflect"
	"strings"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Strategy says which children are restarted when a child has fallen.
type Strategy uint8

// The strategies, as in Erlang.
const (
	// OneForOne restarts only the child that fell.
	OneForOne Strategy = iota
	// OneForAll restarts all children.
	OneForAll
	// RestForOne restarts the child that fell and those behind it.
	RestForOne
	// SimpleOneForOne restarts only the child that fell. All children are made from one
	// template, while the supervisor runs.
	SimpleOneForOne
)

// String returns Erlang's name of the strategy.
func (s Strategy) String() string {
	return nameIn(int(s), "one_for_one", "one_for_all", "rest_for_one", "simple_one_for_one")
}

// groups tells whether a fall concerns others.
func (s Strategy) groups() bool { return s == OneForAll || s == RestForOne }

// Restart says which ends of a child count as falls.
type Restart uint8

// The kinds of children, as in Erlang. An end is normal if its reason is nil or
// [actor.ErrShutdown] itself. It is not normal if its reason is an error that wraps
// ErrShutdown, or a panic.
const (
	// Permanent: every end is a fall.
	Permanent Restart = iota
	// Transient: every end is a fall, except a normal one.
	Transient
	// Temporary: no end is a fall. The child is forgotten when it ends, and also when it
	// has to go down with others.
	Temporary
)

// String returns Erlang's name of the kind.
func (r Restart) String() string { return nameIn(int(r), "permanent", "transient", "temporary") }

func nameIn(i int, names ...string) string {
	if i >= len(names) {
		return "unknown"
	}
	return names[i]
}

// Child declares a child: it is a [Worker], a [Spec] of a supervisor below, or what
// [Like] returns. No other type can implement it.
type Child interface {
	child() *childSpec
}

// specOf returns what a declaration says. It returns nil for a nil Child, and for a nil pointer.
func specOf(ch Child) *childSpec {
	if v := reflect.ValueOf(ch); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return ch.child()
}

// Worker declares a child with state S that is not a supervisor.
type Worker[S any] struct {
	// Name tells the child from its siblings.
	Name string
	// Type is the actor type of the child. It is sealed, as by a spawn, when the
	// declaration is started.
	Type *actor.Type[S]
	// Init makes the child's state, out of the zero state, at every start, in the child's
	// own turn. nil leaves the zero state.
	Init func(*S)
	// Restart says which ends of the child are falls.
	Restart Restart
	// Backoff says how long a restart is put off. The zero Backoff does not put it off.
	Backoff Backoff
	// Stop says how the child is stopped.
	Stop Ending
}

func (w Worker[S]) child() *childSpec {
	spec := &childSpec{name: w.Name, kind: w.Restart, backoff: w.Backoff, stop: w.Stop.or(StopWithin(5 * time.Second))}
	if w.Type == nil {
		spec.wrong = "a Worker without a Type"
		return spec
	}
	if err := actor.Seal(w.Type); err != nil { // now, and not where the supervisor spawns it, who would end over that
		spec.wrong = strings.TrimPrefix(err.Error(), "gallop: ")
	}
	spec.typ = w.Type.Name()
	spec.spawn = w.spawner(w.Init)
	spec.like = func(init any) (spawner, bool) {
		f, ok := init.(func(*S))
		if f == nil {
			f = w.Init
		}
		return w.spawner(f), ok
	}
	return spec
}

// spawner spawns a child.
type spawner func(c *actor.Context, care actor.Care[supervisor]) actor.AnyRef

func (w Worker[S]) spawner(init func(*S)) spawner {
	if init == nil {
		init = func(*S) {}
	}
	return func(c *actor.Context, care actor.Care[supervisor]) actor.AnyRef {
		return actor.SpawnUnder(c, w.Type, init, care).Any()
	}
}

// Spec declares a supervisor, for [Start] or as a child of another supervisor. It is
// data: nothing runs before it is started, and it may be started more than once.
type Spec struct {
	// Name tells the supervisor from its siblings.
	Name string
	// Strategy says which children are restarted, and Intensity how often.
	Strategy  Strategy
	Intensity Intensity
	// Children are started in this order, and stopped in the opposite order.
	Children []Child
	// Template is a [Worker] from which the children of SimpleOneForOne are made. Its name
	// does not matter.
	Template Child

	// Restart, Backoff and Stop are as in [Worker], for a supervisor that is a child.
	Restart Restart
	Backoff Backoff
	Stop    Ending
}

func (s Spec) child() *childSpec {
	p := newPlan(s)
	return &childSpec{
		name: s.Name, kind: s.Restart, backoff: s.Backoff, stop: s.Stop.or(StopWithin(Forever)),
		typ: supervisorType.Name(), plan: p, wrong: p.wrong,
		spawn: func(c *actor.Context, care actor.Care[supervisor]) actor.AnyRef {
			boss := actor.Self[supervisor](c)
			return actor.SpawnUnder(c, supervisorType, func(s *supervisor) { s.plan, s.boss = p, boss }, care).Any()
		},
	}
}

// Like declares a child of a supervisor with [SimpleOneForOne]. The child is like the
// template, but has this name and, unless init is nil, this state.
//
// A child without a name is called what its first ref says, as in "session#12", or
// "session#12.2" if a sibling was given that name. It keeps this name when it is killed
// and a new actor, with another ref, takes its place.
func Like[S any](name string, init func(*S)) Child { return like{name, init} }

type like struct {
	name string
	init any
}

func (l like) child() *childSpec { return &childSpec{name: l.name, init: l.init, isLike: true} }

// childSpec is a declaration without its type. Read-only.
type childSpec struct {
	name    string
	typ     string
	kind    Restart
	backoff Backoff
	stop    Ending
	plan    *plan // of a supervisor; nil: a worker
	spawn   spawner
	like    func(init any) (spawner, bool)
	wrong   string // why it cannot be started

	isLike bool // it is to be made from a template
	init   any
}

// from makes a declaration out of a template.
func (s *childSpec) from(template *childSpec) (*childSpec, bool) {
	spawn, ok := template.like(s.init)
	made := *template
	made.name, made.spawn = s.name, spawn
	return &made, ok
}
