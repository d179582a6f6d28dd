package actor

import (
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/kernel/permits"
	"github.com/gallop-go/gallop/internal/kernel/timerwheel"
	"github.com/gallop-go/gallop/sched"
)

// This file gives tests outside of the package access to its internals.

// OnItsWay reports whether a timer is in no wheel: its message is in the mailbox, or will be there
// in a moment. It is called by the timer's actor, before the message has run.
func (t Timer) OnItsWay() bool { return kernel.Timer(t).OnItsWay() }

// SystemStopping reports whether the workers of a system have been told to end.
func SystemStopping(s *System) bool { return s.kernel().Sched.Stopping() }

// Incoming returns how many messages have come in since the turn of the running actor began.
func Incoming(c *Context) int {
	return msg.Distance(c.kernel().Self.Box.Head(), c.kernel().Self.In.Tail())
}

// GrantBias lets the worker take biases from now on, if this machine has biases, no matter how many
// were revoked before.
func GrantBias(c *Context) { c.grantBias(true) }

// NewClockAt is NewVirtualClock for a clock that was started the given number of nanoseconds ago.
func NewClockAt(start time.Time, nanos int64) *VirtualClock {
	return (*VirtualClock)(kernel.NewClockAt(start, nanos))
}

// Muted reports whether an actor is parked, for tests.
func Muted[S any](r Ref[S]) bool { return r.target().BlockedOn.Parked() }

// Queued returns how many places in the mailbox of an actor with a bound are taken.
func Queued[S any](r Ref[S]) (n int) {
	f := r.target().Flow.Load()
	return f.Places.Limit - f.Permits.Count()
}

// OutsideRoom is how many messages from outside may wait for one actor.
const OutsideRoom = permits.Max

const DefaultBatch, DefaultGas = kernel.DefaultBatch, kernel.DefaultGas

// Waiting returns how many goroutines wait in an actor's semaphore.
func Waiting[S any](r Ref[S]) int {
	f := r.target().Flow.Load()
	if f == nil {
		return 0
	}
	return f.Permits.Waiting()
}

// GiveBack returns n permits to an actor's semaphore, as if n messages had run.
func GiveBack[S any](r Ref[S], n int) { r.target().Flow.Load().Permits.Release(n, r.target()) }

// Places returns how many permits are in an actor's semaphore.
func Places[S any](r Ref[S]) int { return r.target().Flow.Load().Permits.Count() }

// WhoWaits says which actors wait for which because of applied pressure. It reads fields that it
// does not own, so the system must be at rest.
func WhoWaits(s *System) (lines []string) {
	s.kernel().Deadlocks.Mu.Lock()
	defer s.kernel().Deadlocks.Mu.Unlock()
	for _, a := range s.kernel().Deadlocks.Roots {
		lines = append(lines, kernel.CollectWaits(a).String())
	}
	return lines
}

// DeadlockEvery sets how often the watch looks at actors under pressure.
func DeadlockEvery(d time.Duration) Option {
	return systemOption(func(o *kernel.Options) { o.DeadlockPeriod = d })
}

// Leftovers counts entries that a system keeps for its actors and that should be gone.
type Leftovers struct{ StopList, Names, Timers, Armed int }

// LeftoversOf counts the leftovers of a system that is quiet.
func LeftoversOf(s *System) (l Leftovers) {
	l.StopList = s.kernel().StopList.All.Len()
	s.kernel().Names.M.Range(func(any, any) bool { l.Names++; return true })
	if t := s.kernel().Timers.Load(); t != nil {
		l.Armed, l.Timers = t.Counts()
	}
	return l
}

// FireBatch and FireTurn bound how many timers a shard fires in a turn.
const FireBatch, FireTurn = timerwheel.FireBatch, timerwheel.FireTurn

// FireAt arms a timer of another actor r that is due at once.
func FireAt[S any](c *Context, r Ref[S]) { fireNow(c, r.target(), 0, nil) }

// FireWith is FireAt for a timer whose payload is kept in a message.
func FireWith[S, M any](c *Context, b Behaviour[S, M], r Ref[S], m M) {
	held := c.kernel().Node(kernel.AnyBehaviour(b).Descriptor().Size)
	c.kernel().Sys.Sim.Count(-1)
	*kernel.PayloadOf[M](held) = m
	fireNow(c, r.target(), kernel.AnyBehaviour(b).Descriptor().ID, held)
}

func fireNow(c *Context, to *kernel.Cell, id uint16, held *kernel.Message) {
	s := c.kernel().Sys.MakeTimers().ShardOf(c.kernel().W)
	n, k := s.Begin()
	k.ID, k.Held, k.Owner, k.Period = id, held, &to.Task, 0
	now := c.kernel().Sys.Opts.Clock.Nanos()
	s.Arm(c.kernel().W, n, k, now, now)
}

// Signaled reports whether an actor's system queue holds a message.
func Signaled[S any](r Ref[S]) bool { return !r.target().System.IsEmpty() }

// WakeLate does the last step of a sender that has brought r a signal, and was halted until the
// signal was served. It reports whether r was parked.
func WakeLate[S any](s *System, r Ref[S]) (parked bool) {
	a, _ := s.kernel().Sched.Admit()
	if parked = r.target().WakeParked(r.target().Sys()); parked {
		a.Inject(&r.target().Task)
	} else {
		a.Leave()
	}
	return parked
}

// TiesOf counts the links, monitors and children of an actor that is idle.
func TiesOf[S any](r Ref[S]) (n int) {
	x := r.target().Cold
	for k := x.Children.Youngest; k != nil; k = k.Older {
		n++
	}
	return n + kernel.LinksOf(x).All.Len() + kernel.MonitorsOf(x).Watchers.Len() + kernel.MonitorsOf(x).Watching.Len() +
		int(x.Children.Guards)
}

// MissedReports returns how many long turns were not reported because others had just been.
func MissedReports(s *System) uint64 { return s.kernel().LongTurns.Missed.Load() }

// TerminatedIsClean reports whether the cold states that ended actors share were never written to.
func TerminatedIsClean() bool {
	for _, x := range []*kernel.Cold{kernel.TerminatedNormal, kernel.TerminatedShutdown, kernel.TerminatedKilled,
		kernel.TerminatedSystem} {
		if x.Child != nil || x.Sup != nil {
			return false
		}
	}
	return true
}

// BudgetOf returns how much work the worker may do before it reads the clock.
func BudgetOf(c *Context) int { return c.kernel().W.Budget() }

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
	return s.kernel().WaitGraph().Len()
}

// EnterAsk records that the actor who waits for a reply of the actor to. hasReply says whether the
// reply has come. If it has, the first actor has not run since.
func EnterAsk[S any](who, to Ref[S], hasReply bool) {
	k := new(kernel.CallState)
	if hasReply {
		k.State.StoreRelease(kernel.CallAnswered)
	}
	who.target().Sys().WaitGraph().Enter(kernel.OneAtATime(who.target()), kernel.OneAtATime(to.target()), k)
}

// HasTimers reports whether timers are armed in the worker's shard.
func HasTimers(c *Context) bool { return c.kernel().Sys.MakeTimers().ShardOf(c.kernel().W).Len() > 0 }

// BehindStarts calls f after each time that the alarm has made a shard runnable. The system must be
// quiet.
func BehindStarts(s *System, f func()) {
	t := s.kernel().MakeTimers()
	start := t.Start
	t.Start = func(w *sched.Worker, s *timerwheel.Shard) {
		if start(w, s); w == nil {
			f()
		}
	}
}

// OnlyMuted reports whether the system would be quiescent if no actors were muted.
func OnlyMuted(s *System) bool { return s.kernel().OnlyMuted() }

// Leeway sets how many messages a muted actor takes before it mutes its senders. With 1 it mutes
// them at once.
func Leeway(n uint32) Option { return systemOption(func(o *kernel.Options) { o.Leeway = n }) }

// Crowd returns how many messages have come to an actor through a gate that was ajar.
func Crowd[S any](r Ref[S]) int {
	if f := r.target().Flow.Load(); f != nil {
		return int(f.AjarCount.Load())
	}
	return 0
}

// LivesOf returns how many contexts of lives the system ends with itself.
func LivesOf(s *System) int {
	s.kernel().Done.Mu.Lock()
	defer s.kernel().Done.Mu.Unlock()
	return s.kernel().Done.Lives.Len()
}

// BoundTo returns how many contexts end with the life of an actor.
func BoundTo[S any](r Ref[S]) int {
	l := r.target().Flow.Load().ContextOfLife()
	if l == nil {
		return 0
	}
	l.SysDone.Mu.Lock()
	defer l.SysDone.Mu.Unlock()
	return l.Children.Len()
}

// Mail returns how many messages have come in to an actor during its turn.
func Mail[S any](r Ref[S]) int { return msg.Distance(r.target().Box.Head(), r.target().In.Tail()) }

// InMailbox returns how many messages have come to an actor since its turn began. Its behaviour
// must be halted.
func InMailbox[S any](r Ref[S]) int {
	n := 0
	if newest, end := r.target().Box.Arrived(&r.target().In); newest != nil {
		n = msg.Distance(newest, end)
	}
	return n
}

// InBackoff reports whether an actor is in a back-off.
func InBackoff[S any](r Ref[S]) bool { return r.target().Flow.Load().Suspension() != nil }

// Crowded reports whether callers park at once, because a yield would take long.
func Crowded(s *System) bool { return !s.kernel().LetsOthers() }

// Bridges returns how many goroutines of bridge.FromChan and bridge.ToChan have not ended.
func Bridges(s *System) int {
	if b := s.kernel().Bridges.Load(); b != nil {
		return int(b.Left.Load())
	}
	return 0
}

// HasMail reports whether the turn has a message in hand besides the running one.
func HasMail(c *Context) bool { return kernel.HasMail(c.kernel().W, nil) }
