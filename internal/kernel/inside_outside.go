package kernel

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// Env is where code runs. Inside is the turn of a worker. Outside is any other goroutine, which has
// only the system that it acts in, or a process. The methods are the operations that differ. The
// small differences are in this file: its functions, and no other code, ask for the turn.
type Env interface {
	// InSystem returns the system that the code acts in.
	InSystem() *System
	// Turn returns the turn that runs, or nil outside.
	Turn() *Turn
	// In returns the Env for acting on a. A turn of one system is outside of any other system.
	In(a *Cell) Env

	// Node returns an empty message of a size class.
	Node(p *SizeClass) *Message
	// schedule makes an actor runnable. The caller owns the actor.
	schedule(a *Cell)
	// mayAct returns ErrSystemStopped if the system refuses calls from this place.
	mayAct() error

	// Send delivers a message of d, or makes it a dead letter.
	Send(to *Cell, m *Message, d *Descriptor)
	// Answer is Send for the reply to an actor's request. It mutes no sender.
	Answer(to *Cell, m *Message, d *Descriptor)
	// mayTry returns the reason why TrySend must refuse, or nil. If it returns nil it may have
	// taken a permit for the message: outside always, inside if the receiver has a bound.
	mayTry(to *Cell, d *Descriptor) error
	// trySend delivers a message that mayTry has let pass.
	trySend(to *Cell, m *Message, d *Descriptor) error

	// Push delivers a message in the way that how says. If it returns an error, the caller still
	// owns the message.
	Push(to *Cell, m *Message, how delivery) error
	// pushSystem puts m into the system queue of an actor, ahead of its mail. If it returns an
	// error, the caller still owns m.
	pushSystem(to *Cell, m *Message) error
	// pushFirst delivers the first message of an actor that no sender knows yet. It calls publish,
	// which makes the actor known, after the push and before the message can run.
	pushFirst(to *Cell, m *Message, publish func()) error
}

// SenderID returns the number of the running actor, or 0 outside. e is the caller's.
func SenderID(e Env) uint64 {
	if c := e.Turn(); c != nil {
		return c.Self.ID
	}
	return 0
}

// workerID returns the number of the worker for reports, or -1 outside.
func workerID(e Env) int {
	if c := e.Turn(); c != nil {
		return c.W.ID()
	}
	return -1
}

// runsIn reports whether e is a turn of a.
func runsIn(e Env, a *Cell) bool {
	c := e.Turn()
	return c != nil && c.Self == a
}

// MustRunIn panics if e is the turn of a behaviour that has returned.
func MustRunIn(e Env, call string) {
	if c := e.Turn(); c != nil {
		MustRun(c, call)
	}
}

// newID returns a number for a new actor, and whether the spawn must be reported to package
// internal/inspect.
func newID(e Env) (id uint64, sampled bool) {
	if c := e.Turn(); c != nil {
		return c.newID()
	}
	return e.InSystem().newID()
}

// recycle takes back a message that has run or was discarded. Its payload must have been cleared.
// Outside it leaves the message to Go's collector.
func recycle(e Env, m *Message) {
	if c := e.Turn(); c != nil {
		c.Recycle(m)
	}
}

// keepWaiter takes back an entry that no wait list holds any more. The worker whose actors are muted
// next needs entries. Outside the registry has the entry until Go's collector takes it.
func keepWaiter(e Env, w *backpressure.Waiter[Waiting]) {
	if c := e.Turn(); c != nil {
		c.waiters.put(w)
		return
	}
	w.Who = Waiting{}
}

// chunkCache returns the free memory for arenas, which has the memory of ended arenas, or nil
// outside.
func chunkCache(e Env) *heap.Recycler {
	if c := e.Turn(); c != nil {
		return &c.Chunks
	}
	return nil
}

// askToStop calls the function that the running parent supplied for stopping the child k. It
// reports whether there was one. Outside, a child that is stopped is just told to stop.
func askToStop(e Env, k *child) bool {
	c, stop := e.Turn(), k.stop
	if c == nil || stop == nil {
		return false
	}
	// Before the call: if it crashes, the parent's end comes here again, and must not repeat it.
	k.stop = nil
	callChildStop(c.Self, c, func() { stop(c, AnyRef{k.b}) })
	return true
}

// Deterministic systems count messages: a message from inside when its node is taken, a message from
// outside when it has been pushed. So the hot send need not count.

// CountMade counts n messages that were made, inside.
func CountMade(e Env, n int) {
	if c := e.Turn(); c != nil {
		c.Sys.Sim.Count(n)
	}
}

// CountLost counts a message that was made outside and not pushed.
func CountLost(e Env) {
	if e.Turn() == nil {
		e.InSystem().Sim.Count(1)
	}
}

// markReply records, in a deterministic system, that m comes from outside and is a reply to the actor
// to. The sender of a reply from inside is known.
func markReply(e Env, m *Message, to *Cell) {
	if e.Turn() == nil {
		e.InSystem().Sim.Comes(m, sim.ByReply, to)
	}
}

func countDead(e Env, d *Descriptor) {
	if c := e.Turn(); c != nil {
		c.Count.deadLetters.Add(1)
		if d.BestEffort {
			c.Count.bestEffort.Add(1)
		}
		return
	}
	o := &e.InSystem().Outside
	o.deadLetters.Add(1)
	if d.BestEffort {
		o.bestEffort.Add(1)
	}
}

func countUnmute(e Env) {
	if c := e.Turn(); c != nil {
		c.Count.unmutes.Add(1)
		return
	}
	e.InSystem().Outside.unmutes.Add(1)
}

func countSpawned(e Env) {
	if c := e.Turn(); c != nil {
		c.Count.Spawned.Add(1)
		return
	}
	e.InSystem().Outside.Spawned.Add(1)
}

// delivery is the way in which a message is delivered to its actor.
type delivery uint8

const (
	// AsPlain is for messages of users.
	AsPlain delivery = iota
	// asAsked is AsPlain for a goroutine that waits for the reply, and meanwhile calls
	// sched.Scheduler.TimeTurns.
	asAsked
	// asPlaced is for a message that has its place already: it has a permit, or is an actor's first
	// message.
	asPlaced
	// asReply is for replies. They are delivered until the system has stopped, even if it refuses
	// other messages, and mute no sender.
	asReply
	// asSignal is for the runtime's own messages. A bound does not apply to them.
	asSignal
)

// WaitIn runs f, which waits. In a behaviour or a process, the worker runs other actors meanwhile.
// If too many behaviours block already, WaitIn does not call f and returns false. It is not a
// method of Env, because f would then escape to the heap.
func WaitIn(e Env, f func()) bool {
	if c := e.Turn(); c != nil {
		return c.wait(f)
	}
	if _, w := processHere(); w != nil {
		return waitInProcess(w, f)
	}
	f()
	return true
}
