package actor

import (
	"errors"
	"reflect"

	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/loglimit"
	"github.com/gallop-go/gallop/internal/sim"
)

// Other packages of this module, such as supervise, group and actortest, need more of this package
// than its public API. They call it through the function variables of packages access and sim,
// which document them. The init function sets the variables.

func init() {
	access.SpawnUnder = func(c, typ, init any, o access.ChildOptions) any {
		t := typ.(interface {
			spawnUnder(*Context, any, access.ChildOptions) *cell
		})
		return AnyRef{t.spawnUnder(c.(*Context), init, o)}
	}
	access.Postpone = func(from, child any) { postpone(from.(Sender), child.(Target)) }
	access.Standby = func(from, child any) { putOnStandby(from.(Sender), child.(Target)) }
	access.DrainBehind = func(from, to any) { drainBehindMail(from.(Sender), to.(Target)) }
	access.FamilyOf = func(c any) any { return c.(*Context).kernel().family() }
	access.WaitForRestart = waitForRestart
	access.PathOf = func(c any) string { return c.(*Context).kernel().path() }
	access.DecisionOf = func(down any) access.Decision { return down.(ChildDown).decision }
	access.ActorOf = actorOf
	access.AskLimit = askLimit
	access.Seal = func(typ any) error { return sealOrError(typeOf(typ)) }
	access.Unrefused = func(of any) {
		if reflect.TypeOf(of).Kind() == reflect.Pointer {
			typeOf(of).unrefused = true
		} else {
			descriptorOf(of).unrefused = true
		}
	}
	access.Guard = func(sys any, hook string, f func()) { sys.(*System).kernel().guard(hook, f) }
	access.MustBeSender = func(from any) {
		s, _ := from.(Sender)
		envOf(s)
	}
	access.MayLog = func(sys any, k loglimit.Key) (uint64, bool) { return sys.(*System).kernel().mayLogOf(k) }
	access.Refuse = refuse
	access.IsOf = func(behaviour, typ any) bool {
		return descriptorOf(behaviour).isOf(typeOf(typ))
	}
	access.AskTarget = askTargetOf
	access.SameAskTarget = sameAskTarget
	access.InspectorOf = inspectorOf
	sim.InTurn = func(t *sim.Turn, ref, f any) error {
		return ref.(interface{ inTurn(*sim.Turn, any) error }).inTurn(t, f)
	}
	sim.Option = func(h *sim.Hooks) any { return simulated(h) }
	sim.CountsOf = func(sys any) sim.Counts { return sys.(*System).kernel().simCounts() }
}

// A method of a generic type is compiled once for each of its type arguments. So the first field,
// which is the same for all Types and for all Behaviours, is read by reflection.

// typeOf returns the info of a *Type[S], the only field of a Type. It returns nil for a nil *Type.
func typeOf(typ any) *typeInfo {
	v := reflect.ValueOf(typ)
	if v.Type().Elem().Field(0).Type != reflect.TypeFor[typeInfo]() {
		panicMisuse("internal: not a *Type: ", v.Type().String())
	}
	return (*typeInfo)(v.UnsafePointer())
}

// descriptorOf returns the descriptor of a Behaviour or AskBehaviour; nil if that is zero.
func descriptorOf(behaviour any) *descriptor {
	v := reflect.ValueOf(behaviour).Field(0)
	if v.Type() != reflect.TypeFor[*descriptor]() {
		panicMisuse("internal: not a Behaviour: ", v.Type().String())
	}
	return (*descriptor)(v.UnsafePointer())
}

// askTarget is implemented by every Asker that AskBehaviour.To returns.
type askTarget interface{ asked() (*descriptor, *cell) }

func (a *askedActor[Q, R]) asked() (*descriptor, *cell) { return a.d, a.b }

// family is access.FamilyOf.
func (c *kernelTurn) family() any {
	mustRun(c, "FamilyOf")
	if x := c.self.cold; x != nil && x.sup != nil {
		return x.sup.family
	}
	return nil
}

// path is access.PathOf.
func (c *kernelTurn) path() string {
	mustRun(c, "PathOf")
	if x := c.self.cold; x != nil {
		return x.path
	}
	return ""
}

// sealOrError is access.Seal.
func sealOrError(t *typeInfo) error {
	if t == nil || t.name == "" {
		return errors.New("gallop: a nil or zero Type: use NewType")
	}
	if wrong := t.trySeal(); wrong != "" {
		return errors.New(wrong)
	}
	return nil
}

func refuse(from, handler, m any, reason error) bool {
	x, ok := handler.(interface{ refuse(Sender, any, error) })
	if ok {
		x.refuse(from.(Sender), m, reason)
	}
	return ok
}

func askTargetOf(to any) (ref any, ok bool) {
	x, ok := to.(askTarget)
	if !ok {
		return AnyRef{}, false
	}
	_, a := x.asked()
	return AnyRef{a}, true
}

func sameAskTarget(a, b any) bool {
	x, isX := a.(askTarget)
	y, isY := b.(askTarget)
	if isX && isY {
		d, to := x.asked()
		e, at := y.asked()
		return d == e && to == at
	}
	return a == b
}
