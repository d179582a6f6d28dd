package actor

import (
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/actor/internal/timerwheel"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

type timer = timerwheel.Timer

// Timer is a message that an actor will send itself, once or repeatedly. [After] and [Every] return
// Timers. A Timer may be copied. The zero Timer is no timer, and canceling it does nothing.
type Timer struct {
	owner *cell
	timerwheel.Ref
}

// After sends the running actor the message m for behaviour b when d has passed. The
// message is then put at the end of the mailbox, as if the actor had sent it to itself at
// that moment. If d is zero or less, it has passed at once. After panics if b belongs to
// another type than the running actor. It allocates nothing in steady state.
//
// An actor's timers fire in the order of their times; timers of the same time fire in the
// order in which they were armed. They never fire early. They use the system's clock: see
// [WithClock]. While time passes by itself, an armed timer keeps the system from
// being quiescent.
//
// Timers end with their actor, and when it is restarted, even if a sibling is the cause.
// Their messages that have not run by then do not run, and are not dead letters; nothing is
// reported. Arm the timers that each life needs in OnStart.
//
// A retry that must not be lost should be mail, not a timer: [Yield] it, stash it
// ([Behaviour.Stash]), leave it with a sibling that stays up, or have it sent by a
// supervised child, which falls and is restarted after a back-off.
func After[S, M any](c *Context, d time.Duration, b Behaviour[S, M], m M) Timer {
	return arm(c.kernel(), d, 0, b, m)
}

// Every is a repeated [After]: it sends when d has passed, when 2d have passed, and so on,
// until the timer is canceled or the actor ends or is restarted. Until then the system
// is not quiescent, under the conditions of After. Every panics if d is not positive.
//
// Ticks never pile up. While one tick waits in the mailbox, further ticks are left out. After
// it has run, the next tick comes at its regular time.
//
// Every also panics if messages of b own a parcel or a region of package heap, since each
// tick would need its own: make the parcel or region in the behaviour.
func Every[S, M any](c *Context, d time.Duration, b Behaviour[S, M], m M) Timer {
	if d <= 0 {
		panic(fmt.Sprintf("gallop: Every(%v): want a positive period", d))
	}
	c.kernel().mustOwn(b.d.made())
	if b.d.owns() {
		panic("gallop: Every: messages of " +
			b.d.fullName() + " own a parcel or a region: make it in the behaviour")
	}
	return arm(c.kernel(), d, d, b, m)
}

func arm[S, M any](c *kernelTurn, d, period time.Duration, b Behaviour[S, M], m M) Timer {
	c.mustOwn(b.d.made())
	var held *message
	if b.d.pointers || unsafe.Sizeof(m) > unsafe.Sizeof(timer{}.Words) || c.travels != nil {
		held = c.node(b.d.size)
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

// armSignal arms a timer for a signal of the runtime's own.
func (c *kernelTurn) armSignal(d time.Duration, s signal) Timer {
	held := newSignal(c, s)
	return c.endArm(c.beginArm(systemID, held), d, 0)
}

// keptBy returns where the payload of a timer lies.
func keptBy[M any](k *timer) *M {
	if k.Held != nil {
		return payloadOf[M](k.Held)
	}
	return (*M)(unsafe.Pointer(&k.Words))
}

// Cancel ends the timer and reports whether that was in time. If so, the message of
// [After], or the next message of [Every], will not run, even if it is in the mailbox
// already. Cancel panics if the timer belongs to another actor.
//
// Cancel returns false
//
//   - if the message of After has run or is running;
//   - if the timer was canceled before;
//   - if the timer has ended because its actor drains, runs its OnStop or was restarted.
//
// A timer that is armed while its actor drains or runs its OnStop never runs. Cancel returns
// true for it until it is due.
func (t Timer) Cancel(c *Context) bool {
	turn := c.kernel()
	if t.owner == nil {
		return false
	}
	if mustRun(turn, "Cancel"); t.owner != turn.self {
		panic("gallop: Cancel of a timer of " + t.owner.String() + " by " + turn.self.String())
	}
	return timersOf(turn.self.cold).cancel(turn, turn.self, t.Ref)
}

// fired is the payload of a message that a shard sends: the number of a timer.
type fired struct{ number uint32 }

var firedSize, _ = msg.Of[fired]()

// makeTimers returns the timers of the system. The first call makes them. If the system stops
// meanwhile, either its stop sees them or they see it. Any worker.
func (s *kernelSystem) makeTimers() *timerwheel.Timers {
	if t := s.timers.Load(); t != nil {
		return t
	}
	t := timerwheel.New(s.sched, s.opts.clock, s.opts.workers, fireTimers)
	if !s.timers.CompareAndSwap(nil, t) { // publishes them
		return s.timers.Load()
	}
	if s.sched.Stopping() {
		t.Stop()
	}
	return t
}

// fireTimers sends the messages of timers that a shard has taken from its wheel.
func fireTimers(w *sched.Worker, s *timerwheel.Shard, list []timerwheel.Due) {
	c := w.Local().(*kernelTurn)
	for _, d := range list {
		c.fire(s, d)
	}
}

func (c *kernelTurn) fire(s *timerwheel.Shard, d timerwheel.Due) {
	m, to := c.alloc(firedSize.ID), cellOfTask(d.Owner)
	c.sys.sim.count(-1) // the timer's payload is counted when it runs
	m.ID, m.From = firedID, 0
	payloadOf[fired](m).number = d.Number
	if !c.pushMail(to, m) {
		c.recycle(m)
		discardAll(c, to, s.Lost(d.Number))
	}
}

// arming is a timer between the two halves of its arming. Its shard is locked meanwhile.
type arming struct {
	*timer
	list   *actorTimers
	number uint32
}

// beginArm finds the place for a new timer of the running actor.
func (c *kernelTurn) beginArm(id uint16, held *message) arming {
	l := timersOf(c.self.makeCold())
	if l.shard == nil {
		l.shard = c.sys.makeTimers().ShardOf(c.w)
	}
	n, k := l.shard.Begin()
	k.ID, k.Held = id, held
	return arming{k, l, n}
}

// endArm arms a timer whose payload is in its place.
func (c *kernelTurn) endArm(a arming, d, period time.Duration) Timer {
	a.Owner, a.Period = &c.self.task, int64(period)
	now := c.sys.opts.clock.Nanos()
	t := a.list.shard.Arm(c.w, a.number, a.timer, seam.After(now, max(d, 0)), now)
	a.list.add(t)
	return Timer{c.self, t}
}

// firedDesc is the row of timers in every table.
var firedDesc = &descriptor{id: firedID, run: func(c *kernelTurn, a *cell, m *message) {
	timersOf(a.cold).fired(c, a, m)
}}

// fired runs the message of a timer, unless the timer was canceled after it had fired. A timer of
// Every is armed again before its message runs.
func (l *actorTimers) fired(c *kernelTurn, a *cell, m *message) {
	n := payloadOf[fired](m).number
	k := l.shard.At(n)
	if invariant.On {
		verifyFired(l, a, n, k)
	}
	c.count.notRun++ // only the payload counts
	switch {
	case !k.Live():
		l.shard.Free(n, k)
		return
	case k.Period == 0:
		l.left--
		k.Outdate()
		run := c.takePayload(k, a)
		l.shard.Free(n, k)
		c.runHeld(a, m, run)
		return
	}
	tick := c.copyPayload(k, a)
	l.again(c, a, n, k, a.contextOver(tick))
	c.runHeld(a, m, tick)
}

// again arms the timer of Every for its next tick. It ends the timer instead if this tick was the
// last: the actor drains, or the context of the message has ended.
func (l *actorTimers) again(c *kernelTurn, a *cell, n uint32, k *timer, last bool) {
	if l.over || last {
		if !l.over {
			l.left--
		}
		held := k.End()
		l.shard.Free(n, k)
		discardAll(c, a, held)
		return
	}
	now := c.sys.opts.clock.Nanos()
	l.shard.Rearm(c.w, n, k, k.Following(now), now)
}

// takePayload returns the payload of a timer as a message.
func (c *kernelTurn) takePayload(k *timer, a *cell) *message {
	if held := k.Held; held != nil {
		held.ID = k.ID
		if isMail(k.ID) {
			c.sys.sim.count(1)
		}
		return held
	}
	return c.copyPayload(k, a)
}

// copyPayload returns a copy of the payload of a timer as a message.
func (c *kernelTurn) copyPayload(k *timer, a *cell) *message {
	d := a.shared().typ.decls[k.ID]
	m := c.node(d.size) // an urgent behaviour has no number in the cache
	if m.ID = k.ID; m.ID == carriedID {
		c.sys.sim.count(1) // the message in it, which is not of this worker's making
	}
	d.copy(m, k)
	return m
}

// runHeld runs m, which has been in no mailbox, in the place of at. If the behaviour
// panics, the report takes its name from at.
func (c *kernelTurn) runHeld(a *cell, at, m *message) {
	at.ID, at.From, m.From = m.ID, a.id, a.id
	c.invoke(a, m)
	c.recycle(m)
}

// timersOf returns the timers of an actor. The first call makes the part. Owner only.
func timersOf(x *coldState) *actorTimers {
	l, _ := x.parts[timersPart].(*actorTimers)
	if l == nil { // over: its mailbox is closed
		l = &actorTimers{over: x.drained || x.state == leaving && x.after == nextEnded}
		x.parts[timersPart] = l
	}
	return l
}

// actorTimers is the part with an actor's timers. Owner only.
//
// They are in a list with gaps: a timer that has run or was canceled stays in it, and
// is recognised by its gen. Removing it at once would load its neighbours into the cache.
type actorTimers struct {
	list []timerwheel.Ref
	left int // timers in list that have not run
	// shard has all of them, so that their order is decided in one place.
	shard *timerwheel.Shard
	over  bool // the actor ends: timers of Every are not armed again
}

// ends implements part. A system that has stopped keeps its wheels.
func (l *actorTimers) ends(a *cell, e env, at ending, _ error) {
	switch {
	case at == atLifeEnd:
		l.cancelAll(e, a)
	case at == atClose && !a.cold.taken:
		l.end(e, a)
	}
}

// roots implements rooted: it adds the payloads of the timers that have not run, those of Every
// included.
func (l *actorTimers) roots(roots []heap.Root, t *typeRoots) []heap.Root {
	for _, one := range l.list {
		k := l.shard.Find(one)
		if k == nil {
			continue
		}
		if k.ID == carriedID {
			roots = t.queued(roots, k.Held, k.Held.Next)
		} else if p := t.byID[k.ID]; p != nil {
			roots = append(roots, heap.RootOf(keptBy[byte](k), p))
		}
	}
	return roots
}

// add adds a timer to the list. It tidies the list first if that is full and half of it is gone.
func (l *actorTimers) add(t timerwheel.Ref) {
	if len(l.list) == cap(l.list) && l.left <= len(l.list)/2 {
		l.tidy()
	}
	l.list = append(l.list, t)
	l.left++
	if invariant.On {
		verifyActorTimers(l)
	}
}

// tidy removes timers that have run or were canceled.
func (l *actorTimers) tidy() {
	l.list = slices.DeleteFunc(l.list, func(t timerwheel.Ref) bool { return l.shard.Find(t) == nil })
}

// cancel ends one timer, and reports whether it was in time. A timer whose message is in the
// mailbox already loses its payload, and is freed when the message comes.
func (l *actorTimers) cancel(e env, a *cell, t timerwheel.Ref) bool {
	if l.shard == nil {
		return false
	}
	held, ok := l.shard.Cancel(t)
	if !ok {
		return false
	}
	l.left--
	if invariant.On {
		verifyActorTimers(l)
	}
	discardAll(e, a, held)
	return true
}

// discard recycles the payload of a timer that will not run, and ends the parcels and regions that
// it owns. The caller has taken it from the timer.
func discard(e env, a *cell, held *message) {
	d := a.typ().decls[held.ID]
	if invariant.On {
		verifyDiscard(a, held, d)
	}
	if held.ID == carriedID {
		in := unwrap(held)
		recycle(e, held)
		discard(e, a, in)
		return
	}
	if !isOwn(held.ID) {
		d.discardOwned(held)
	}
	d.clear(held)
	recycle(e, held)
}

// discardAll is discard for a chain.
func discardAll(e env, a *cell, left *message) {
	for left != nil {
		held := left
		left, held.Next = held.Next, nil
		discard(e, a, held)
	}
}

// cancelAll ends all timers of an actor that lives on, also timers that have fired but not run.
func (l *actorTimers) cancelAll(e env, a *cell) {
	for _, t := range l.list {
		l.cancel(e, a, t)
	}
	l.list, l.left = nil, 0
}

// end ends all timers with their actor. The message of a timer that has fired finds the mailbox
// closed, unless it is in there already and the actor drains.
func (l *actorTimers) end(e env, a *cell) {
	if l.shard == nil {
		l.over = true
		return
	}
	for some := range slices.Chunk(l.list, timerwheel.FireBatch) {
		held := l.shard.RemoveAll(some)
		discardAll(e, a, held)
	}
	l.tidy() // timers that have fired keep their handles
	l.left, l.over = len(l.list), true
}

// timerMissed ends a timer whose message will not run.
func timerMissed(e env, a *cell, m *message) {
	l := timersOf(a.cold)
	n := payloadOf[fired](m).number
	k := l.shard.At(n)
	held := k.End()
	l.shard.Free(n, k)
	discardAll(e, a, held)
}

// verifyDiscard checks the payload of a timer that will not run: it is one message, of the
// behaviour that it was for.
func verifyDiscard(a *cell, held *message, d *descriptor) {
	invariant.Check(held.Next == nil, "%v discards a payload that is in a chain", a)
	invariant.Check(held.SizeClass() == d.size.ID,
		"%v discards a payload of pool %d as one of pool %d", a, held.SizeClass(), d.size.ID)
}

// verifyFired checks a timer whose message runs. Its actor's owner only.
func verifyFired(l *actorTimers, a *cell, n uint32, k *timer) {
	invariant.Check(k != nil && k.Fired(), "timer %d fires, and is armed", n)
	invariant.Check(!k.Live() || k.Owner == &a.task, "timer %d of another fires at %v", n, a)
	invariant.Check(!k.Live() || l.left > 0 || l.over, "timer %d fires, and %v has none", n, a)
}

// verifyActorTimers checks the list of an actor's timers. Owner only.
func verifyActorTimers(l *actorTimers) {
	invariant.Check(l.over || l.left >= 0 && l.left <= len(l.list), "%d of %d timers are left",
		l.left, len(l.list))
	invariant.Check(l.shard != nil || len(l.list) == 0, "%d timers in no shard", len(l.list))
}
