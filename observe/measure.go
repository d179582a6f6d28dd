package observe

import (
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// Population estimates how many actors of each type live: actors that have not ended, and that the
// GC has not taken. It counts in a sample of one spawned actor in 1,024. The sample begins with the
// first call of Population or [Handler] and holds no actor that was spawned before, so call it
// before the first spawn. The estimate of a million actors is within 8 % with a probability of
// 99 %; of n actors, within 83·√n.
//
// A call takes about a microsecond for each thousand living actors. The sample costs 300 ns for one
// spawn in 1,024, and keeps no actor alive. Population panics if sys is not what [actor.Start] has
// returned.
func Population(sys *actor.System) (living map[string]uint64) {
	living = map[string]uint64{}
	for _, e := range inspect.Population(sys).Types {
		living[e.Type] += e.Living
	}
	return living
}

// Profiler counts how often the workers were seen to run a turn of each type: see [Profile]. Any
// goroutine may call its methods.
type Profiler struct{ of *inspect.Profiler }

// Profile begins to look at all workers: at each interval, or a hundred times a second if that is 0.
// A look takes some 100 ns for each worker and disturbs none. The profiler has one goroutine and one
// timer until [Profiler.Stop]. It does not keep the system from being quiescent.
//
// Profile panics if the interval is negative, or if sys is not what [actor.Start] has returned.
func Profile(sys *actor.System, every time.Duration) *Profiler {
	return &Profiler{inspect.Profile(sys, every)}
}

// Looks returns how many looks at a worker there were, and at how many of them a turn of each type
// ran. So byType[t]/all is the share of the workers' time that type t has taken. A turn that blocks
// does not count.
func (p *Profiler) Looks() (all uint64, byType map[string]uint64) {
	byType = map[string]uint64{}
	for _, b := range p.of.Behaviours() {
		byType[b.Type] += b.Samples
	}
	all, _ = p.of.Samples() // after the types: there are never fewer
	return all, byType
}

// Stop ends the profile, and returns when its goroutine has ended. What was seen stays. Stop may be
// called again.
func (p *Profiler) Stop() { p.of.Stop() }

// MailboxDelays measures again and again, once a second if every is 0, how long messages wait in
// mailboxes. It sends probes to up to 16 actors at a time, at most two of a type; the types have
// their turns one after another. MailboxDelays calls each with the type and the delay, in goroutines
// of its own: 10 s if a probe has not run by then. stop waits for the calls that run, and may be
// called again.
//
// Actors that can be found are probed: those with a name, those that nothing refers to but the
// runtime, and those of the sample of [Population], which begins. A round looks at 256 of them at
// most, where the round before has stopped. So a round costs as much for a million names as for a
// thousand, and messages cost nothing for it.
//
// In a deterministic system nothing is measured. MailboxDelays panics if every is negative or below
// 10 ms, if each is nil, or if sys is not what [actor.Start] has returned.
func MailboxDelays(sys *actor.System, every time.Duration, each func(typ string, d time.Duration)) (
	stop func()) {
	return inspect.Delays(sys, every, each)
}
