// Package explore runs the production source of a concurrent protocol under
// interleavings of its choosing and reports the ones that break it, each as a
// short string that replays it.
//
// # Problem
//
// A protocol bug of lock-free code needs one interleaving in a hundred thousand
// or fewer. Free-running goroutines rarely meet it, the race detector does not
// see it (every access is an atomic), and what they do meet cannot be repeated.
//
// # Designs rejected
//
//   - Real goroutines behind a baton: each step goes through Go's scheduler, and
//     an abandoned schedule leaves its goroutines blocked.
//   - A re-written copy of the protocol with explicit yields: it proves the copy.
//   - Partial-order reduction: the plain kind is unsound together with a bound on
//     preemptions, and the bound is what makes these spaces small enough.
//
// # How it works
//
// Under the build tag gallop_explore every access through package seam calls
// seam.Hook first. A virtual thread is a coroutine (iter.Pull), so exactly one
// runs at a time, and the hook is where it may lose its turn. One step of a
// thread is therefore: the access that it stopped before, and the plain code
// after it up to the next access. Before the first step every thread runs its
// plain code up to its first access, in the order of their creation. At each
// step a Strategy picks the next thread out of the enabled ones. Go's atomics
// are sequentially consistent, so such interleavings are all there are. The
// exceptions are seam.Flag, Gauge and Window, whose stores have no fence: Flag and
// Window are explored as if they had one, and a Gauge, on which no protocol depends,
// is no access that a thread stops before. A missing fence after StoreRelease, or
// between a change and a look at a Window, is not found here; a model with store
// buffers, or a litmus test on the machine, has to.
//
// # Writing a scenario
//
// A scenario is a function that builds fresh state, registers threads and a
// final check; it runs anew for every schedule:
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
// Rules, and what breaks without them:
//
//   - Threads share memory through seam, or own it, or touch it between two
//     accesses where nothing else may split them. Plain shared memory is not an
//     interleaving point: bugs on it stay hidden.
//   - A scenario is a function of the schedule alone: no time.Now, no map order,
//     no select, no chance of its own. Otherwise a replay goes another way, which
//     is found and reported, but not cured.
//   - No other goroutine takes part. One that touches seam meanwhile goes on as in a
//     plain build; its accesses are no steps, and Result.Strangers counts them.
//   - A thread waits with Program.Await, seam.Parker or a loop around seam.Spin,
//     never on a channel or a mutex: that would stop the explorer too.
//   - Threads report with Program.Errorf or a panic, not with t.Fatal.
//
// # Choosing a strategy
//
// Portfolio is the default: no single strategy finds everything. Bounded is a
// proof up to its number of preemptions when Result.Exhausted says so. Random
// finds shallow bugs fastest, PCT those that need a few preemptions at exact
// places in long runs, Fuzz lets a coverage-guided fuzzer choose. Refute is for
// seeded mutants: it passes when the bug is found. GALLOP_EXPLORE_SCALE multiplies
// the numbers of schedules of Portfolio and GALLOP_EXPLORE_SEED is its seed.
//
// # Failures
//
// A failure is a panic of a thread, an Errorf, an error of an After check, a
// deadlock (no thread enabled, not all done), or more steps than Config.MaxSteps
// (a livelock). It is replayed once at once, to add where each step was and to
// learn whether it repeats, and printed with one line to run it again:
//
//	GALLOP_REPLAY='TestPush:a3b2a' go test -tags gallop_explore -run '^TestPush$'
//
// The letters are threads in the order of their creation, the numbers how many
// steps in a row each takes.
//
// # Guarantees
//
// The same strategy value on the same scenario gives the same schedules, always.
// Explorations may follow each other; parallel ones wait for each other, because
// seam has one hook. No goroutine is left behind, unless a thread recovers from the
// panic that unwinds it for ever, and then the failure says so. A loop around seam.Spin ends if
// it can: a thread that spun waits for a step of another one, and among spinning
// threads scheduling is fair (see fair.go).
package explore
