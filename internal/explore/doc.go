// Package explore runs the production source of a concurrent protocol under
// interleavings that it chooses. It reports an interleaving that breaks the protocol as
// a short string that replays it.
//
// # Problem
//
// A protocol bug in lock-free code shows in one interleaving of a hundred thousand,
// or in fewer. Free-running goroutines rarely meet such an interleaving, and they cannot repeat
// it. The race detector does not see the bug: every access is an atomic.
//
// # Designs rejected
//
//   - Real goroutines that pass a baton: each step goes through Go's scheduler, and
//     an abandoned schedule leaves its goroutines blocked.
//   - A rewritten copy of the protocol with explicit yields: it proves the copy.
//   - Partial-order reduction: the plain kind is unsound together with a bound on
//     preemptions, and the spaces are small enough only with the bound.
//
// # How it works
//
// Under the build tag gallop_explore every access through package seam first calls
// seam.Hook. A virtual thread is a coroutine (iter.Pull), so exactly one runs at a
// time, and the hook is where it may lose its turn. One step of a thread is
// therefore the access before which it stopped, and the plain code after that up to
// the next access. Before the first step, every thread runs its plain code up to its
// first access, in the order in which the threads were created. At each step a
// Strategy picks the next thread from the enabled ones. Go's atomics are
// sequentially consistent, so there are no other interleavings.
//
// The exceptions are seam.Flag, Gauge and Window, whose stores have no fence. Flag
// and Window are explored as if they had one. A Gauge, on which no protocol depends,
// is not an access at which a thread stops. A missing fence after StoreRelease, or
// between a change and a look at a Window, is not found here: that takes a model
// with store buffers, or a litmus test on the machine. A Relaxed is explored as an
// ordinary atomic.
//
// # Writing a scenario
//
// A scenario is a function that builds new state and registers threads and a final
// check. It runs anew for every schedule:
//
//	func TestPush(t *testing.T) {
//		explore.Portfolio(t, func(p *explore.Program) {
//			var box Mailbox
//			p.Go(func() { box.Push(1) })
//			p.Go(func() { box.Push(2) })
//			p.After(func() error { return box.check() })
//		})
//	}
//
// Rules, and the consequences of breaking them:
//
//   - Threads share memory through seam, or own it, or touch it in a stretch of code that is
//     correct only if no other thread interrupts it. Access to plain shared memory is not an
//     interleaving point, so bugs there stay hidden.
//   - A scenario is a function of the schedule alone: no time.Now, no map order, no
//     select, no chance of its own. Otherwise a replay takes another course, which is
//     detected and reported, but cannot be cured.
//   - No other goroutine takes part. A goroutine that touches seam meanwhile goes on as in a
//     plain build. Its accesses are not steps; Result.Strangers counts them.
//   - A thread waits with Program.Await, seam.Parker or a loop around seam.Spin,
//     never on a channel or a mutex, which would stop the explorer too.
//   - Threads report with Program.Errorf or a panic, not with t.Fatal.
//
// # Choosing a strategy
//
// Portfolio is the default: no single strategy finds everything. Bounded is a proof
// up to its number of preemptions, if Result.Exhausted says so. Random is the fastest
// to find shallow bugs. PCT finds bugs that need a few preemptions at exact places
// in long runs. Fuzz lets a coverage-guided fuzzer choose. Refute is for seeded
// mutants: it passes if the bug is found. GALLOP_EXPLORE_SCALE multiplies the numbers
// of schedules of Portfolio, and GALLOP_EXPLORE_SEED is its seed.
//
// # Failures
//
// A failure is a panic of a thread, an Errorf, an error from an After check, a
// deadlock (no thread is enabled, and not all are done), or more steps than
// Config.MaxSteps (a livelock). It is immediately replayed once, to record the place of
// each step and to learn whether it repeats. It is printed with a line that runs it
// again:
//
//	GALLOP_REPLAY='TestPush:a3b2a' go test -tags gallop_explore -run '^TestPush$'
//
// The letters are the threads in the order in which they were created. A number is the
// count of steps that the thread before it takes in a row.
//
// # Guarantees
//
// The same strategy value on the same scenario gives the same schedules, always.
// Explorations may follow each other; parallel ones wait for each other, because seam
// has one hook. No goroutine is left behind, unless a thread always recovers from
// the panic that unwinds it; then the failure says so. A loop around seam.Spin ends
// if it can: a thread that spun waits for a step of another one, and scheduling among
// spinning threads is fair (see fair.go).
package explore
