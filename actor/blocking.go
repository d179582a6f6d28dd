package actor

// Blocking runs f, which may block for long, for a query or a lock, without keeping
// other actors waiting: what is queued behind this one is run by others at once. The
// actor itself waits for f, as it does for any call: its messages keep their order, and
// the behaviour goes on when f returns. f may use the Context as the behaviour does.
//
// A behaviour that blocks without saying so costs its neighbours up to ten
// milliseconds, until the runtime's monitor notices. Blocking costs about a tenth of a
// microsecond if nothing else waits, and waking a spare worker if something does. At
// most [Spares] behaviours can be helped at a time; beyond that, and on a pinned type,
// Blocking just calls f.
func (c *Context) Blocking(f func()) {
	if f == nil {
		panic("gallop: Blocking: a nil function")
	}
	mustRun(c, "Blocking")
	c.lease.may = false // what is made runnable runs elsewhere
	c.w.Blocking(f)
}

// Spares sets how many behaviours may block at a time while others stand in for their
// workers; at least 1, 1,024 by default. If more do, those in excess keep their workers
// from others, for ever if it is one of these that they wait for; [Stats] counts them as SparesLacked, and the log
// says so, at most once in a second. Each spare has what a worker keeps to use again, of messages and of [Context.Heap], until it
// retires: when all workers sleep, and none was needed for 0.1 s.
func Spares(n int) Option { return func(o *options) { o.spares = n } }

// noSpare is sched.Config.OnNoSpare.
func (s *System) noSpare(soFar uint64) {
	s.warn("gallop: all spares are in use", "spares", s.opts.spares, "so_far", soFar)
}
