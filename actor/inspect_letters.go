package actor

import (
	"fmt"
	"reflect"

	"github.com/gallop-go/gallop/internal/flightlog"
)

// deadLetterHeard is told of a dead letter. to stands for the receiver, behaviour and fromType for
// the behaviour and the senders' type: see ReceiverOf and NamesOf. The last two can be compared; a
// nil fromType is unknown.
type deadLetterHeard = func(to, behaviour, fromType any, from uint64, reason error)

// OnDeadLetter has f called for each dead letter, in the goroutine that declares it, until stop is
// called.
func (in *inspector) OnDeadLetter(f func(to, behaviour, fromType any, from uint64,
	reason error)) (stop func()) {
	return in.on().letters.add(f)
}

// ReceiverOf returns who was to receive a dead letter of which OnDeadLetter was told.
func (in *inspector) ReceiverOf(to any) ActorName {
	if a, ok := to.(*cell); ok {
		return a.actorName()
	}
	return *to.(*ActorName)
}

// NamesOf returns the names that stand behind what OnDeadLetter was told. A process has no
// behaviours: the type of the message is in their place.
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

// heardDead tells of a dead letter. The sender's type is known if its turn runs here.
func (i *inspected) heardDead(e env, to *cell, m *message, d *descriptor, reason error) {
	from, typ := senderIn(e, to, m)
	i.note(e, flightlog.DeadLetter, d.typ.name, d.name, to.id, from)
	var fromType any
	if typ != nil {
		fromType = typ
	}
	i.letters.each(func(f deadLetterHeard) { f(to, d, fromType, from, reason) })
}

// processMail stands for the behaviour that a message to a process would have.
type processMail struct {
	to         string       // the type of the process
	of         reflect.Type // that of the message
	bestEffort bool
}

// heardDeadProcess tells of a message that no process will receive.
func (i *inspected) heardDeadProcess(to *ActorName, message any, reason error, bestEffort bool) {
	t := processMail{to.Type, reflect.TypeOf(message), bestEffort}
	if i.flight.Load() != nil {
		i.note(nil, flightlog.DeadLetter, t.to, fmt.Sprint(t.of), to.ID, 0)
	}
	i.letters.each(func(f deadLetterHeard) { f(to, t, nil, 0, reason) })
}
