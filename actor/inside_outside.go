package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/sim"
)

// env is where code runs. Inside is the turn of a worker; outside is any other goroutine, which has
// only the system that it acts in, and a process. The methods are the operations that differ. The
// small differences are in this file: its functions, and no other code, ask for the turn.
type env interface {
	system() *kernelSystem
	// turn returns the turn that runs, or nil outside.
	turn() *kernelTurn
	// in returns the env for acting on a. A turn of one system is outside of any other system.
	in(a *cell) env

	// node returns an empty message of a size class.
	node(p *sizeClass) *message
	// schedule makes an actor runnable. The caller owns the actor.
	schedule(a *cell)
	// mayAct returns ErrSystemStopped if the system refuses calls from this place.
	mayAct() error

	// send delivers a message of d, or makes it a dead letter.
	send(to *cell, m *message, d *descriptor)
	// answer is send for the reply to an actor's request. It mutes no sender.
	answer(to *cell, m *message, d *descriptor)
	// mayTry returns the reason why TrySend must refuse, or nil. If it returns nil it may have
	// taken a permit for the message: outside always, inside if the receiver has a bound.
	mayTry(to *cell, d *descriptor) error
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
}

// senderID returns the number of the running actor, or 0 outside.
func senderID(e env) uint64 {
	if c := e.turn(); c != nil {
		return c.self.id
	}
	return 0
}

// workerID returns the number of the worker for reports, or -1 outside.
func workerID(e env) int {
	if c := e.turn(); c != nil {
		return c.w.ID()
	}
	return -1
}

// runsIn reports whether e is a turn of a.
func runsIn(e env, a *cell) bool {
	c := e.turn()
	return c != nil && c.self == a
}

// mustRunIn panics if e is the turn of a behaviour that has returned.
func mustRunIn(e env, call string) {
	if c := e.turn(); c != nil {
		mustRun(c, call)
	}
}

// newID returns a number for a new actor, and whether the spawn must be reported to package
// inspect.
func newID(e env) (id uint64, sampled bool) {
	if c := e.turn(); c != nil {
		return c.newID()
	}
	return e.system().newID()
}

// recycle takes back a message that has run or was discarded. Its payload must have been cleared.
// Outside it leaves the message to Go's collector.
func recycle(e env, m *message) {
	if c := e.turn(); c != nil {
		c.recycle(m)
	}
}

// keepWaiter takes back an entry that no wait list holds any more. The worker whose actors are muted
// next needs entries. Outside the registry has the entry until Go's collector takes it.
func keepWaiter(e env, w *backpressure.Waiter[waiting]) {
	if c := e.turn(); c != nil {
		c.waiters.put(w)
		return
	}
	w.Who = waiting{}
}

// chunkCache returns the free memory for arenas, which has the memory of ended arenas, or nil
// outside.
func chunkCache(e env) *heap.Recycler {
	if c := e.turn(); c != nil {
		return &c.chunks
	}
	return nil
}

// askToStop calls the function that the running parent supplied for stopping the child k. It
// reports whether there was one. Outside, a child that is stopped is just told to stop.
func askToStop(e env, k *child) bool {
	c, stop := e.turn(), k.stop
	if c == nil || stop == nil {
		return false
	}
	// Before the call: if it crashes, the parent's end comes here again, and must not repeat it.
	k.stop = nil
	callChildStop(c.self, c, func() { stop(c, AnyRef{k.b}) })
	return true
}

// Deterministic systems count messages: a message from inside when its node is taken, a message from
// outside when it has been pushed. So the hot send need not count.

// countMade counts n messages that were made, inside.
func countMade(e env, n int) {
	if c := e.turn(); c != nil {
		c.sys.sim.count(n)
	}
}

// countLost counts a message that was made outside and not pushed.
func countLost(e env) {
	if e.turn() == nil {
		e.system().sim.count(1)
	}
}

// markReply records, in a deterministic system, that m comes from outside and is a reply to the actor
// to. The sender of a reply from inside is known.
func markReply(e env, m *message, to *cell) {
	if e.turn() == nil {
		e.system().sim.comes(m, sim.ByReply, to)
	}
}

func countDead(e env, d *descriptor) {
	if c := e.turn(); c != nil {
		c.count.deadLetters.Add(1)
		if d.bestEffort {
			c.count.bestEffort.Add(1)
		}
		return
	}
	o := &e.system().outside
	o.deadLetters.Add(1)
	if d.bestEffort {
		o.bestEffort.Add(1)
	}
}

func countUnmute(e env) {
	if c := e.turn(); c != nil {
		c.count.unmutes.Add(1)
		return
	}
	e.system().outside.unmutes.Add(1)
}

func countSpawned(e env) {
	if c := e.turn(); c != nil {
		c.count.spawned.Add(1)
		return
	}
	e.system().outside.spawned.Add(1)
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

// waitIn runs f, which waits. In a behaviour or a process, the worker runs other actors meanwhile.
// If too many behaviours block already, waitIn does not call f and returns false. It is not a
// method of env, because f would then escape to the heap.
func waitIn(e env, f func()) bool {
	if c := e.turn(); c != nil {
		return c.wait(f)
	}
	if _, w := processHere(); w != nil {
		return waitInProcess(w, f)
	}
	f()
	return true
}
