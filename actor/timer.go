package actor

import (
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/wheel"
)

// Timer is a message that an actor will send itself, once or again and again. Get
// one from [After] or [Every]; copy it as you like. The zero Timer is none, and
// canceling it does nothing.
type Timer struct {
	m     *message
	owner *body
	gen   uint32
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
	n := c.alloc(timerPool.id)
	k := payloadOf[timer](n)
	k.id = b.d.id
	if b.d.pointers || unsafe.Sizeof(m) > unsafe.Sizeof(k.words) {
		k.held = c.alloc(b.d.poolID)
		c.sys.sim.book(-1) // it is not sent yet
	}
	*keptBy[M](k) = m
	return c.arm(n, k, d, period)
}

// keptBy returns where the payload of a timer lies.
func keptBy[M any](k *timer) *M {
	if k.held != nil {
		return payloadOf[M](k.held)
	}
	return (*M)(unsafe.Pointer(&k.words))
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
	if t.isOver() {
		return false
	}
	c.self.extra.ownTimers().cancel(c, payloadOf[timer](t.m))
	return true
}

// timer is a timer in memory: the payload of a message. It is either in the wheel of
// its actor's shard, or its message has been taken from there and is on its way, or
// it runs.
//
// The message of After is the timer's own, so that nothing is allocated when it
// fires. That of Every may still be in the mailbox when the timer is armed again, so
// it is another one each time, a tick, which refers to the timer.
//
// With its header it fills 128 bytes on a 64-bit machine, and what the wheel touches
// fills the first of two cache lines: a million timers are not in any cache, and what
// they cost is how often they are fetched. For the same reason a small payload without
// pointers lies here, and is copied to a message that is at hand when it is due.
type timer struct {
	wheel.Entry[*message] // guarded by the shard's mu; its item is the timer's message

	// Read-only from the arming until it runs or ends.
	body   *body
	period int64 // 0: once
	id     uint16

	// Owner only.
	live  bool // it will run, or run again
	gen   generation
	held  *message // its payload; nil: in words
	words [3]uint64
}

// generation is how many timers some memory was before. Raised by the owner when the
// timer has run or was canceled; a Timer or a list that was kept for longer may look at
// it when the memory is another actor's. It would be fooled by one that was kept for
// exactly 2³² more. A word of 64 bits must lie at a multiple of 8, which on a 32-bit
// machine the payload of a message does not.
type generation = seam.Uint32

// tick is the payload of a message of Every.
type tick struct{ of *timer }

var (
	timerPool, _ = poolOf[timer]()
	tickPool, _  = poolOf[tick]()
)

// arm starts a new timer of the running actor, whose payload is in its place.
func (c *Context) arm(m *message, k *timer, d, period time.Duration) Timer {
	b := c.self
	k.Item = m
	k.body, k.period, k.live = b, int64(period), true
	t := Timer{m, b, k.gen.Load()}
	l := b.mine().ownTimers()
	if l.shard == nil {
		l.shard = c.sys.makeTimers().shardOf(c)
	}
	l.add(t)
	now := c.sys.opts.clock.Nanos()
	l.shard.add(c, k, seam.After(now, max(d, 0)), now)
	return t
}

// fired runs the message of After, unless it was canceled on its way.
func (l *actorTimers) fired(c *Context, b *body, m *message) {
	k := payloadOf[timer](m)
	if !k.live {
		c.count.Messages-- // it does not run after all
		k.clear()
		return
	}
	l.left--
	k.gen.Add(1)
	held := k.take(c, b)
	k.clear()
	c.runHeld(b, m, held)
}

// ticked arms the timer of Every again and runs its message, unless it was canceled
// meanwhile.
func (l *actorTimers) ticked(c *Context, b *body, m *message) {
	t := payloadOf[tick](m)
	k := t.of
	t.of = nil
	if !k.live {
		c.count.Messages--
		c.recycle(k.clear())
		return
	}
	now := c.sys.opts.clock.Nanos()
	if l.shard != nil { // it is nil when the actor drains: timers have ended
		l.shard.add(c, k, k.following(now), now)
	}
	c.runHeld(b, m, k.copy(c, b))
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

// take returns the payload as a message.
func (k *timer) take(c *Context, b *body) *message {
	if held := k.held; held != nil {
		held.id = k.id
		c.sys.sim.book(1)
		return held
	}
	return k.copy(c, b)
}

// copy returns a copy of the payload as a message.
func (k *timer) copy(c *Context, b *body) *message {
	d := b.typ.decls[k.id]
	m := c.alloc(d.poolID)
	m.id = k.id
	d.copy(m, k)
	return m
}

// runHeld runs m, which has been in no mailbox, in the place of at. If its behaviour
// panics, at tells the report which one that was.
func (c *Context) runHeld(b *body, at, m *message) {
	at.id, at.from = m.id, b.id
	b.runs()[m.id](c, b, m)
	c.recycle(m)
}

// clear makes a timer that is in no wheel keep nothing alive, and returns its message.
func (k *timer) clear() *message {
	m := k.Item
	k.body, k.held, k.Item = nil, nil, nil
	return m
}

// timerKeeper is an actorTimers as the rest of the runtime sees it, so that a program
// that arms no timer does not link them.
type timerKeeper interface {
	fired(c *Context, b *body, m *message)
	ticked(c *Context, b *body, m *message)
	cancelAll(c *Context)
	end(r replier)
}

// ownTimers returns the timers of an actor, and makes them at first. Owner only.
func (x *extras) ownTimers() *actorTimers {
	if l, ok := x.timers.(*actorTimers); ok {
		return l
	}
	l := new(actorTimers)
	x.timers = l
	return l
}

// actorTimers are an actor's timers. Owner only.
//
// They are in a list with gaps: a timer that has run or was canceled stays in it, and
// is known by its gen. To take it out at once would fetch its neighbours.
type actorTimers struct {
	list  []Timer
	left  int         // how many of the list have not run
	shard *timerShard // where all of them are: their order is decided in one place
}

// add enters a timer, and tidies the list up if it is full and half of it is gone.
func (l *actorTimers) add(t Timer) {
	if len(l.list) == cap(l.list) && l.left <= len(l.list)/2 {
		l.list = slices.DeleteFunc(l.list, Timer.isOver)
	}
	l.list = append(l.list, t)
	l.left++
}

// isOver tells whether the timer has run or was canceled. Its actor only.
func (t Timer) isOver() bool { return payloadOf[timer](t.m).gen.Load() != t.gen }

// cancel ends one timer. One that is on its way stays as it is but for its payload,
// and is discarded when it comes.
func (l *actorTimers) cancel(c *Context, k *timer) {
	l.left--
	k.live = false
	k.gen.Add(1)
	if held := k.held; held != nil {
		k.held = nil
		c.self.typ.decls[k.id].clear(held)
		c.recycle(held)
	}
	if l.shard != nil && l.shard.remove(k) {
		c.recycle(k.clear())
	}
}

// cancelAll ends all timers of an actor that lives on: those on their way as well.
func (l *actorTimers) cancelAll(c *Context) {
	for _, t := range l.list {
		if !t.isOver() {
			l.cancel(c, payloadOf[timer](t.m))
		}
	}
	l.list, l.left = nil, 0
}

// end ends all timers with their actor. What is on its way finds the mailbox closed.
// A system that has stopped keeps its wheels, since nobody looks at them any more.
func (l *actorTimers) end(r replier) {
	if l.shard == nil || r.c == nil {
		return
	}
	l.list = slices.DeleteFunc(l.list, Timer.isOver)
	for some := range slices.Chunk(l.list, fireBatch) {
		l.shard.removeAll(some)
	}
	*l = actorTimers{}
}
