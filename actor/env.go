package actor

import (
	"runtime"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/heap"
)

// env is the place where code runs. Inside is a turn of a worker, which has its [Context]. Outside
// is any other goroutine, which has only the [System] that it acts in. Everything that differs
// between the two is a method of env, so that no other code asks where it runs. For example, inside
// a message takes its node from the worker's cache, and the worker makes the receiver runnable;
// outside the node comes from a common cache, and an admission makes the receiver runnable.
type env interface {
	system() *kernelSystem
	// asSender returns the env as users see it.
	asSender() Sender
	// in returns the env for acting on a. A turn of one system is outside of any other system.
	in(a *cell) env
	// runs reports whether the caller is in the turn of a.
	runs(a *cell) bool
	// senderID is the number of the running actor, or 0 outside.
	senderID() uint64
	// mustRun panics if the Context is not valid any more.
	mustRun(call string)
	// newID returns a number for a new actor, and whether the spawn must be reported to package
	// inspect.
	newID() (id uint64, sampled bool)
	// workerID is the number of the worker for reports, or -1 outside.
	workerID() int

	// node returns an empty message of a size class.
	node(p *sizeClass) *message
	// recycle takes back a message that has run or was discarded. Its payload must have been
	// cleared.
	recycle(m *message)
	// keepWaiter takes back an entry that no wait list holds any more.
	keepWaiter(w *backpressure.Waiter[waiting])
	// chunkCache returns the free memory for arenas, or nil outside.
	chunkCache() *heap.Recycler
	// schedule makes an actor runnable. The caller owns the actor.
	schedule(a *cell)

	// Deterministic systems count messages: a message from inside when it is made, a message from
	// outside when it has been pushed.
	//
	// countMade counts n messages that were made. Outside it does nothing.
	countMade(n int)
	// countLost counts a message that was made and not pushed. Inside it does nothing.
	countLost()
	countDead(d *descriptor)
	countUnmute()
	countSpawned()
	// marksReply records, in a deterministic system, that m comes from outside and is a reply to
	// the actor to.
	marksReply(m *message, to *cell)

	// send delivers a message of d, or makes it a dead letter.
	send(to *cell, m *message, d *descriptor)
	// mayTry returns the reason why TrySend must refuse, or nil. If it returns nil it may have
	// taken a permit for the message: outside always, inside if the receiver has a bound.
	mayTry(to *cell, d *descriptor) error
	// answer is send for the reply to an actor's request. It mutes no sender.
	answer(to *cell, m *message, d *descriptor)
	// trySend delivers a message that mayTry has let pass.
	trySend(to *cell, m *message, d *descriptor) error
	// push delivers a message in the way that how says. If it returns an error, the caller still
	// owns the message.
	push(to *cell, m *message, how delivery) error
	// pushSystem puts m into the system queue of an actor, ahead of its mail. If it returns an
	// error, the caller still owns m.
	pushSystem(to *cell, m *message) error
	// pushFirst delivers the first message of an actor that no sender knows yet. It calls publish,
	// which makes the actor known, after the push and before the message can run.
	pushFirst(to *cell, m *message, publish func()) error
	// mayAct returns ErrSystemStopped if the system refuses calls from this place.
	mayAct() error

	// askToStop calls the function that the running parent supplied for stopping the child k. It
	// reports whether there was one.
	askToStop(k *child) bool
}

// delivery is the way in which a message is delivered to its actor.
type delivery uint8

const (
	// asPlain is for messages of users.
	asPlain delivery = iota
	// asAsked is asPlain for a goroutine that waits for the reply, and meanwhile calls
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

// envOf returns the env of a sender. The type switch is cheaper than a method call.
func envOf(from Sender) env {
	switch f := from.(type) {
	case *Context:
		if c := f.kernel(); c != nil && c.sys != nil {
			return c
		}
	case *System:
		if s := f.kernel(); s != nil && s.sched != nil {
			return s
		}
	case *carrier:
		if f != nil {
			return f.env
		}
	default:
		return envOfEmbedded(from)
	}
	panicNoSender()
	return nil
}

// envOfEmbedded is envOf for a struct that embeds a Context or a System.
//
//go:noinline
func envOfEmbedded(from Sender) env {
	if from == nil {
		panicNoSender()
	}
	e := senderOf(from)
	if e == nil || e.system() == nil || e.system().sched == nil {
		panicNoSender()
	}
	return e
}

// senderOf returns nil if the embedded pointer is nil: then the promoted method panics.
func senderOf(from Sender) (e env) {
	defer func() {
		if _, is := recover().(runtime.Error); is {
			e = nil
		}
	}()
	return from.sender()
}

//go:noinline
func panicNoSender() {
	panic("gallop: a nil sender, or a zero one: use the *Context of the behaviour, or the *System " +
		"outside")
}

// envFor returns the env of a sender for acting on a.
func envFor(from Sender, a *cell) env {
	if f, inside := from.(*Context); inside && f != nil && f.kernel().sys == a.shared().sys {
		return f.kernel()
	}
	return envOf(from).in(a)
}

// waitIn runs f, which waits. In a behaviour or a process, the worker runs other actors meanwhile.
// If too many behaviours block already, waitIn does not call f and returns false. It is not a
// method of env, because f would then escape to the heap.
func waitIn(e env, f func()) bool {
	if c, inside := e.(*kernelTurn); inside {
		return c.wait(f)
	}
	if _, w := processHere(); w != nil {
		return waitInProcess(w, f)
	}
	f()
	return true
}
