package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/heap"
)

// env is where code runs: inside, which is the turn of a worker and has its [Context]; or outside,
// which is any other goroutine and has only the [System] that it acts in. All that differs between
// the two is a method here: a message takes its node from the worker's cache or from the common
// one, and makes an actor runnable with the worker or by an admission. So no other code asks where
// it runs.
type env interface {
	Sender

	system() *System
	// in returns the env for acting on a: the inside of one system is the outside of another.
	in(a *cell) env
	// runs reports whether the caller is in the turn of a.
	runs(a *cell) bool
	// senderID is the number of the running actor; 0 outside.
	senderID() uint64
	// mustRun panics if the Context is not valid any more.
	mustRun(call string)
	// newID returns a number for a new actor, and whether package inspect is to hear of it.
	newID() (id uint64, sampled bool)
	// workerID is the number of the worker, for reports; -1 outside.
	workerID() int

	// node returns a message of a size class.
	node(p *sizeClass) *message
	// recycle takes back a message that has run or was discarded. It keeps nothing alive.
	recycle(m *message)
	// keepWaiter takes back an entry that no wait list holds any more.
	keepWaiter(w *backpressure.Waiter[waiting])
	// chunkCache has free memory for arenas; nil: none.
	chunkCache() *heap.Recycler
	// schedule makes runnable an actor that the caller owns.
	schedule(a *cell)

	// Deterministic systems count messages: those from inside when they are made, those from
	// outside when they have been pushed.
	//
	// countMade counts n messages if that has not been done.
	countMade(n int)
	// countLost counts a message that was not pushed.
	countLost()
	countDead(d *descriptor)
	countUnmute()
	countSpawned()
	// marksReply notes that m, a reply to an actor, comes from no behaviour of its system.
	marksReply(m *message, to *cell)

	// send delivers a message of d, or makes it a dead letter.
	send(to *cell, m *message, d *descriptor)
	// mayTry says why TrySend refuses, if it does. Outside it takes a permit if not.
	mayTry(to *cell, d *descriptor) error
	// answer is send for the reply to an actor's request: no sender is muted for it.
	answer(to *cell, m *message, d *descriptor)
	// trySend delivers a message that mayTry has let pass.
	trySend(to *cell, m *message, d *descriptor) error
	// push delivers a message in the way that how says. If it returns an error, the message is
	// still the caller's.
	push(to *cell, m *message, how delivery) error
	// pushSystem brings m to an actor ahead of its mail. If it returns an error, m is still the
	// caller's.
	pushSystem(to *cell, m *message) error
	// pushFirst delivers the first message of an actor that no sender knows yet. publish makes it
	// known: after the push, and before it can run.
	pushFirst(to *cell, m *message, publish func()) error
	// mayAct returns ErrSystemStopped if the system takes nothing more from here.
	mayAct() error

	// endTimers ends all timers of an actor with it.
	endTimers(a *cell, l *actorTimers)
	// askToStop has the running parent stop a child in its own way, which it reports.
	askToStop(k *child) bool
}

// delivery is how a message comes to its actor.
type delivery uint8

const (
	// asPlain is for a message of the user's.
	asPlain delivery = iota
	// asAsked is asPlain, by a goroutine that calls sched.Scheduler.TimeTurns while it waits for the
	// reply.
	asAsked
	// asPlaced is for a message that has its place already: it has a permit, or is an actor's first.
	asPlaced
	// asReply comes as long as the system has not stopped, even if it refuses all else, and mutes no
	// sender.
	asReply
	// asSignal is for the runtime's own messages, for which no bound counts.
	asSignal
)

// envOf returns where a sender sends from. The type switch is cheaper than a call.
func envOf(from Sender) env {
	switch f := from.(type) {
	case *Context:
		if f != nil && f.sys != nil {
			return f
		}
	case *System:
		if f != nil && f.sched != nil {
			return f
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
	e := from.sender()
	if e == nil || e.system() == nil || e.system().sched == nil {
		panicNoSender()
	}
	return e
}

//go:noinline
func panicNoSender() {
	panic("gallop: a nil sender, or a zero one: use the *Context of the behaviour, or the *System " +
		"outside")
}

// envFor is envOf for acting on a.
func envFor(from Sender, a *cell) env {
	if c, inside := from.(*Context); inside && c != nil && c.sys == a.shared().sys {
		return c
	}
	return envOf(from).in(a)
}

// waitIn runs f, which waits. In a behaviour or a process, others have the worker meanwhile; it
// reports false and does not wait if too many block already.
// It is no method of env, which would have f escape.
func waitIn(e env, f func()) bool {
	if c, inside := e.(*Context); inside {
		return c.wait(f)
	}
	if _, w := processHere(); w != nil {
		return waitInProcess(w, f)
	}
	f()
	return true
}
