package actor

import (
	"fmt"
	"reflect"

	"github.com/gallop-go/gallop/internal/flightlog"
)

// deadLetterHeard is a function that is called for a dead letter. to stands for the receiver:
// ReceiverOf returns its name. behaviour and fromType stand for the behaviour and the sender's
// type: NamesOf returns their names. The two can be compared with ==. fromType is nil if it is not
// known.
type deadLetterHeard = func(to, behaviour, fromType any, from uint64, reason error)

// OnDeadLetter calls f for each dead letter, in the goroutine that declares it, until stop is
// called.
func (in *inspector) OnDeadLetter(f func(to, behaviour, fromType any, from uint64,
	reason error)) (stop func()) {
	return in.on().letters.add(f)
}

// ReceiverOf returns the receiver of a dead letter, by the value that OnDeadLetter has passed.
func (in *inspector) ReceiverOf(to any) ActorName {
	if a, ok := to.(*cell); ok {
		return a.actorName()
	}
	return *to.(*ActorName)
}

// ReceiverRef returns the ref of the receiver, by the same value. It is zero if that is a process.
func (in *inspector) ReceiverRef(to any) AnyRef {
	a, _ := to.(*cell)
	return AnyRef{a}
}

// NamesOf returns the names of the behaviour and the sender's type, by the values that OnDeadLetter
// has passed. A process has no behaviours; for a process, name is the Go type of the message.
func (in *inspector) NamesOf(behaviour, fromType any) (typ, name, from string, bestEffort bool) {
	if t, ok := fromType.(*typeInfo); ok {
		from = t.name
	}
	if d, ok := behaviour.(*descriptor); ok {
		return d.typ.name, d.name, from, d.bestEffort
	}
	m := behaviour.(processMail)
	return m.to, fmt.Sprint(m.of), from, m.bestEffort
}

// heardDead reports a dead letter to the listeners. The sender's type is known if the sender's turn
// runs here.
func (i *inspected) heardDead(e env, to *cell, m *message, d *descriptor, reason error) {
	from, typ := senderIn(e, to, m)
	i.note(e, flightlog.DeadLetter, d.typ.name, d.name, to.id, from)
	var fromType any
	if typ != nil {
		fromType = typ
	}
	i.letters.each(func(f deadLetterHeard) { f(to, d, fromType, from, reason) })
}

// processMail stands for the behaviour in a dead letter of a process, which has no behaviours.
type processMail struct {
	to         string       // the type of the process
	of         reflect.Type // the type of the message
	bestEffort bool
}

// heardDeadProcess reports to the listeners a message that no process will receive.
func (i *inspected) heardDeadProcess(to *ActorName, message any, reason error, bestEffort bool) {
	t := processMail{to.Type, reflect.TypeOf(message), bestEffort}
	if i.flight.Load() != nil {
		i.note(nil, flightlog.DeadLetter, t.to, fmt.Sprint(t.of), to.ID, 0)
	}
	i.letters.each(func(f deadLetterHeard) { f(to, t, nil, 0, reason) })
}
