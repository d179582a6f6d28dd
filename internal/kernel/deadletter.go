package kernel

import (
	"context"
	"sync"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/kernel/sim"
	"github.com/gallop-go/gallop/internal/seam"
)

// DeadLetter is actor.DeadLetter, which documents it.
type DeadLetter struct {
	ActorID    uint64
	Type       string
	Name       string
	Path       string
	Behaviour  string
	BestEffort bool
	From       uint64
	Message    any
	Reason     error
	Context    context.Context
}

// MakeDeadLetter ends a message that will not run, and recycles it. The caller owns it.
func MakeDeadLetter(e Env, to *Cell, m *Message, reason error) {
	if endLetter(e, to, m, reason) {
		recycle(e, m)
	}
}

// endLetter is MakeDeadLetter without the recycling. It reports whether m may be recycled.
func endLetter(e Env, to *Cell, m *Message, reason error) (reusable bool) {
	to.returnPlace(m)
	switch {
	case m.ID == SystemID:
		discardMailIn(e, m, to, reason)
	case m.ID == firedID:
		timerMissed(e, to, m)
		return false
	case m.ID == CarriedID:
		ctx := PayloadOf[carried](m).ctx
		if in := unwrap(m); isOwn(in.ID) {
			endLetter(e, to, in, reason)
		} else {
			declareDeadUnder(e, to, in, reason, ctx)
			recycle(e, in)
		}
	case isOwn(m.ID):
		return false // left to the GC: it may refer to data that ends with its actor
	default:
		DeclareDead(e, to, m, reason)
	}
	return true
}

// deadLetters ends a chain of messages that will not run. The caller owns them.
func deadLetters(e Env, to *Cell, left *Message, reason error) {
	for left != nil {
		m := left
		left, m.Next = m.Next, nil
		MakeDeadLetter(e, to, m, reason)
	}
}

// DeclareDead counts, reports, answers and clears a message that will not run. It discards the
// regions and parcels of the message.
func DeclareDead(e Env, to *Cell, m *Message, reason error) {
	declareDeadUnder(e, to, m, reason, nil)
}

// declareDeadUnder is DeclareDead for a message that has travelled with ctx.
func declareDeadUnder(e Env, to *Cell, m *Message, reason error, ctx context.Context) {
	sys := to.Sys()
	d := to.Typ().Decls[m.ID]
	countDead(e, d)
	sys.Sim.tell(sim.DeadLetter, e, to, m)
	if i := sys.inspected.Load(); i != nil {
		(*i).Dead(e, to, m, d, reason)
	}
	sys.reportDeadLetter(e, to, m, d, reason, ctx)
	d.lost(e, to, m)
	d.discardOwned(m)
	if d.Reject != nil {
		d.Reject(e, m, reason)
	} else {
		d.Clear(m)
	}
}

// inLetterHook is the set of goroutines that run a function of Hooks.DeadLetter, of any system. It
// is one set for all systems, since the functions of two systems could otherwise cause each other's
// dead letters for ever.
var inLetterHook struct {
	mu  sync.Mutex
	ids map[uint64]bool // guarded by mu
}

// inLetterHookNow reports whether the calling goroutine is in inLetterHook.
func inLetterHookNow() bool {
	me := seam.Goroutine()
	inLetterHook.mu.Lock()
	defer inLetterHook.mu.Unlock()
	return inLetterHook.ids[me]
}

// markInLetterHook adds the calling goroutine to inLetterHook, or removes it.
func markInLetterHook(is bool) {
	me := seam.Goroutine()
	inLetterHook.mu.Lock()
	defer inLetterHook.mu.Unlock()
	switch {
	case !is:
		delete(inLetterHook.ids, me)
	case inLetterHook.ids == nil:
		inLetterHook.ids = map[uint64]bool{me: true}
	default:
		inLetterHook.ids[me] = true
	}
}

// reportDeadLetter reports a dead letter to the hook. If there is no hook, or the hook has caused
// the letter itself, it logs the letter, unless the reason is ErrRestarted.
func (s *System) reportDeadLetter(e Env, to *Cell, m *Message, d *Descriptor, reason error,
	ctx context.Context) {
	reported := s.tellOfLetter(func() DeadLetter {
		if ctx == nil && d.Caller != nil {
			ctx = d.Caller(m).Context()
		}
		who := to.ActorName()
		return DeadLetter{
			ActorID: who.ID, Type: who.Type, Name: who.Name, Path: who.Path,
			Behaviour: d.Name, BestEffort: d.BestEffort, From: m.From, Message: d.Payload(m),
			Reason: reason, Context: guard.Bare(ctx),
		}
	})
	if !reported && reason != ErrRestarted { // a restart is meant to discard mail
		s.logDeadLetter(e, to, m, d, reason)
	}
}

// tellOfLetter calls the hook with a dead letter, and reports whether it did. It does not call the
// hook if there is none, nor from within a hook: the hook has then sent the letter itself, or has
// sent a message for which the letter had to make room. A hook that sends a message for each letter
// would otherwise be called for ever.
func (s *System) tellOfLetter(letter func() DeadLetter) (reported bool) {
	if s.Opts.OnDeadLetter == nil || inLetterHookNow() {
		return false
	}
	l := letter()
	s.Guard("Hooks.DeadLetter", func() {
		markInLetterHook(true)
		defer markInLetterHook(false) // before this goroutine ends, and its number may be reused
		s.Opts.OnDeadLetter(l)
	})
	return true
}

// logDeadLetter logs a dead letter at level WARN, or at level DEBUG for a best-effort behaviour.
func (s *System) logDeadLetter(e Env, to *Cell, m *Message, d *Descriptor, reason error) {
	s.writeDeadLetter(to.ActorName, d.Typ.Name, d.BestEffort, "behaviour", d.Name, reason, func() []any {
		from, typ := SenderIn(e, to, m)
		if typ == nil {
			return []any{"from", from}
		}
		return []any{"from", from, "from_type", typ.Name}
	})
}

// SenderIn returns the number and the type of the actor that has sent a message. The type is nil
// unless e is the turn of the sender. Any goroutine.
func SenderIn(e Env, to *Cell, m *Message) (from uint64, typ *TypeInfo) {
	from = m.From &^ msg.WasStashed
	if c := e.Turn(); c != nil && from != 0 && c.Self != nil && c.Self.ID == from &&
		c.Sys == to.Sys() {
		typ = c.Self.Typ()
	}
	return from, typ
}

// writeDeadLetter logs a dead letter. The line has an attribute with the given key: the behaviour
// of an actor, or the type of a message to a process. more returns further keys and values. The
// number of lines is limited, see mayLog: to and more are called only for a line that is written.
func (s *System) writeDeadLetter(to func() ActorName, typ string, bestEffort bool, key, what string,
	reason error, more func() []any) {
	line := deadLetterLine
	if bestEffort {
		line = "gallop: dead letter of a best-effort behaviour"
	}
	n, write := s.mayLog(line, typ, what)
	if !write {
		return
	}
	args := to().attrs(append(append([]any{key, what}, more()...),
		"reason", guard.Text(reason), "so_far", n)...)
	s.log(func(l logSink) {
		if bestEffort {
			l.debug(line, args...)
			return
		}
		l.warn(line, args...)
	})
}

// deadLetterLine is the text of the line, except for best-effort behaviours.
const deadLetterLine = "gallop: dead letter"

// An owned payload has regions or parcels. These are discarded if the message will not run.

// discardOwned ends the regions and parcels in a message that will not run. The caller
// owns the message.
func (d *Descriptor) discardOwned(m *Message) {
	if o := d.Typ.OwnedIn()[d.ID]; o.Any() {
		heap.DiscardIn(PayloadOf[byte](m), o)
	}
}

// Owns reports whether messages of d may own regions or parcels. d's type is sealed.
func (d *Descriptor) Owns() bool { return d.Typ.OwnedIn()[d.ID].Any() }

// OwnedIn returns, for each behaviour, the places of regions and parcels in its messages.
func (t *TypeInfo) OwnedIn() []heap.Owned {
	if o := t.owned.Load(); o != nil {
		return *o
	}
	owned := make([]heap.Owned, len(t.Decls))
	for i, d := range t.Decls {
		if p := d.payloadType(); p != nil {
			owned[i] = heap.OwnedIn(p)
		}
	}
	t.owned.Store(&owned) // as in heapRoots
	return owned
}
