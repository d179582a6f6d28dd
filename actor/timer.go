package actor

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/gallop-go/gallop/actor/internal/msg"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// Timer is a message that an actor will send itself, once or again and again. Get one
// from [After] or [Every]. It may be copied. The zero Timer is no timer, and canceling
// it does nothing.
type Timer struct {
	owner *cell
	armedTimer
}

// armedTimer is a timer as its owner knows it: its number, and which one of that number.
type armedTimer struct{ number, gen uint32 }

// After sends the running actor the message m for behaviour b when d has passed. The
// message is at the end of the mailbox then, as if the actor had sent it itself at that
// moment. If d is zero or less, it has passed at once. After panics if b belongs to
// another type than the running actor. It allocates nothing in steady state.
//
// An actor's timers fire in the order of their times, those of the same time in the
// order in which they were armed. They never fire early. They go by the runtime's
// clock: see [WithClock]. While time passes by itself, an armed timer keeps the system from
// being quiescent.
//
// Timers end with their actor, and when it is restarted, even for a sibling's sake.
// What has not run by then is neither run nor a dead letter, and nothing is reported.
// Arm in OnStart what each life needs.
//
// A retry that must not be lost should be mail, not a timer: [Yield] it, stash it
// ([Behaviour.Stash]), leave it with a sibling that stays up, or have it sent by a
// supervised child, which falls and is restarted after a back-off.
func After[S, M any](c *Context, d time.Duration, b Behaviour[S, M], m M) Timer {
	return arm(c, d, 0, b, m)
}

// Every is [After] again and again: when d has passed, when 2d have passed, and so on,
// until the timer is canceled or the actor ends or is restarted. Until then the system
// is not quiescent, on the terms of After. Every panics if d is not positive.
//
// Ticks never pile up. While the actor has not come to a tick, that tick stays the only
// one: those that would have come meanwhile are left out, and the next one comes when
// it would have come anyway.
//
// Every also panics if messages of b own a parcel or a region of package heap, since each
// tick would need its own: make it in the behaviour.
func Every[S, M any](c *Context, d time.Duration, b Behaviour[S, M], m M) Timer {
	if d <= 0 {
		panic(fmt.Sprintf("gallop: Every(%v): want a positive period", d))
	}
	c.mustOwn(b.d.made())
	if b.d.owns() {
		panic("gallop: Every: messages of " + b.d.fullName() + " own a parcel or a region: make it in the behaviour")
	}
	return arm(c, d, d, b, m)
}

func arm[S, M any](c *Context, d, period time.Duration, b Behaviour[S, M], m M) Timer {
	c.mustOwn(b.d.made())
	var held *message
	if b.d.pointers || unsafe.Sizeof(m) > unsafe.Sizeof(timer{}.words) || c.travels != nil {
		held = newMessage(c, b.d.size)
		c.sys.sim.count(-1) // it is not sent yet
	}
	if c.travels != nil {
		*payloadOf[M](held) = m
		return c.endArm(c.beginArm(carriedID, carry(c, c.travels, held, b.d)), d, period)
	}
	a := c.beginArm(b.d.id, held)
	*keptBy[M](a.timer) = m
	return c.endArm(a, d, period)
}

// armSignal arms a timer for something of the runtime's own.
func (c *Context) armSignal(d time.Duration, s signal) Timer {
	held := newSignal(c, s)
	return c.endArm(c.beginArm(systemID, held), d, 0)
}

// keptBy returns where the payload of a timer lies.
func keptBy[M any](k *timer) *M {
	if k.held != nil {
		return payloadOf[M](k.held)
	}
	return (*M)(unsafe.Pointer(&k.words))
}

// Cancel ends the timer and reports whether that was in time. If so, the message of
// [After], or the next one of [Every], will not run, even if it is in the mailbox
// already. Cancel panics if the timer belongs to another actor.
//
// Cancel returns false if the message of After has run or is running, if the timer was
// canceled before, and if the timer has ended because its actor drains, runs its OnStop
// or was restarted. A timer that is armed only then never runs; Cancel is still in time for it
// until it is due, since then it was Cancel that ended it.
func (t Timer) Cancel(c *Context) bool {
	if t.owner == nil {
		return false
	}
	if mustRun(c, "Cancel"); t.owner != c.self {
		panic("gallop: Cancel of a timer of " + t.owner.String() + " by " + c.self.String())
	}
	return c.self.cold.ownTimers().cancel(c, t.armedTimer)
}

// timer is a timer in memory: an entry of its shard's slab, by a number. It is either
// free, or the number is in the shard's wheel, or has been taken from there and is on
// its way in a message, or its behaviour runs.
//
// Its owner writes to it while it is armed, under the shard's mu: the message may be on its way to
// a mailbox that is closed meanwhile, and then the shard ends the timer. Besides, the one that runs
// its message writes to it, and the one that gives it back.
//
// It fills one cache line on a 64-bit machine: a million timers are not in any cache, and
// what they cost is how often they are fetched. For the same reason a small payload
// without pointers lies here, and is copied to a message that is at hand when it runs.
// That it is no message itself, and linked to no other timer, spares the GC a
// million objects.
type timer struct {
	_      nocmp.Field
	at     uint64 // when it is due
	body   *cell
	period int64       // 0: once
	held   *message    // its payload; nil: in words
	words  [3]uint64   // of a free one, which one is free besides
	gen    seam.Uint32 // how many timers were here before: see slab
	id     uint16      // of the behaviour
	in     bool        // the wheel has it
	live   bool        // it will run, or run again
}

// fired is the payload of a message that a shard sends: the number of a timer.
type fired struct{ number uint32 }

var firedSize, _ = msg.Of[fired]()

// arming is a timer between the two halves of its arming. Its shard is locked meanwhile: once it is
// not, the timer may be due, and run elsewhere.
type arming struct {
	*timer
	list   *actorTimers
	number uint32
}

// beginArm finds the place for a new timer of the running actor.
func (c *Context) beginArm(id uint16, held *message) arming {
	l := c.self.makeCold().ownTimers()
	if l.shard == nil {
		l.shard = c.sys.makeTimers().shardOf(c)
	}
	l.shard.mu.Lock()
	if l.shard.wheel.Len() == 0 {
		l.shard.slab.shrink()
	}
	n, k := l.shard.slab.take()
	k.id, k.held = id, held
	return arming{k, l, n}
}

// endArm arms a timer whose payload is in its place.
func (c *Context) endArm(a arming, d, period time.Duration) Timer {
	k, s := a.timer, a.list.shard
	k.body, k.period, k.live = c.self, int64(period), true
	t := Timer{c.self, armedTimer{a.number, k.gen.Load()}}
	now := c.sys.opts.clock.Nanos()
	first := s.enter(a.number, k, seam.After(now, max(d, 0)), now)
	s.mu.Unlock()
	a.list.add(t.armedTimer)
	if first {
		s.see(c, now)
	}
	return t
}

// fired runs the message of a timer, unless it was canceled on its way. A timer of Every is armed
// again before.
func (l *actorTimers) fired(c *Context, a *cell, m *message) {
	n := payloadOf[fired](m).number
	k := l.shard.slab.at(n)
	if invariant.On {
		verifyFired(l, a, n, k)
	}
	switch {
	case !k.live:
		c.count.messages-- // it does not run after all
		l.shard.giveBack(n, k)
		return
	case k.period == 0:
		l.left--
		k.gen.Add(1)
		run := k.take(c, a)
		l.shard.giveBack(n, k)
		c.runHeld(a, m, run)
		return
	}
	tick := k.copy(c, a)
	l.again(c, a, n, k, a.contextOver(tick))
	c.runHeld(a, m, tick)
}

// again arms the timer of Every for its next tick, unless this one was the last: its actor drains,
// or its context has ended.
func (l *actorTimers) again(c *Context, a *cell, n uint32, k *timer, last bool) {
	if l.over || last {
		if !l.over {
			l.left--
		}
		k.markDone()
		held := k.takeHeld()
		l.shard.giveBack(n, k)
		env{c: c, sys: c.sys}.discardAll(a, held)
		return
	}
	now := c.sys.opts.clock.Nanos()
	l.shard.add(c, n, k, k.following(now), now)
}

// following is when the next tick is due: a whole number of periods after the last
// one, and later than now.
func (k *timer) following(now int64) int64 {
	at := int64(k.at)
	behind := max(now-at, 0) / k.period
	if at > maxTime-k.period*(behind+1) {
		return maxTime
	}
	return at + k.period*(behind+1)
}

// take returns the payload as a message.
func (k *timer) take(c *Context, a *cell) *message {
	if held := k.held; held != nil {
		held.ID = k.id
		if isMail(k.id) {
			c.sys.sim.count(1)
		}
		return held
	}
	return k.copy(c, a)
}

// copy returns a copy of the payload as a message.
func (k *timer) copy(c *Context, a *cell) *message {
	d := a.shared().typ.decls[k.id]
	m := newMessage(c, d.size) // an urgent behaviour has no number in the cache
	if m.ID = k.id; m.ID == carriedID {
		c.sys.sim.count(1) // the message in it, which is not of this worker's making
	}
	d.copy(m, k)
	return m
}

// runHeld runs m, which has been in no mailbox, in the place of at. If its behaviour
// panics, at tells the report which one that was.
func (c *Context) runHeld(a *cell, at, m *message) {
	at.ID, at.From, m.From = m.ID, a.id, a.id
	a.runs()[m.ID](c, a, m)
	c.recycle(m)
}
