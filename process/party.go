package process

import (
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Env is the origin of a call: a *[System] for any goroutine outside, a *[Proc] or *[Self] for the
// running process, a *[Goroutine] for one goroutine that can wait. Operations that never wait take
// an Env.
type Env interface {
	env() (*System, *sched.Worker)
}

// Party is an Env that can wait: a *[Proc], a *[Self] or a *[Goroutine]. It must be used only by
// the process or goroutine that it stands for; anything else is a misuse panic at the call.
type Party interface {
	Env
	// enter begins an operation, which may wait. op is its name, for misuse panics.
	enter(op string) *party
	// self returns the process, or nil for a goroutine.
	self() *Proc
}

// A party is a process or an outside goroutine that waits in this package. It has two words.
//
// The ticket, won, decides whether an offer of the party at channels is taken. Only the party opens
// it, and only while it is in no queue. One compare-and-swap decides it: a counterpart writes the
// number of a case, or the party itself withdraws. So at most one counterpart commits for a select,
// and none for a cancelled one. A party with a single offer needs no compare-and-swap: the offer is
// taken or withdrawn under the lock of its queue.
//
//	           counterpart: case i
//	OPEN ──────────────────────────▶ i + 1
//	  └──── the party withdraws ───▶ withdrawn
//
// The wake word, state, says whether the party runs.
//
//	               park                     wake: the waker makes it runnable
//	RUNNING ──────────────────▶ PARKED, for a reason ──────────────▶ RUNNING
//	 │   ▲
//	 │   └──── instead of the next park ───┐
//	 └────── wake ──────▶ NOTIFIED ────────┘
//
// A notice is sticky, and may come without a cause: a party that goes on looks again.
type party struct {
	won   seam.Flag
	state seam.Uint32

	failed bool // the last Call has returned an error given to Fail
	more   bool // the channel that it received from last has more, and it has not waited since
	sys    *System
	proc   *Proc      // nil: a goroutine
	outer  *Goroutine // nil: a process
	waiter any        // a *waiter[T] to use again
	chance uint64     // of the choices in Select
	picks  *picks     // scratch memory of Select
}

const (
	open      = 0
	withdrawn = 1<<32 - 1

	running  = 0
	notified = 1
	ended    = 2
	parked   = 4 // a flag, with why in the bits above
	forMail  = 8 // a flag: messages wake it
	opShift  = 8 // four bits: the op of the wait
	// The bits above are the kinds of waits in a select, one bit for each op.
	kindShift = opShift + 4
)

// opIn returns the op of a party that is parked in state st.
func opIn(st uint32) op { return op(st >> opShift & (1<<(kindShift-opShift) - 1)) }

// suspend waits for a notice. It reports false if the process was cancelled. Owner only.
func (pt *party) suspend(as uint32) bool {
	if pt.proc != nil {
		return pt.proc.suspend(as)
	}
	if pt.state.Load() == notified {
		pt.state.Store(running)
	} else {
		pt.outer.park(as)
	}
	return true
}

// wake gives the party a notice. Any goroutine; w is the caller's worker, or nil.
func (pt *party) wake(w *sched.Worker, by *System) {
	if s := pt.state.Load(); s&parked != 0 && pt.claimHere(s, w, by) {
		w.Schedule(&pt.proc.task)
		return
	}
	pt.wakeSlowly(w, by)
}

// claimHere is claim where the party and the caller are processes of one system.
func (pt *party) claimHere(s uint32, w *sched.Worker, by *System) bool {
	return w != nil && by == pt.sys && pt.proc != nil && pt.state.CompareAndSwap(s, running)
}

func (pt *party) wakeSlowly(w *sched.Worker, by *System) {
	for {
		s := pt.state.Load()
		if s == notified || s == ended {
			return
		}
		if s&parked == 0 {
			if pt.state.CompareAndSwap(s, notified) {
				return
			}
			continue
		}
		if pt.takeParked(w, by, s) {
			return
		}
	}
}

// takeParked makes a parked party go on, and reports false if another waker was faster.
func (pt *party) takeParked(w *sched.Worker, by *System, s uint32) bool {
	c, r := pt.claim(w, by, s)
	if r == claimed {
		c.resume(pt)
	}
	return r != claimFailed
}

// claim makes a party that is parked in state s the caller's. The caller may then change data that
// the party owns, and must resume it.
func (pt *party) claim(w *sched.Worker, by *System, s uint32) (c claim, r claimResult) {
	if pt.proc == nil {
		if pt.state.CompareAndSwap(s, running) {
			return claim{}, claimed
		}
		return c, claimFailed
	}
	if w != nil && by.sched == pt.sys.sched {
		if pt.state.CompareAndSwap(s, running) {
			return claim{w: w}, claimed
		}
		return c, claimFailed
	}
	a, ok := pt.sys.sched.Admit()
	if !ok {
		return c, claimTooLate
	}
	if pt.state.CompareAndSwap(s, running) {
		return claim{outside: a}, claimed
	}
	a.Leave()
	return c, claimFailed
}

// claim has the data to resume a claimed party.
type claim struct {
	w       *sched.Worker // nil: from outside
	outside sched.Admission
}

type claimResult int

const (
	claimed claimResult = iota
	claimFailed
	claimTooLate // the party's system has ended and unwinds it
)

// resume makes a party go on that was claimed.
func (c *claim) resume(pt *party) {
	switch {
	case pt.proc == nil:
		pt.outer.unpark()
	case c.w != nil:
		c.w.Schedule(&pt.proc.task)
	default:
		c.outside.Inject(&pt.proc.task)
	}
}

// wakeForMail is wake for a message: a process that waits for something else is left alone.
func (pt *party) wakeForMail(w *sched.Worker, by *System) {
	if s := pt.state.Load(); s&parked != 0 && s&forMail == 0 {
		return
	}
	pt.wake(w, by)
}

// random returns a number below n, by xorshift.
func (pt *party) random(n int) int {
	x := pt.chance
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	pt.chance = x
	return int((x >> 33) % uint64(n))
}

// seed starts the party's source of chance.
func (pt *party) seed(a, b uint64) {
	pt.chance = (a+b)*0x9e3779b97f4a7c15 | 1
}

// op is a kind of wait.
type op uint32

const (
	opYield op = iota
	opReceive
	opSend
	opRecv
	opSelect
	opLock
	opWaitGroup
	opOnce
	opSleep
	opMailbox
	opReply
	opEnd
	opContext
	opEvent
	opNever
)

var opNames = [...]string{"runnable", "receive", "channel send", "channel receive", "select",
	"mutex", "wait group", "once", "sleep", "full mailbox", "reply", "end", "context", "event",
	"nil channel or empty select"}

var _ [1<<(kindShift-opShift) - len(opNames)]struct{} // so many bits are enough

// String implements fmt.Stringer.
func (o op) String() string { return opNames[o] }
