package kernel

import (
	"slices"
	"time"
	"unsafe"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/kernel/timerwheel"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// ArmedTimer is a timer in its wheel. Package timerwheel says who owns it.
type ArmedTimer = timerwheel.Timer

// Timer is actor.Timer, which documents it.
type Timer struct {
	owner *Cell
	ref   timerwheel.Ref
}

// ArmSignal arms a timer for a signal of the runtime's own. Owner only, in a turn.
func (c *Turn) ArmSignal(d time.Duration, s Signal) Timer {
	held := NewSignal(c, s)
	return c.EndArm(c.BeginArm(SystemID, held), d, 0)
}

// KeptBy returns the address of the payload of a timer. M is its type. Owner only.
func KeptBy[M any](k *ArmedTimer) *M {
	if k.Held != nil {
		return PayloadOf[M](k.Held)
	}
	return (*M)(unsafe.Pointer(&k.Words))
}

// Cancel implements actor.Timer.Cancel.
func (t Timer) Cancel(turn *Turn) bool {
	if t.owner == nil {
		return false
	}
	if MustRun(turn, "Cancel"); t.owner != turn.Self {
		panic("gallop: Cancel of a timer of " + t.owner.String() + " by " + turn.Self.String())
	}
	return TimersOf(turn.Self.Cold).cancel(turn, turn.Self, t.ref)
}

// OnItsWay reports whether the timer is in no wheel: its message is in the mailbox, or will be there
// in a moment. It is called by the timer's actor, before the message has run.
func (t Timer) OnItsWay() bool { return TimersOf(t.owner.Cold).Shard.OnItsWay(t.ref) }

// fired is the payload of a message that a shard sends: the number of a timer.
type fired struct{ number uint32 }

var firedSize, _ = msg.Of[fired]()

// MakeTimers returns the timers of the system. The first call makes them. If the system stops
// meanwhile, either its stop sees them or they see it. Any worker.
func (s *System) MakeTimers() *timerwheel.Timers {
	if t := s.Timers.Load(); t != nil {
		return t
	}
	t := timerwheel.New(s.Sched, s.Opts.Clock, s.Opts.Workers, fireTimers)
	if !s.Timers.CompareAndSwap(nil, t) { // publishes them
		return s.Timers.Load()
	}
	if s.Sched.Stopping() {
		t.Stop()
	}
	return t
}

// fireTimers sends the messages of timers that a shard has taken from its wheel.
func fireTimers(w *sched.Worker, s *timerwheel.Shard, list []timerwheel.Due) {
	c := w.Local().(*Turn)
	for _, d := range list {
		c.fire(s, d)
	}
}

func (c *Turn) fire(s *timerwheel.Shard, d timerwheel.Due) {
	m, to := c.Alloc(firedSize.ID), cellOfTask(d.Owner)
	c.Sys.Sim.Count(-1) // the timer's payload is counted when it runs
	m.ID, m.From = firedID, 0
	PayloadOf[fired](m).number = d.Number
	if !c.pushMail(to, m) {
		c.Recycle(m)
		discardAll(c, to, s.Lost(d.Number))
	}
}

// arming is a timer between the two halves of its arming. Its shard is locked meanwhile.
type arming struct {
	*ArmedTimer
	list   *actorTimers
	number uint32
}

// BeginArm finds the place for a new timer of the running actor. The caller writes the payload
// there and calls EndArm. Owner only, in a turn.
func (c *Turn) BeginArm(id uint16, held *Message) arming {
	l := TimersOf(c.Self.MakeCold())
	if l.Shard == nil {
		l.Shard = c.Sys.MakeTimers().ShardOf(c.W)
	}
	n, k := l.Shard.Begin()
	k.ID, k.Held = id, held
	return arming{k, l, n}
}

// EndArm arms a timer whose payload is in its place. Owner only, in a turn.
func (c *Turn) EndArm(a arming, d, period time.Duration) Timer {
	a.Owner, a.Period = &c.Self.Task, int64(period)
	now := c.Sys.Opts.Clock.Nanos()
	t := a.list.Shard.Arm(c.W, a.number, a.ArmedTimer, seam.After(now, max(d, 0)), now)
	a.list.add(t)
	return Timer{c.Self, t}
}

// firedDesc is the row of timers in every table.
var firedDesc = &Descriptor{ID: firedID, run: func(c *Turn, a *Cell, m *Message) {
	TimersOf(a.Cold).fired(c, a, m)
}}

// fired runs the message of a timer, unless the timer was canceled after it had fired. A timer of
// Every is armed again before its message runs.
func (l *actorTimers) fired(c *Turn, a *Cell, m *Message) {
	n := PayloadOf[fired](m).number
	k := l.Shard.At(n)
	if invariant.On {
		verifyFired(l, a, n, k)
	}
	c.Count.NotRun++ // only the payload counts
	switch {
	case !k.Live():
		l.Shard.Free(n, k)
		return
	case k.Period == 0:
		l.left--
		k.Outdate()
		run := c.takePayload(k, a)
		l.Shard.Free(n, k)
		c.runHeld(a, m, run)
		return
	}
	tick := c.copyPayload(k, a)
	l.again(c, a, n, k, a.contextOver(tick))
	c.runHeld(a, m, tick)
}

// again arms the timer of Every for its next tick. It ends the timer instead if this tick was the
// last: the actor drains, or the context of the message has ended.
func (l *actorTimers) again(c *Turn, a *Cell, n uint32, k *ArmedTimer, last bool) {
	if l.over || last {
		if !l.over {
			l.left--
		}
		held := k.End()
		l.Shard.Free(n, k)
		discardAll(c, a, held)
		return
	}
	now := c.Sys.Opts.Clock.Nanos()
	l.Shard.Rearm(c.W, n, k, k.Following(now), now)
}

// takePayload returns the payload of a timer as a message.
func (c *Turn) takePayload(k *ArmedTimer, a *Cell) *Message {
	if held := k.Held; held != nil {
		held.ID = k.ID
		if isMail(k.ID) {
			c.Sys.Sim.Count(1)
		}
		return held
	}
	return c.copyPayload(k, a)
}

// copyPayload returns a copy of the payload of a timer as a message.
func (c *Turn) copyPayload(k *ArmedTimer, a *Cell) *Message {
	d := a.Shared().Typ.Decls[k.ID]
	m := c.Node(d.Size) // an urgent behaviour has no number in the cache
	if m.ID = k.ID; m.ID == CarriedID {
		c.Sys.Sim.Count(1) // the message in it, which is not of this worker's making
	}
	d.Copy(m, k)
	return m
}

// runHeld runs m, which has been in no mailbox, in the place of at. If the behaviour
// panics, the report takes its name from at.
func (c *Turn) runHeld(a *Cell, at, m *Message) {
	at.ID, at.From, m.From = m.ID, a.ID, a.ID
	c.Invoke(a, m)
	c.Recycle(m)
}

// TimersOf returns the timers of an actor. The first call makes the part. Owner only.
func TimersOf(x *Cold) *actorTimers {
	l, _ := x.Parts[TimersPart].(*actorTimers)
	if l == nil { // over: its mailbox is closed
		l = &actorTimers{over: x.drained || x.State == leaving && x.after == nextEnded}
		x.Parts[TimersPart] = l
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
	// Shard has all of them, so that their order is decided in one place.
	Shard *timerwheel.Shard
	over  bool // the actor ends: timers of Every are not armed again
}

// Ends implements Part. A system that has stopped keeps its wheels.
func (l *actorTimers) Ends(a *Cell, e Env, at Ending, _ error) {
	switch {
	case at == atLifeEnd:
		l.cancelAll(e, a)
	case at == atClose && !a.Cold.Taken:
		l.end(e, a)
	}
}

// Roots implements rooted: it adds the payloads of the timers that have not run, those of Every
// included.
func (l *actorTimers) Roots(roots []heap.Root, t *TypeRoots) []heap.Root {
	for _, one := range l.list {
		k := l.Shard.Find(one)
		if k == nil {
			continue
		}
		if k.ID == CarriedID {
			roots = t.queued(roots, k.Held, k.Held.Next)
		} else if p := t.ByID[k.ID]; p != nil {
			roots = append(roots, heap.RootOf(KeptBy[byte](k), p))
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
	l.list = slices.DeleteFunc(l.list, func(t timerwheel.Ref) bool { return l.Shard.Find(t) == nil })
}

// cancel ends one timer, and reports whether it was in time. A timer whose message is in the
// mailbox already loses its payload, and is freed when the message comes.
func (l *actorTimers) cancel(e Env, a *Cell, t timerwheel.Ref) bool {
	if l.Shard == nil {
		return false
	}
	held, ok := l.Shard.Cancel(t)
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
func discard(e Env, a *Cell, held *Message) {
	d := a.Typ().Decls[held.ID]
	if invariant.On {
		verifyDiscard(a, held, d)
	}
	if held.ID == CarriedID {
		in := unwrap(held)
		recycle(e, held)
		discard(e, a, in)
		return
	}
	if !isOwn(held.ID) {
		d.discardOwned(held)
	}
	d.Clear(held)
	recycle(e, held)
}

// discardAll is discard for a chain.
func discardAll(e Env, a *Cell, left *Message) {
	for left != nil {
		held := left
		left, held.Next = held.Next, nil
		discard(e, a, held)
	}
}

// cancelAll ends all timers of an actor that lives on, also timers that have fired but not run.
func (l *actorTimers) cancelAll(e Env, a *Cell) {
	for _, t := range l.list {
		l.cancel(e, a, t)
	}
	l.list, l.left = nil, 0
}

// end ends all timers with their actor. The message of a timer that has fired finds the mailbox
// closed, unless it is in there already and the actor drains.
func (l *actorTimers) end(e Env, a *Cell) {
	if l.Shard == nil {
		l.over = true
		return
	}
	for some := range slices.Chunk(l.list, timerwheel.FireBatch) {
		held := l.Shard.RemoveAll(some)
		discardAll(e, a, held)
	}
	l.tidy() // timers that have fired keep their handles
	l.left, l.over = len(l.list), true
}

// timerMissed ends a timer whose message will not run.
func timerMissed(e Env, a *Cell, m *Message) {
	l := TimersOf(a.Cold)
	n := PayloadOf[fired](m).number
	k := l.Shard.At(n)
	held := k.End()
	l.Shard.Free(n, k)
	discardAll(e, a, held)
}

// verifyDiscard checks the payload of a timer that will not run: it is one message, of the
// behaviour that it was for.
func verifyDiscard(a *Cell, held *Message, d *Descriptor) {
	invariant.Check(held.Next == nil, "%v discards a payload that is in a chain", a)
	invariant.Check(held.SizeClass() == d.Size.ID,
		"%v discards a payload of pool %d as one of pool %d", a, held.SizeClass(), d.Size.ID)
}

// verifyFired checks a timer whose message runs. Its actor's owner only.
func verifyFired(l *actorTimers, a *Cell, n uint32, k *ArmedTimer) {
	invariant.Check(k != nil && k.Fired(), "timer %d fires, and is armed", n)
	invariant.Check(!k.Live() || k.Owner == &a.Task, "timer %d of another fires at %v", n, a)
	invariant.Check(!k.Live() || l.left > 0 || l.over, "timer %d fires, and %v has none", n, a)
}

// verifyActorTimers checks the list of an actor's timers. Owner only.
func verifyActorTimers(l *actorTimers) {
	invariant.Check(l.over || l.left >= 0 && l.left <= len(l.list), "%d of %d timers are left",
		l.left, len(l.list))
	invariant.Check(l.Shard != nil || len(l.list) == 0, "%d timers in no shard", len(l.list))
}
