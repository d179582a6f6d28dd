package supervise

import (
	"reflect"
	"strings"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Strategy says which children are restarted when a child has failed.
type Strategy uint8

// The strategies, as in Erlang.
const (
	// OneForOne restarts only the child that failed.
	OneForOne Strategy = iota
	// OneForAll restarts all children.
	OneForAll
	// RestForOne restarts the child that failed and all younger ones.
	RestForOne
	// SimpleOneForOne restarts only the child that failed. All children are made from one template,
	// while the supervisor runs.
	SimpleOneForOne
)

// String returns Erlang's name of the strategy.
func (s Strategy) String() string {
	return nameIn(int(s), "one_for_one", "one_for_all", "rest_for_one", "simple_one_for_one")
}

// restartsGroup reports whether the failure of one child restarts others too.
func (s Strategy) restartsGroup() bool { return s == OneForAll || s == RestForOne }

// Restart says which ends of a child count as failures. A child that fails is restarted.
type Restart uint8

// The kinds of children, as in Erlang. An end is normal if [actor.IsNormal] says so of its reason:
// nil, [actor.ErrShutdown] itself, or an error made by [actor.Normal]. It is not normal if its
// reason is an error that wraps one of these, or a panic.
const (
	// Permanent: every end is a failure.
	Permanent Restart = iota
	// Transient: every end is a failure, except a normal one.
	Transient
	// Temporary: no end is a failure. The child is forgotten when it ends; a group restart ends it.
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

// Child declares a child: it is a [Worker], a [Spec] of a supervisor below, or the result of
// [FromTemplate]. No other type can implement it.
type Child interface {
	child() *childSpec
}

// specOf returns the childSpec of a declaration; nil for a nil Child and for a nil pointer.
func specOf(ch Child) *childSpec {
	if v := reflect.ValueOf(ch); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return ch.child()
}

// Worker declares a child with state S that is not a supervisor.
type Worker[S any] struct {
	// Name identifies the child among its siblings.
	Name string
	// Type is the actor type of the child. It is sealed, as by a spawn, when the
	// declaration is started.
	Type *actor.Type[S]
	// Init makes the child's state from the zero state, at every start, in the child's own turn.
	// nil keeps the zero state.
	Init func(*S)
	// Restart says which ends of the child are failures.
	Restart Restart
	// Backoff says how long a restart is delayed. The zero Backoff is the default.
	Backoff Backoff
	// Intensity, if not zero, is the child's own: its restarts count for it and not for that of the
	// supervisor. If there are too many, the child ends for good.
	Intensity Intensity
	// Stop says how the child is stopped.
	Stop Shutdown
	// Decide, if not nil, decides by the error what follows when the child panics, exits with an
	// error, or cannot start: see [Decision]. [DecideRestart] leaves it to Restart; DecideStop ends
	// the child for good, and its siblings go on; DecideEscalate makes the supervisor give up.
	// Decide runs in the child's turn and must not block.
	Decide func(reason error) Decision
	// DropMail makes a dead letter of each message that waits when a life of the child ends, also of
	// stashed and of urgent ones, with the reason [actor.ErrRestarted]: the caller of a request among
	// them gets that error. Messages that come later run in the next life. Without DropMail, queued
	// and stashed messages run in the next life, in order. Requests whose callers have given up by the
	// restart are dropped all the same.
	DropMail bool
	// WhileDown is how many messages are kept for the child while it waits for its back-off,
	// besides earlier mail: 1,000 if it is 0, none with [RefuseWhileDown]. Further messages become
	// dead letters with the reason [actor.ErrSuspended]. Requests fail with that error at once,
	// unless the caller chose to wait: see [WaitForRestart].
	WhileDown int
}

// RefuseWhileDown is the WhileDown that keeps no message.
const RefuseWhileDown = -1

func (w Worker[S]) child() *childSpec {
	spec := &childSpec{name: w.Name, commonSpec: &commonSpec{
		restart: w.Restart, backoff: w.Backoff.orDefault(), intensity: w.Intensity,
		stop:   w.Stop.orDefault(StopWithin(5 * time.Second)),
		decide: w.Decide, dropMail: w.DropMail, whileDown: w.WhileDown,
	}}
	if w.Type == nil {
		spec.problem = "a Worker without a Type"
		return spec
	}
	// A wrong Type is found here: where the supervisor spawns the child, it would end over it.
	if err := (*kernel.AnyType)(w.Type).Info().SealOrError(); err != nil {
		spec.problem = strings.TrimPrefix(err.Error(), "gallop: ")
	}
	spec.typeName = w.Type.Name()
	spec.spawn = w.spawner(w.Init)
	spec.withInit = func(init any) (spawner, bool) {
		f, ok := init.(func(*S))
		if f == nil {
			f = w.Init
		}
		return w.spawner(f), ok
	}
	return spec
}

// spawnArgs are the arguments of a supervisor for the spawner of a child.
type spawnArgs struct {
	options kernel.ChildOptions
	parent  *supervisor
	child   *child
	// failFast: the child, if it is a supervisor, ends if one of its children cannot start.
	failFast bool
}

// spawner spawns the actor of a child.
type spawner func(c *actor.Context, b spawnArgs) actor.AnyRef

func (w Worker[S]) spawner(init func(*S)) spawner {
	if init == nil {
		init = func(*S) {}
	}
	return func(c *actor.Context, b spawnArgs) actor.AnyRef {
		return spawnUnder(c, w.Type, init, b.options)
	}
}

// spawnUnder spawns a child of the running actor, which supervises it.
func spawnUnder[S any](c *actor.Context, t *actor.Type[S], init func(*S),
	o kernel.ChildOptions) actor.AnyRef {
	return actor.AnyRef(kernel.SpawnUnder(kernel.TurnOf(c), (*kernel.AnyType)(t).Info(), init, o))
}

// Spec declares a supervisor, for [Start] or as a child of another supervisor. It is
// data: nothing runs before it is started, and it may be started more than once.
type Spec struct {
	// Name identifies the supervisor among its siblings.
	Name string
	// Strategy says which children are restarted, and Intensity how often.
	Strategy  Strategy
	Intensity Intensity
	// Children are started in this order, and stopped in the opposite order.
	Children []Child
	// Template is a [Worker] from which the children of SimpleOneForOne are made. Its Name is not
	// used.
	Template Child
	// OnEvent, if not nil, is called with each [Event] of this supervisor and of the supervisors
	// below that have no OnEvent of their own. It is called in the supervisor's turn, so it must be
	// quick and must not wait for the system. A panic in it is logged. Events are logged whether
	// there is an OnEvent or not; of many that are alike only some are: see the package comment.
	OnEvent func(Event)

	// Restart, Backoff, Stop and Decide are as in [Worker], for a supervisor that is a child,
	// and OwnIntensity is as Intensity there.
	Restart      Restart
	Backoff      Backoff
	OwnIntensity Intensity
	Stop         Shutdown
	Decide       func(reason error) Decision
}

func (s Spec) child() *childSpec {
	sp := checkSpec(s)
	return &childSpec{
		name: s.Name,
		commonSpec: &commonSpec{
			restart: s.Restart, backoff: s.Backoff.orDefault(), intensity: s.OwnIntensity,
			stop:     s.Stop.orDefault(StopWithin(Forever)),
			typeName: supervisorType.Name(), supervisor: sp, problem: sp.problem, decide: s.Decide,
		},
		spawn: func(c *actor.Context, b spawnArgs) actor.AnyRef {
			parent, path, table, strict := actor.Self[supervisor](c), b.parent.pathOf(b.child),
				b.child.below, b.failFast
			place := b.parent.placeOf(b.child)
			init := func(s *supervisor) {
				*s = supervisor{spec: sp, parent: parent, path: path, place: place, names: table,
					failFast: strict}
				strict = false // after a restart, a failed start is retried
			}
			return spawnUnder(c, supervisorType, init, b.options)
		},
	}
}

// FromTemplate declares a child of a supervisor with [SimpleOneForOne]. The child is like the
// template, but has this name and, unless init is nil, this state.
//
// A child without a name is named after its first ref, as in "session#12", or "session#12.2" if a
// sibling was given that name. It keeps this name when it is killed and replaced by a new actor,
// with another ref.
func FromTemplate[S any](name string, init func(*S)) Child { return templated{name, init} }

type templated struct {
	name string
	init any
}

func (l templated) child() *childSpec {
	return &childSpec{name: l.name, commonSpec: &commonSpec{}, init: l.init, fromTemplate: true}
}

// childSpec is a checked declaration of a child, independent of its state type. Read-only.
type childSpec struct {
	name  string
	spawn spawner
	*commonSpec

	fromTemplate bool // made by FromTemplate: it needs a template
	init         any
}

// commonSpec is the part of a childSpec that all children of one template share.
type commonSpec struct {
	typeName   string
	restart    Restart
	backoff    Backoff
	stop       Shutdown
	supervisor *supervisorSpec // nil: the child is a worker

	intensity Intensity // its own; zero: the supervisor's applies
	decide    func(error) Decision
	dropMail  bool
	whileDown int

	withInit func(init any) (spawner, bool)
	problem  string // why it cannot be started; "": it can
}

// instantiate makes a childSpec from a template. It reports false if init is for another state.
func (s *childSpec) instantiate(template *childSpec) (*childSpec, bool) {
	spawn, ok := template.withInit(s.init)
	return &childSpec{name: s.name, spawn: spawn, commonSpec: template.commonSpec}, ok
}
