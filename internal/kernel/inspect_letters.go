package kernel

import (
	"fmt"
	"reflect"

	"github.com/gallop-go/gallop/internal/flightlog"
)

// LetterLook describes a dead letter. The names in it are looked up by its methods, when they are
// called: most dead letters are only counted.
type LetterLook struct {
	Kind   LetterKind
	From   uint64 // the number of the sending actor; 0: it came from outside
	Reason error
	to     *Cell
	// process is the receiver if that is a process; to is nil then.
	process *ActorName
}

// LetterKind has the common properties of dead letters. It can be compared with ==.
type LetterKind struct {
	d        *Descriptor
	fromType *TypeInfo // of the sender; nil: it is not known
	// Of a process, which has no behaviours; d is nil then.
	process processMail
}

// processMail stands for the behaviour in a dead letter of a process.
type processMail struct {
	to         string       // the type of the process
	of         reflect.Type // the type of the message
	bestEffort bool
}

// OnDeadLetter calls f for each dead letter, in the goroutine that declares it, until stop is
// called.
func (in *Inspector) OnDeadLetter(f func(LetterLook)) (stop func()) { return in.on().letters.add(f) }

// Receiver returns the name of the receiver.
func (l LetterLook) Receiver() ActorName {
	if l.to == nil {
		return *l.process
	}
	return l.to.ActorName()
}

// Ref returns the ref of the receiver. It is zero if that is a process.
func (l LetterLook) Ref() AnyRef { return l.to.Ref() }

// Names returns the names of the receiver's type, of the behaviour and of the sender's type. For a
// process, behaviour is the Go type of the message.
func (k LetterKind) Names() (typ, behaviour, from string, bestEffort bool) {
	if k.fromType != nil {
		from = k.fromType.Name
	}
	if k.d == nil {
		return k.process.to, fmt.Sprint(k.process.of), from, k.process.bestEffort
	}
	return k.d.Typ.Name, k.d.Name, from, k.d.BestEffort
}

// heardDead reports a dead letter to the listeners. The sender's type is known if the sender's turn
// runs here.
func (i *inspected) heardDead(e Env, to *Cell, m *Message, d *Descriptor, reason error) {
	from, typ := senderIn(e, to, m)
	i.note(e, flightlog.DeadLetter, d.Typ.Name, d.Name, to.ID, from)
	l := LetterLook{Kind: LetterKind{d: d, fromType: typ}, From: from, Reason: reason, to: to}
	i.letters.each(func(f func(LetterLook)) { f(l) })
}

// heardDeadProcess reports to the listeners a message that no process will receive.
func (i *inspected) heardDeadProcess(to *ActorName, message any, reason error, bestEffort bool) {
	t := processMail{to.Type, reflect.TypeOf(message), bestEffort}
	if i.flight.Load() != nil {
		i.note(nil, flightlog.DeadLetter, t.to, fmt.Sprint(t.of), to.ID, 0)
	}
	l := LetterLook{Kind: LetterKind{process: t}, Reason: reason, process: to}
	i.letters.each(func(f func(LetterLook)) { f(l) })
}
