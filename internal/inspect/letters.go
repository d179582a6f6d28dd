package inspect

import (
	"fmt"
	"reflect"

	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/kernel"
)

// LetterLook describes a dead letter. The names in it are looked up by its methods, when they are
// called: most dead letters are only counted.
type LetterLook struct {
	Kind   LetterKind // of the letter
	From   uint64     // the number of the sending actor; 0: it came from outside
	Reason error
	to     *kernel.Cell
	// process is the receiver if that is a process; to is nil then.
	process *kernel.ActorName
}

// LetterKind has the common properties of dead letters. It can be compared with ==.
type LetterKind struct {
	d        *kernel.Descriptor
	fromType *kernel.TypeInfo // of the sender; nil: it is not known
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
func OnDeadLetter(s *kernel.System, f func(LetterLook)) (stop func()) {
	return on(s).letters.add(f)
}

// Receiver returns the name of the receiver.
func (l LetterLook) Receiver() kernel.ActorName {
	if l.to == nil {
		return *l.process
	}
	return l.to.ActorName()
}

// Ref returns the ref of the receiver. It is zero if that is a process.
func (l LetterLook) Ref() kernel.AnyRef { return l.to.Ref() }

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

// Dead implements kernel.Inspection. It reports a dead letter to the listeners. The sender's type is
// known if the sender's turn runs here.
func (i *inspected) Dead(e kernel.Env, to *kernel.Cell, m *kernel.Message, d *kernel.Descriptor,
	reason error) {
	from, typ := kernel.SenderIn(e, to, m)
	i.note(e, flightlog.DeadLetter, d.Typ.Name, d.Name, to.ID, from)
	l := LetterLook{Kind: LetterKind{d: d, fromType: typ}, From: from, Reason: reason, to: to}
	i.letters.each(func(f func(LetterLook)) { f(l) })
}

// DeadProcess implements kernel.Inspection. It reports to the listeners a message that no process
// will receive.
func (i *inspected) DeadProcess(to *kernel.ActorName, message any, reason error, bestEffort bool) {
	t := processMail{to.Type, reflect.TypeOf(message), bestEffort}
	if i.flight.Load() != nil {
		i.note(nil, flightlog.DeadLetter, t.to, fmt.Sprint(t.of), to.ID, 0)
	}
	l := LetterLook{Kind: LetterKind{process: t}, Reason: reason, process: to}
	i.letters.each(func(f func(LetterLook)) { f(l) })
}
