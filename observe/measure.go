package observe

import (
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// Population estimates how many actors of each type live: actors that have not ended and that the
// GC has not collected. It counts a sample of one spawned actor in 1,024. The sample begins with
// the first call of Population or [Handler]. It holds no actor that was spawned before, so call
// Population before the first spawn. The estimate of a million actors is within 8 % with a
// probability of 99 %; of n actors, within 83·√n.
//
// A call takes about a microsecond for each thousand living actors. The sample costs 300 ns for one
// spawn in 1,024, and keeps no actor alive. Population panics if sys was not returned by
// [actor.Start].
func Population(sys *actor.System) (living map[string]uint64) {
	living = map[string]uint64{}
	for _, e := range inspect.Population(sys).Types {
		living[e.Type] += e.Living
	}
	return living
}

// Profiler counts how often the workers were seen running a turn of each type: see [Profile]. Its
// methods may be called by any goroutine.
type Profiler struct{ of *inspect.Profiler }

// Profile starts to look at all workers, once each interval. An interval of 0 means a hundred times
// a second. A look takes some 100 ns a worker and does not disturb it. The profiler has one
// goroutine and one timer until [Profiler.Stop]. It does not keep the system from being quiescent.
//
// Profile panics if the interval is negative, or if sys was not returned by [actor.Start].
func Profile(sys *actor.System, every time.Duration) *Profiler {
	return &Profiler{inspect.Profile(sys, every)}
}

// Looks returns the number of looks at a worker, and the number of these that found a turn of each
// type. So byType[t]/all is the share of the workers' time that type t has taken. A turn that
// blocks does not count.
func (p *Profiler) Looks() (all uint64, byType map[string]uint64) {
	byType = map[string]uint64{}
	for _, b := range p.of.Behaviours() {
		byType[b.Type] += b.Samples
	}
	all, _ = p.of.Samples() // read after the types, so all is never too small
	return all, byType
}

// Stop ends the profile and returns when its goroutine has ended. The counts stay readable. Stop
// may be called again.
func (p *Profiler) Stop() { p.of.Stop() }

// MailboxDelays measures repeatedly how long messages wait in mailboxes: at each interval, or once
// a second if every is 0. It sends probes to up to 16 actors at a time, at most two of a type; the
// types take turns. For each probe it calls each with the type and the delay, or with 10 s if the
// probe has not run by then. The calls are made by goroutines of MailboxDelays. stop waits for
// running calls, and may be called again. It panics if each calls it: call it in another goroutine.
//
// MailboxDelays probes actors that it can find:
//
//   - actors with a name,
//   - actors that nothing but the runtime refers to,
//   - the sample of [Population], which begins here at the latest.
//
// A round looks at 256 of them at most and continues where the round before stopped. So a round
// costs as much for a million names as for a thousand, and the messages of the program cost nothing
// more.
//
// In a deterministic system nothing is measured. MailboxDelays panics if every is negative or below
// 10 ms, if each is nil, or if sys was not returned by [actor.Start].
func MailboxDelays(sys *actor.System, every time.Duration, each func(typ string, d time.Duration)) (
	stop func()) {
	return inspect.Delays(sys, every, each)
}
