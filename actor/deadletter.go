package actor

import (
	"context"
	"sync"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/sim"
)

// DeadLetter is a message that was sent and will not run.
type DeadLetter struct {
	// ActorID is the number of the receiver, and Type the name of its type.
	ActorID uint64
	Type    string
	// Name and Path are those of the receiver, as in [ActorName]; "" if it has none.
	Name string
	Path string
	// Behaviour is the name of the behaviour for which the message was sent; "" if the receiver
	// is a process.
	Behaviour string
	// BestEffort reports that the behaviour was declared with [BestEffort]: such a dead letter is
	// expected in a healthy service.
	BestEffort bool
	// From is the number of the actor that sent it; 0 if it came from outside.
	From uint64
	// Message is the payload; for a request, the request alone.
	Message any
	// Reason is the reason why the message will not run:
	//
	//   - ErrStopped or ErrSystemStopped;
	//   - ErrDeadlock, for a request;
	//   - ErrOverloaded or ErrDropped, for an actor with a bound;
	//   - ErrOverloaded, for a behaviour that is [DropOnOverload];
	//   - ErrSuspended, for an actor in a back-off (package supervise);
	//   - ErrRestarted, for mail that is not kept over a restart (package supervise), for a request
	//     whose caller has given up before the restart, and for an outcome for which an earlier
	//     life of the actor has asked;
	//   - ErrNoReply, for an outcome that came after its time ([Within]);
	//   - the context's error, for a message with a context that had ended
	//     ([Context.SetContext]).
	Reason error
	// Context is the context of the message, or of the caller of the request. It may have ended.
	// It is nil if there is none.
	Context context.Context
}

// deadLetter ends a message that will not run, and recycles it. The caller owns it.
func deadLetter(e env, to *cell, m *message, reason error) {
	if endLetter(e, to, m, reason) {
		recycle(e, m)
	}
}

// endLetter is deadLetter without the recycling. It reports whether m may be recycled.
func endLetter(e env, to *cell, m *message, reason error) (reusable bool) {
	to.returnPlace(m)
	switch {
	case m.ID == systemID:
		discardMailIn(e, m, to, reason)
	case m.ID == firedID:
		timerMissed(e, to, m)
		return false
	case m.ID == carriedID:
		ctx := payloadOf[carried](m).ctx
		if in := unwrap(m); isOwn(in.ID) {
			endLetter(e, to, in, reason)
		} else {
			declareDeadUnder(e, to, in, reason, ctx)
			recycle(e, in)
		}
	case isOwn(m.ID):
		return false // left to the GC: it may refer to data that ends with its actor
	default:
		declareDead(e, to, m, reason)
	}
	return true
}

// deadLetters ends a chain of messages that will not run. The caller owns them.
func deadLetters(e env, to *cell, left *message, reason error) {
	for left != nil {
		m := left
		left, m.Next = m.Next, nil
		deadLetter(e, to, m, reason)
	}
}

// declareDead counts, reports, answers and clears a message that will not run. It discards the
// regions and parcels of the message.
func declareDead(e env, to *cell, m *message, reason error) {
	declareDeadUnder(e, to, m, reason, nil)
}

// declareDeadUnder is declareDead for a message that has travelled with ctx.
func declareDeadUnder(e env, to *cell, m *message, reason error, ctx context.Context) {
	sys := to.sys()
	d := to.typ().decls[m.ID]
	countDead(e, d)
	sys.sim.tell(sim.DeadLetter, e, to, m)
	if i := sys.inspected.Load(); i != nil {
		i.dead(e, to, m, d, reason)
	}
	sys.reportDeadLetter(e, to, m, d, reason, ctx)
	d.lost(e, to, m)
	d.discardOwned(m)
	if d.reject != nil {
		d.reject(e, m, reason)
	} else {
		d.clear(m)
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
func (s *kernelSystem) reportDeadLetter(e env, to *cell, m *message, d *descriptor, reason error,
	ctx context.Context) {
	reported := s.tellOfLetter(func() DeadLetter {
		if ctx == nil && d.caller != nil {
			ctx = d.caller(m).context()
		}
		who := to.actorName()
		return DeadLetter{
			ActorID: who.ID, Type: who.Type, Name: who.Name, Path: who.Path,
			Behaviour: d.name, BestEffort: d.bestEffort, From: m.From, Message: d.payload(m),
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
func (s *kernelSystem) tellOfLetter(letter func() DeadLetter) (reported bool) {
	if s.opts.onDeadLetter == nil || inLetterHookNow() {
		return false
	}
	l := letter()
	s.guard("Hooks.DeadLetter", func() {
		markInLetterHook(true)
		defer markInLetterHook(false) // before this goroutine ends, and its number may be reused
		s.opts.onDeadLetter(l)
	})
	return true
}

// logDeadLetter logs a dead letter at level WARN, or at level DEBUG for a best-effort behaviour.
func (s *kernelSystem) logDeadLetter(e env, to *cell, m *message, d *descriptor, reason error) {
	from, typ := senderIn(e, to, m)
	sender := []any{"from", from}
	if typ != nil {
		sender = append(sender, "from_type", typ.name)
	}
	s.writeDeadLetter(to.actorName, d.typ.name, d.bestEffort, "behaviour", d.name, reason, sender...)
}

// senderIn returns the number and the type of the actor that has sent a message. The type is nil
// unless e is the turn of the sender.
func senderIn(e env, to *cell, m *message) (from uint64, typ *typeInfo) {
	from = m.From &^ msg.WasStashed
	if c := e.turn(); c != nil && from != 0 && c.self != nil && c.self.id == from &&
		c.sys == to.sys() {
		typ = c.self.typ()
	}
	return from, typ
}

// writeDeadLetter logs a dead letter. The line has an attribute with the given key: the behaviour
// of an actor, or the type of a message to a process. more has further keys and values. The number
// of lines is limited: see mayLog.
func (s *kernelSystem) writeDeadLetter(to func() ActorName, typ string, bestEffort bool, key, what string,
	reason error, more ...any) {
	line := deadLetterLine
	if bestEffort {
		line = "gallop: dead letter of a best-effort behaviour"
	}
	n, write := s.mayLog(line, typ, what)
	if !write {
		return
	}
	args := to().attrs(append(append([]any{key, what}, more...),
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

// BestEffort declares that messages of a behaviour may come too late in a healthy service,
// such as a "leave" to a room that is closed already. Their dead letters are counted
// ([Stats]) and reported to [Hooks] like any other. Without such a hook they are logged at
// level DEBUG instead of WARN, and the default logger omits them.
func BestEffort() BehaviourOption {
	return behaviourOption(func(d *descriptor) { d.bestEffort = true })
}

// An owned payload has regions or parcels. These are discarded if the message will not run.

// discardOwned ends the regions and parcels in a message that will not run. The caller
// owns the message.
func (d *descriptor) discardOwned(m *message) {
	if o := d.typ.ownedIn()[d.id]; o.Any() {
		heap.DiscardIn(payloadOf[byte](m), o)
	}
}

// owns reports whether messages of d may own regions or parcels. d's type is sealed.
func (d *descriptor) owns() bool { return d.typ.ownedIn()[d.id].Any() }

// ownedIn returns, for each behaviour, the places of regions and parcels in its messages.
func (t *typeInfo) ownedIn() []heap.Owned {
	if o := t.owned.Load(); o != nil {
		return *o
	}
	owned := make([]heap.Owned, len(t.decls))
	for i, d := range t.decls {
		if p := d.payloadType(); p != nil {
			owned[i] = heap.OwnedIn(p)
		}
	}
	t.owned.Store(&owned) // as in heapRoots
	return owned
}
