package actor

import (
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/actor/internal/permits"
	"github.com/gallop-go/gallop/actor/internal/timerwheel"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// What tests outside of the package need to see of its inside.

// OnItsWay reports whether a timer is in no wheel: its message is in the mailbox, or
// will be in a moment. Its actor only, before it has run.
func (t Timer) OnItsWay() bool { return timersOf(t.owner.cold).shard.OnItsWay(t.Ref) }

// SystemStopping reports whether the workers of a system have been told to end.
func SystemStopping(s *System) bool { return s.sched.Stopping() }

// Incoming returns how many messages have come in since the turn of the running actor began.
func Incoming(c *Context) int { return msg.Distance(c.self.box.Head(), c.self.in.Tail()) }

// GrantBias has the worker take biases from now on, if there are any on this machine,
// whatever was taken over from it.
func GrantBias(c *Context) { c.grantBias(true) }

// NewClockAt is NewVirtualClock for a clock with a past: one that was started so many
// nanoseconds ago.
func NewClockAt(start time.Time, nanos int64) *VirtualClock {
	return &VirtualClock{seam: seam.NewVirtualClock(start, nanos), moves: make(chan struct{}, 1)}
}

// StopHandler stops the actor behind what ToChan has returned.
func StopHandler[M any](sys *System, h Handler[M]) {
	Stop(sys, AnyRef{h.(bound[M]).b})
}

// TellOfRoom has the actor behind what ToChan has returned told that there is room, whether there
// is any or not.
func TellOfRoom[M any](sys *System, h Handler[M]) {
	a := h.(bound[M]).b
	a.tell(sys, sinkReady[M]{o: stateOf[chanSink[M]](a)})
}

// Muted reports whether an actor is parked, for tests.
func Muted[S any](r Ref[S]) bool { return r.b.blockedOn.Parked() }

// Queued is how many places in the mailbox of an actor with a bound are taken.
func Queued[S any](r Ref[S]) (n int) {
	f := r.b.flow.Load()
	return f.places.limit - f.permits.Count()
}

// OutsideRoom is how many messages from outside may wait for one actor.
const OutsideRoom = permits.Max

const DefaultBatch, DefaultGas = defaultBatch, defaultGas

// Waiting is how many goroutines wait in an actor's semaphore.
func Waiting[S any](r Ref[S]) int {
	f := r.b.flow.Load()
	if f == nil {
		return 0
	}
	return f.permits.Waiting()
}

// GiveBack gives permits of an actor's semaphore back, as when messages have run.
func GiveBack[S any](r Ref[S], n int) { r.b.flow.Load().permits.Release(n, r.b) }

// Places is how many permits there are in an actor's semaphore.
func Places[S any](r Ref[S]) int { return r.b.flow.Load().permits.Count() }

// WhoWaits says who waits for whom because of applied pressure. It looks at what it does
// not own: for a system that does nothing any more.
func WhoWaits(s *System) (lines []string) {
	s.deadlocks.mu.Lock()
	defer s.deadlocks.mu.Unlock()
	for _, a := range s.deadlocks.roots {
		lines = append(lines, collectWaits(a).String())
	}
	return lines
}

// DeadlockEvery sets how often actors under pressure are looked at.
func DeadlockEvery(d time.Duration) Option {
	return systemOption(func(o *options) { o.deadlockPeriod = d })
}

// Leftovers is what a system keeps of actors that should be nothing.
type Leftovers struct{ StopList, Names, Timers, Armed int }

// LeftoversOf counts them, in a system that is quiet.
func LeftoversOf(s *System) (l Leftovers) {
	l.StopList = s.stopList.all.Len()
	s.names.m.Range(func(any, any) bool { l.Names++; return true })
	if t := s.timers.Load(); t != nil {
		l.Armed, l.Timers = t.Counts()
	}
	return l
}

// FireBatch and FireTurn bound how many timers a shard fires in a turn.
const FireBatch, FireTurn = timerwheel.FireBatch, timerwheel.FireTurn

// FireAt arms a timer of r, whose turn it is not, that is due at once.
func FireAt[S any](c *Context, r Ref[S]) { fireNow(c, r.b, 0, nil) }

// FireWith is FireAt of a timer with a payload that is kept in a message.
func FireWith[S, M any](c *Context, b Behaviour[S, M], r Ref[S], m M) {
	held := c.node(b.d.size)
	c.sys.sim.count(-1)
	*payloadOf[M](held) = m
	fireNow(c, r.b, b.d.id, held)
}

func fireNow(c *Context, to *cell, id uint16, held *message) {
	s := c.sys.makeTimers().ShardOf(c.w)
	n, k := s.Begin()
	k.ID, k.Held, k.Owner, k.Period = id, held, &to.task, 0
	now := c.sys.opts.clock.Nanos()
	s.Arm(c.w, n, k, now, now)
}

// Signaled reports whether there is something in an actor's system queue.
func Signaled[S any](r Ref[S]) bool { return !r.b.system.IsEmpty() }

// WakeLate is what is left to do for a sender that has brought r a signal, and was halted until
// the signal was served. It reports whether r was parked.
func WakeLate[S any](s *System, r Ref[S]) (parked bool) {
	a, _ := s.sched.Admit()
	if parked = r.b.wakeParked(r.b.sys()); parked {
		a.Inject(&r.b.task)
	} else {
		a.Leave()
	}
	return parked
}

// TiesOf counts the links, monitors and children of an actor that is idle.
func TiesOf[S any](r Ref[S]) (n int) {
	x := r.b.cold
	for k := x.children.youngest; k != nil; k = k.older {
		n++
	}
	return n + linksOf(x).all.Len() + monitorsOf(x).watchers.Len() + monitorsOf(x).watching.Len() +
		int(x.children.guards)
}

// MissedReports is how many long turns were not reported, since others had been.
func MissedReports(s *System) uint64 { return s.longTurns.missed.Load() }

// TerminatedIsClean reports whether nothing was written to the cold state that the dead share.
func TerminatedIsClean() bool {
	for _, x := range []*coldState{terminatedNormal, terminatedShutdown, terminatedKilled,
		terminatedSystem} {
		if x.child != nil || x.sup != nil {
			return false
		}
	}
	return true
}

// BudgetOf is how much work the worker may do before it looks at the clock.
func BudgetOf(c *Context) int { return c.w.Budget() }

// BlobsAreCollected waits until the GC has found the arenas of actors that a test has left, or
// others would see their blobs go.
func BlobsAreCollected(t testing.TB, before int64) {
	for range 1000 {
		if heap.Blobs().Live <= before {
			return
		}
		runtime.GC()
	}
	t.Errorf("%d blobs are left, want %d", heap.Blobs().Live, before)
}

// CallersOf is how many actors of a system wait for a reply in their turns.
func CallersOf(s *System) int {
	return s.waitGraph().Len()
}

// EnterAsk enters that who waits for to, as it is when the reply has come or has not, and who has
// not run since.
func EnterAsk[S any](who, to Ref[S], hasReply bool) {
	k := new(callState)
	if hasReply {
		k.state.StoreRelease(callAnswered)
	}
	who.b.sys().waitGraph().Enter(oneAtATime(who.b), oneAtATime(to.b), k)
}

// HasTimers reports whether timers are armed in the worker's shard.
func HasTimers(c *Context) bool { return c.sys.makeTimers().ShardOf(c.w).Len() > 0 }

// BehindStarts has f run whenever the alarm has made a shard runnable. For a quiet system.
func BehindStarts(s *System, f func()) {
	t := s.makeTimers()
	start := t.Start
	t.Start = func(w *sched.Worker, s *timerwheel.Shard) {
		if start(w, s); w == nil {
			f()
		}
	}
}

// OnlyMuted reports whether nothing goes on, and only muted actors keep the system.
func OnlyMuted(s *System) bool { return s.onlyMuted() }

// Leeway sets how many messages a muted actor takes before it mutes its senders. With 1 it mutes
// them at once.
func Leeway(n uint32) Option { return systemOption(func(o *options) { o.leeway = n }) }

// Crowd returns how many messages have come to an actor through a gate that was ajar.
func Crowd[S any](r Ref[S]) int {
	if f := r.b.flow.Load(); f != nil {
		return int(f.ajarCount.Load())
	}
	return 0
}

// LivesOf returns how many contexts of lives the system ends with itself.
func LivesOf(s *System) int {
	s.done.mu.Lock()
	defer s.done.mu.Unlock()
	return s.done.lives.Len()
}

// BoundTo returns how many contexts end with the life of an actor.
func BoundTo[S any](r Ref[S]) int {
	l := r.b.flow.Load().contextOfLife()
	if l == nil {
		return 0
	}
	l.sysDone.mu.Lock()
	defer l.sysDone.mu.Unlock()
	return l.children.Len()
}

// Mail returns how many messages have come in to an actor that runs.
func Mail[S any](r Ref[S]) int { return msg.Distance(r.b.box.Head(), r.b.in.Tail()) }

// InMailbox returns how many messages have come to an actor since its turn began. While its
// behaviour stands still.
func InMailbox[S any](r Ref[S]) int {
	n := 0
	if newest, end := r.b.box.Arrived(&r.b.in); newest != nil {
		n = msg.Distance(newest, end)
	}
	return n
}

// InBackoff reports whether an actor is in a back-off.
func InBackoff[S any](r Ref[S]) bool { return r.b.flow.Load().suspension() != nil }

// Crowded reports whether callers park at once, since a yield would take long.
func Crowded(s *System) bool { return !s.letsOthers() }

// Bridges returns how many goroutines of FromChan and ToChan have not ended.
func Bridges(s *System) int {
	if b := s.bridges.Load(); b != nil {
		return int(b.left.Load())
	}
	return 0
}

// HasMail reports whether the turn has a message in hand, beside the running one.
func HasMail(c *Context) bool { return hasMail(c.w, nil) }
