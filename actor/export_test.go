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

// This file gives tests outside of the package access to its internals.

// OnItsWay reports whether a timer is in no wheel: its message is in the mailbox, or will be there
// in a moment. It is called by the timer's actor, before the message has run.
func (t Timer) OnItsWay() bool { return timersOf(t.owner.cold).shard.OnItsWay(t.Ref) }

// SystemStopping reports whether the workers of a system have been told to end.
func SystemStopping(s *System) bool { return s.kernel().sched.Stopping() }

// Incoming returns how many messages have come in since the turn of the running actor began.
func Incoming(c *Context) int {
	return msg.Distance(c.kernel().self.box.Head(), c.kernel().self.in.Tail())
}

// GrantBias lets the worker take biases from now on, if this machine has biases, no matter how many
// were revoked before.
func GrantBias(c *Context) { c.grantBias(true) }

// NewClockAt is NewVirtualClock for a clock that was started the given number of nanoseconds ago.
func NewClockAt(start time.Time, nanos int64) *VirtualClock {
	return &VirtualClock{seam: seam.NewVirtualClock(start, nanos), moves: make(chan struct{}, 1)}
}

// StopHandler stops the actor of a handler that ToChan has returned.
func StopHandler[M any](sys *System, h Handler[M]) {
	Stop(sys, AnyRef{h.(bound[M]).b})
}

// TellOfRoom tells the actor of a handler that ToChan has returned that its channel has room,
// whether it has room or not.
func TellOfRoom[M any](sys *System, h Handler[M]) {
	a := h.(bound[M]).b
	a.tell(sys.kernel(), sinkReady[M]{o: stateOf[chanSink[M]](a)})
}

// Muted reports whether an actor is parked, for tests.
func Muted[S any](r Ref[S]) bool { return r.b.blockedOn.Parked() }

// Queued returns how many places in the mailbox of an actor with a bound are taken.
func Queued[S any](r Ref[S]) (n int) {
	f := r.b.flow.Load()
	return f.places.limit - f.permits.Count()
}

// OutsideRoom is how many messages from outside may wait for one actor.
const OutsideRoom = permits.Max

const DefaultBatch, DefaultGas = defaultBatch, defaultGas

// Waiting returns how many goroutines wait in an actor's semaphore.
func Waiting[S any](r Ref[S]) int {
	f := r.b.flow.Load()
	if f == nil {
		return 0
	}
	return f.permits.Waiting()
}

// GiveBack returns n permits to an actor's semaphore, as if n messages had run.
func GiveBack[S any](r Ref[S], n int) { r.b.flow.Load().permits.Release(n, r.b) }

// Places returns how many permits are in an actor's semaphore.
func Places[S any](r Ref[S]) int { return r.b.flow.Load().permits.Count() }

// WhoWaits says which actors wait for which because of applied pressure. It reads fields that it
// does not own, so the system must be at rest.
func WhoWaits(s *System) (lines []string) {
	s.kernel().deadlocks.mu.Lock()
	defer s.kernel().deadlocks.mu.Unlock()
	for _, a := range s.kernel().deadlocks.roots {
		lines = append(lines, collectWaits(a).String())
	}
	return lines
}

// DeadlockEvery sets how often the watch looks at actors under pressure.
func DeadlockEvery(d time.Duration) Option {
	return systemOption(func(o *options) { o.deadlockPeriod = d })
}

// Leftovers counts entries that a system keeps for its actors and that should be gone.
type Leftovers struct{ StopList, Names, Timers, Armed int }

// LeftoversOf counts the leftovers of a system that is quiet.
func LeftoversOf(s *System) (l Leftovers) {
	l.StopList = s.kernel().stopList.all.Len()
	s.kernel().names.m.Range(func(any, any) bool { l.Names++; return true })
	if t := s.kernel().timers.Load(); t != nil {
		l.Armed, l.Timers = t.Counts()
	}
	return l
}

// FireBatch and FireTurn bound how many timers a shard fires in a turn.
const FireBatch, FireTurn = timerwheel.FireBatch, timerwheel.FireTurn

// FireAt arms a timer of another actor r that is due at once.
func FireAt[S any](c *Context, r Ref[S]) { fireNow(c, r.b, 0, nil) }

// FireWith is FireAt for a timer whose payload is kept in a message.
func FireWith[S, M any](c *Context, b Behaviour[S, M], r Ref[S], m M) {
	held := c.kernel().node(b.d.size)
	c.kernel().sys.sim.count(-1)
	*payloadOf[M](held) = m
	fireNow(c, r.b, b.d.id, held)
}

func fireNow(c *Context, to *cell, id uint16, held *message) {
	s := c.kernel().sys.makeTimers().ShardOf(c.kernel().w)
	n, k := s.Begin()
	k.ID, k.Held, k.Owner, k.Period = id, held, &to.task, 0
	now := c.kernel().sys.opts.clock.Nanos()
	s.Arm(c.kernel().w, n, k, now, now)
}

// Signaled reports whether an actor's system queue holds a message.
func Signaled[S any](r Ref[S]) bool { return !r.b.system.IsEmpty() }

// WakeLate does the last step of a sender that has brought r a signal, and was halted until the
// signal was served. It reports whether r was parked.
func WakeLate[S any](s *System, r Ref[S]) (parked bool) {
	a, _ := s.kernel().sched.Admit()
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

// MissedReports returns how many long turns were not reported because others had just been.
func MissedReports(s *System) uint64 { return s.kernel().longTurns.missed.Load() }

// TerminatedIsClean reports whether the cold states that ended actors share were never written to.
func TerminatedIsClean() bool {
	for _, x := range []*coldState{terminatedNormal, terminatedShutdown, terminatedKilled,
		terminatedSystem} {
		if x.child != nil || x.sup != nil {
			return false
		}
	}
	return true
}

// BudgetOf returns how much work the worker may do before it reads the clock.
func BudgetOf(c *Context) int { return c.kernel().w.Budget() }

// BlobsAreCollected waits until the GC has freed the arenas of actors that a test has left.
// Otherwise later tests would see their blobs disappear.
func BlobsAreCollected(t testing.TB, before int64) {
	for range 1000 {
		if heap.Blobs().Live <= before {
			return
		}
		runtime.GC()
	}
	t.Errorf("%d blobs are left, want %d", heap.Blobs().Live, before)
}

// CallersOf returns how many actors of a system wait for a reply in their turns.
func CallersOf(s *System) int {
	return s.kernel().waitGraph().Len()
}

// EnterAsk records that the actor who waits for a reply of the actor to. hasReply says whether the
// reply has come. If it has, the first actor has not run since.
func EnterAsk[S any](who, to Ref[S], hasReply bool) {
	k := new(callState)
	if hasReply {
		k.state.StoreRelease(callAnswered)
	}
	who.b.sys().waitGraph().Enter(oneAtATime(who.b), oneAtATime(to.b), k)
}

// HasTimers reports whether timers are armed in the worker's shard.
func HasTimers(c *Context) bool { return c.kernel().sys.makeTimers().ShardOf(c.kernel().w).Len() > 0 }

// BehindStarts calls f after each time that the alarm has made a shard runnable. The system must be
// quiet.
func BehindStarts(s *System, f func()) {
	t := s.kernel().makeTimers()
	start := t.Start
	t.Start = func(w *sched.Worker, s *timerwheel.Shard) {
		if start(w, s); w == nil {
			f()
		}
	}
}

// OnlyMuted reports whether the system would be quiescent if no actors were muted.
func OnlyMuted(s *System) bool { return s.kernel().onlyMuted() }

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
	s.kernel().done.mu.Lock()
	defer s.kernel().done.mu.Unlock()
	return s.kernel().done.lives.Len()
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

// Mail returns how many messages have come in to an actor during its turn.
func Mail[S any](r Ref[S]) int { return msg.Distance(r.b.box.Head(), r.b.in.Tail()) }

// InMailbox returns how many messages have come to an actor since its turn began. Its behaviour
// must be halted.
func InMailbox[S any](r Ref[S]) int {
	n := 0
	if newest, end := r.b.box.Arrived(&r.b.in); newest != nil {
		n = msg.Distance(newest, end)
	}
	return n
}

// InBackoff reports whether an actor is in a back-off.
func InBackoff[S any](r Ref[S]) bool { return r.b.flow.Load().suspension() != nil }

// Crowded reports whether callers park at once, because a yield would take long.
func Crowded(s *System) bool { return !s.kernel().letsOthers() }

// Bridges returns how many goroutines of FromChan and ToChan have not ended.
func Bridges(s *System) int {
	if b := s.kernel().bridges.Load(); b != nil {
		return int(b.left.Load())
	}
	return 0
}

// HasMail reports whether the turn has a message in hand besides the running one.
func HasMail(c *Context) bool { return hasMail(c.kernel().w, nil) }
