package otel

import (
	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
)

// figure is a metric of a system, of each worker, or of a profiler. It only grows, but for gauges.
type figure[S any] struct {
	name, unit, help string
	value            func(*S) uint64
}

var systemFigures = []figure[actor.Stats]{
	{"gallop.messages", "{message}",
		"Messages that behaviours have run.",
		func(st *actor.Stats) uint64 { return st.Messages }},
	{"gallop.spawned", "{actor}",
		"Actors spawned.",
		func(st *actor.Stats) uint64 { return st.Spawned }},
	{"gallop.stopped", "{actor}",
		"Actors that have ended, panics included.",
		func(st *actor.Stats) uint64 { return st.Stopped }},
	{"gallop.panics", "{panic}",
		"Behaviours that have panicked.",
		func(st *actor.Stats) uint64 { return st.Panics }},
	{"gallop.dead_letters", "{message}",
		"Messages that will not run.",
		func(st *actor.Stats) uint64 { return st.DeadLetters }},
	{"gallop.best_effort_dead_letters", "{message}",
		"Those of the dead letters whose behaviours are declared as best effort.",
		func(st *actor.Stats) uint64 { return st.BestEffort }},
	{"gallop.mutes", "{mute}",
		"Times a sender was muted.",
		func(st *actor.Stats) uint64 { return st.Mutes }},
	{"gallop.unmutes", "{unmute}",
		"Times a muted sender was let go on.",
		func(st *actor.Stats) uint64 { return st.Unmutes }},
	{"gallop.exempted", "{unmute}",
		"Times a muted sender was let go on although its receiver was under pressure.",
		func(st *actor.Stats) uint64 { return st.Exempted }},
	{"gallop.pressure_deadlocks", "{deadlock}",
		"Pressure deadlocks found.",
		func(st *actor.Stats) uint64 { return st.PressureDeadlocks }},
	{"gallop.too_many_blocked", "{turn}",
		"Times a blocked behaviour kept its worker because too many blocked already.",
		func(st *actor.Stats) uint64 { return st.TooManyBlocked }},
	{"gallop.restarts", "{restart}",
		"Times a supervised actor began another life.",
		func(st *actor.Stats) uint64 { return st.Restarts }},
	{"gallop.error_restarts", "{restart}",
		"Those of the restarts that followed an error, and neither a panic nor an order.",
		func(st *actor.Stats) uint64 { return st.ErrorRestarts }},
	{"gallop.long_turns", "{turn}",
		"Turns and blocked calls that lasted for longer than the limit of WithLongTurn.",
		func(st *actor.Stats) uint64 { return st.LongTurns }},
}

// gauges are the metrics of a system that fall, too.
var gauges = []figure[state]{
	{"gallop.workers", "{worker}", "Workers of the system, without surplus and pinned ones.",
		func(s *state) uint64 { return uint64(s.sys.Workers()) }},
	{"gallop.long_turns_now", "{turn}", "Those of the long turns that go on.",
		func(s *state) uint64 { return uint64(s.stats.LongTurnsNow) }},
}

// state is a system at one moment.
type state struct {
	sys   *actor.System
	stats *actor.Stats
}

// profileFigures are the metrics of a profiler.
var profileFigures = []figure[observe.Profiler]{
	{"gallop.looks", "{look}",
		"Times that the profiler has looked at one of the system's workers, or at its stand-in.",
		func(p *observe.Profiler) uint64 { all, _ := p.Saturation(); return all }},
	{"gallop.busy_looks", "{look}", "Those of the looks that found a turn.",
		func(p *observe.Profiler) uint64 { _, busy := p.Saturation(); return busy }},
}

var workerFigures = []figure[actor.WorkerStats]{
	{"gallop.worker.turns", "{turn}",
		"Turns run.",
		func(w *actor.WorkerStats) uint64 { return w.Turns }},
	{"gallop.worker.messages", "{message}",
		"Messages that behaviours have run.",
		func(w *actor.WorkerStats) uint64 { return w.Messages }},
	{"gallop.worker.steals", "{actor}",
		"Actors taken from another worker.",
		func(w *actor.WorkerStats) uint64 { return w.Steals }},
	{"gallop.worker.steal_misses", "{try}",
		"Tries to steal that found nothing.",
		func(w *actor.WorkerStats) uint64 { return w.StealMisses }},
	{"gallop.worker.parks", "{park}",
		"Times the worker went to sleep.",
		func(w *actor.WorkerStats) uint64 { return w.Parks }},
	{"gallop.worker.wakes", "{wake}",
		"Times the worker was woken.",
		func(w *actor.WorkerStats) uint64 { return w.Wakes }},
	{"gallop.worker.yields", "{yield}",
		"Times the worker let other goroutines run.",
		func(w *actor.WorkerStats) uint64 { return w.Yields }},
	{"gallop.worker.next_slot", "{turn}",
		"Turns taken from the next-slot.",
		func(w *actor.WorkerStats) uint64 { return w.NextSlot }},
	{"gallop.worker.injected", "{turn}",
		"Turns taken from the inject queue.",
		func(w *actor.WorkerStats) uint64 { return w.Injected }},
	{"gallop.worker.spills", "{actor}",
		"Actors that did not fit into the local queue.",
		func(w *actor.WorkerStats) uint64 { return w.Spills }},
}
