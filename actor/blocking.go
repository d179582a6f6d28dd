package actor

import "github.com/gallop-go/gallop/internal/invariant"

// Blocking calls f, which may block for long, as for a query or a lock, without keeping
// other actors waiting: what is queued behind this actor is run by other workers at
// once. The actor itself waits for f, as for any call: its messages keep their order,
// and the behaviour goes on when f returns. f may use the Context as the behaviour
// does.
//
// A behaviour that blocks without saying so costs its neighbours up to ten
// milliseconds, until the runtime's monitor notices. Blocking costs about two tenths of
// a microsecond if nothing else waits, and waking a spare worker if something does. At
// most [Spares] behaviours can be helped at a time; beyond that, and on a pinned type,
// Blocking just calls f.
//
// A turn that has blocked for a millisecond, by the runtime's clock ([Clock]), ends
// with the current message. If a batch of mail or more is left then, the actor is
// overloaded, so that its senders are muted; with [TypeBound] or [TypeWatermarks] these
// say when it is. The mail that comes while the actor blocks is bounded only by the
// time that this takes: see [TypeBound] for less.
func (c *Context) Blocking(f func()) {
	if f == nil {
		panic("gallop: Blocking: a nil function")
	}
	mustRun(c, "Blocking")
	c.lease.may = false // what is made runnable runs elsewhere
	if c.w.InBlocking() {
		f() // the outer one counts
		return
	}
	began := c.sys.opts.clock.Nanos()
	defer func() { c.blocked(c.sys.opts.clock.Nanos() - began) }() // the behaviour may recover from a panic of f
	if c.dry {
		f = c.slowed(f)
	}
	c.w.Blocking(f)
}

// longBlocked is how long a turn may block before it is cut short, ns.
const longBlocked = 1_000_000

// blockMeter is how long the turn that runs has blocked, ns. As in a gasMeter, another turn begins anew.
type blockMeter struct {
	turn uint64
	time int64
}

// blocked notes that the behaviour that runs has blocked for so many ns. Nobody waited for its
// worker meanwhile, so the turn has outlived nothing. But a batch of such messages may take
// minutes, in which none that sends more would be muted.
func (c *Context) blocked(ns int64) {
	if turn := c.w.Turn(); c.blocking.turn != turn {
		c.blocking = blockMeter{turn: turn}
	}
	c.blocking.time += ns
	if invariant.On {
		verifyBlocked(c, ns)
	}
	if c.blocking.time >= longBlocked && !c.aside {
		c.then |= hasBlocked
	}
}

// Spares sets how many behaviours may block at a time while others stand in for their
// workers: at least 1, 1,024 by default.
//
// If more behaviours block, those in excess keep their workers from other actors, for
// ever if one of these is what they wait for. [Stats] counts them as SparesLacked, and
// the log says so, at most once a second.
//
// Each spare keeps messages and memory of [Context.Heap] to use again, as a worker
// does, until it retires: when all workers sleep and no spare was needed for 0.1 s.
func Spares(n int) Option { return func(o *options) { o.spares = n } }

// noSpare is sched.Config.OnNoSpare.
func (s *System) noSpare(soFar uint64) {
	s.warn("gallop: all spares are in use", "spares", s.opts.spares, "so_far", soFar)
}
