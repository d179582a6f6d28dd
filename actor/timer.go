package actor

import (
	"fmt"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/wheel"
)

// Timer is a message that an actor will send itself, once or again and again. Get
// one from [After] or [Every]; copy it as you like. The zero Timer is none, and
// canceling it does nothing.
type Timer struct {
	m     *message
	owner *body
	gen   uint64
}

// After sends the running actor the message m for behaviour b, when d has passed. It
// is at the end of the mailbox then, as if the actor had sent it itself at that
// moment. A d of zero or less is over at once.
//
// An actor's timers fire in the order of their times, those of the same time in the
// order in which they were armed, never early, and on the runtime's clock: see
// [Clock]. They end with their actor: what has not run by then is neither run nor a
// dead letter. While time passes by itself, an armed timer keeps the system from
// being quiescent. After allocates nothing in steady state. It panics if b belongs to
// another type than the running actor.
func After[S, M any](c *Context, d time.Duration, b Behaviour[S, M], m M) Timer {
	return arm(c, d, 0, b, m)
}

// Every is [After] again and again: when d has passed, when 2d have, and so on, until
// it is canceled or the actor ends. A tick that the actor has not come to stays the
// only one: those that would have come meanwhile are left out, and the next one
// comes when it would have anyway. It panics if d is not positive.
func Every[S, M any](c *Context, d time.Duration, b Behaviour[S, M], m M) Timer {
	if d <= 0 {
		panic(fmt.Sprintf("gallop: Every(%v): want a positive period", d))
	}
	return arm(c, d, d, b, m)
}

func arm[S, M any](c *Context, d, period time.Duration, b Behaviour[S, M], m M) Timer {
	c.mustOwn(b.decl())
	held := c.alloc(b.d.poolID)
	held.id = b.d.id
	*payloadOf[M](held) = m
	return c.arm(d, period, held)
}

// Cancel ends the timer and tells whether that was in time: then its message, or the
// next one of [Every], will not run, even if it is in the mailbox already. It reports
// false if the message of [After] has run or runs, or the timer was canceled before.
// It panics if the timer belongs to another actor.
func (t Timer) Cancel(c *Context) bool {
	if t.m == nil {
		return false
	}
	if t.owner != c.self {
		panic("gallop: Cancel of a timer of " + t.owner.String() + " by " + c.self.String())
	}
	k := payloadOf[timer](t.m)
	if k.gen.Load() != t.gen {
		return false
	}
	c.self.extra.timers.cancel(c, k)
	return true
}

// timer is a timer in memory: the payload of a message. It is either in the wheel of
// its actor's shard, or its message has been taken from there and is on its way, or
// it runs.
//
// The message of After is the timer's own, so that nothing is allocated when it
// fires. That of Every may still be in the mailbox when the timer is armed again, so
// it is another one each time, a tick, which refers to the timer.
type timer struct {
	wheel.Entry[*message] // guarded by the shard's mu; its item is the timer's message

	// Read-only from the arming until it runs or ends.
	body   *body // nil: not armed
	period int64 // 0: once

	// Owner only. The timers of an actor are in a list.
	held       *message // what will run; nil: canceled on its way
	next, prev *timer

	// How many timers this memory was before. Raised by the owner when the timer
	// has run or was canceled; a Timer that was kept for longer may look at it when
	// the memory is another actor's.
	gen seam.Uint64
}

// tick is the payload of a message of Every.
type tick struct{ of *timer }

var (
	timerPool, _ = poolOf[timer]()
	tickPool, _  = poolOf[tick]()
)

// arm makes a timer of the running actor whose payload is held. Owner only.
func (c *Context) arm(d, period time.Duration, held *message) Timer {
	b := c.self
	m := c.alloc(timerPool.id)
	k := payloadOf[timer](m)
	k.Item = m
	k.body, k.period, k.held = b, int64(period), held
	gen := k.gen.Load()
	l := &b.mine().timers
	if l.shard == nil {
		l.shard = c.sys.timers.shardOf(c)
	}
	l.add(k)
	now := c.sys.opts.clock.Nanos()
	l.shard.add(c, k, seam.After(now, max(d, 0)), now)
	return Timer{m, b, gen}
}

// runFired runs the message of After, unless it was canceled on its way.
func runFired(c *Context, b *body, m *message) {
	k := payloadOf[timer](m)
	held := k.held
	if held == nil {
		c.count.Messages-- // it does not run after all
		k.clear()
		return
	}
	b.extra.timers.remove(k)
	k.gen.Add(1)
	k.clear()
	c.runHeld(b, held)
}

// runTick arms the timer of Every again and runs its message, unless it was canceled
// meanwhile.
func runTick(c *Context, b *body, m *message) {
	t := payloadOf[tick](m)
	k := t.of
	t.of = nil
	if k.held == nil {
		c.count.Messages--
		c.recycle(k.clear())
		return
	}
	l := &b.extra.timers
	now := c.sys.opts.clock.Nanos()
	l.shard.add(c, k, k.following(now), now)
	held := c.alloc(k.held.pool)
	held.id = k.held.id
	b.typ.decls[held.id].copy(held, k.held)
	c.runHeld(b, held)
}

// following is when the next tick is due: a whole number of periods after the last
// one, and later than now.
func (k *timer) following(now int64) int64 {
	at := int64(k.At())
	behind := max(now-at, 0) / k.period
	if at > maxTime-k.period*(behind+1) {
		return maxTime
	}
	return at + k.period*(behind+1)
}

// runHeld runs a message that has been on no mailbox. If its behaviour panics the
// report finds it where that of any other message is.
func (c *Context) runHeld(b *body, held *message) {
	held.sender = b
	c.msg = held
	b.typ.runs[held.id](c, b, held)
	c.recycle(held)
}

// clear makes a timer that is in no wheel and no list keep nothing alive, and returns
// its message.
func (k *timer) clear() *message {
	m := k.Item
	k.body, k.held, k.Item = nil, nil, nil
	return m
}

// actorTimers is the list of an actor's timers that have not run. Owner only.
type actorTimers struct {
	first *timer
	shard *timerShard // where all of them are: their order is decided in one place
}

func (l *actorTimers) add(k *timer) {
	k.next = l.first
	if k.next != nil {
		k.next.prev = k
	}
	l.first = k
}

func (l *actorTimers) remove(k *timer) {
	if k.prev != nil {
		k.prev.next = k.next
	} else {
		l.first = k.next
	}
	if k.next != nil {
		k.next.prev = k.prev
	}
	k.next, k.prev = nil, nil
}

// cancel ends one timer. One that is on its way stays as it is but for its payload,
// and is discarded when it comes.
func (l *actorTimers) cancel(c *Context, k *timer) {
	l.remove(k)
	held := k.held
	k.held = nil
	c.self.typ.decls[held.id].clear(held)
	c.recycle(held)
	k.gen.Add(1) // it cannot be canceled twice
	if l.shard.remove(k) {
		c.recycle(k.clear())
	}
}

// end ends all timers with their actor. What is on its way finds the mailbox closed.
// A system that has stopped keeps its wheels, since nobody looks at them any more.
func (l *actorTimers) end(r replier) {
	if l.shard == nil || r.c == nil {
		return
	}
	for k := l.first; k != nil; {
		k = l.shard.removeSome(k)
	}
	l.first = nil
}
