package inspect

import (
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
)

// source is the part of package actor that this package uses. See access.InspectorOf, and the
// comments on the methods in package actor.
type source interface {
	IsDeterministic() bool
	IsShuttingDown() bool
	Processes() any
	DatesWaits() bool
	Clock() int64
	Wall() time.Time
	EachType(f func(name string, behaviours []string, bytes int, pinned bool))
	BusySlots() (busy, slots int)
	EachWorker(f func(access.WorkerLook))
	EachLongTurn(least time.Duration, f func(access.LongTurnLook))
	Holders(most, timerStride int, f func(actor.AnyRef, actor.Holder)) (why []actor.Holder, timers int)
	EachRunning(f func(actor.AnyRef))
	Look(ref actor.AnyRef, most int) (actor.ActorName, actor.Status, access.ActorLook)
	EachMail(ref actor.AnyRef, f func(behaviour string) bool)
	TypeOf(ref actor.AnyRef) string
	StateType(ref actor.AnyRef) (name string, bytes int)
	Weak(ref actor.AnyRef) (get func() actor.AnyRef)
	EachName(f func(name string, ref actor.AnyRef))
	EachListed(f func(actor.AnyRef))
	EachPressed(f func(ref actor.AnyRef, which uint32))
	EachWait(f func(who, to actor.AnyRef, since int64, asks bool))
	BehaviourOf(ref actor.AnyRef) string
	HasMailFrom(ref, from actor.AnyRef) bool
	LookAtState(ref actor.AnyRef, f func(state any, err error))
	Probe(ref actor.AnyRef, f func(err error))

	OnPanic(f func(actor.PanicReport)) (stop func())
	OnLongTurn(f func(actor.LongTurnReport)) (stop func())
	OnPressureDeadlock(f func(actor.PressureDeadlock)) (stop func())
	OnDeadLetter(f func(to, behaviour, fromType any, from uint64, reason error)) (stop func())
	ReceiverOf(to any) actor.ActorName
	ReceiverRef(to any) actor.AnyRef
	NamesOf(behaviour, fromType any) (typ, name, from string, bestEffort bool)

	Begin()
	EachSampled(f func(ref actor.AnyRef, typ string, id uint64, lived time.Duration)) (before uint64)
	EachHold(f func(function, file string, line int, at time.Time))
	Watch(fits func(typ string) bool, of func(typ, behaviour string, request bool) (
		before, after func(c *actor.Context, worker int, from uint64))) (stop func())
	Label(fits func(typ string) bool, of func(typ, behaviour string) (set func()))
}

// of returns the source for a system. It panics if the system was not started.
func of(sys *actor.System) source { return access.InspectorOf(sys).(source) }

// ofActor returns the source for the system of an actor.
func ofActor(call string, ref actor.AnyRef) source {
	if ref.IsZero() {
		panic("gallop: inspect." + call + " of a zero Ref")
	}
	return of(actor.SystemOf(ref))
}
