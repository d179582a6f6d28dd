package prom

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/gallop-go/gallop/actor"
)

// systemFigure is a metric of a system.
type systemFigure struct {
	name, help string
	typ        prometheus.ValueType
	value      func(*actor.System, *actor.Stats) float64
}

func (f *systemFigure) desc(of prometheus.Labels) *prometheus.Desc {
	return prometheus.NewDesc(f.name, f.help, nil, of)
}

// counter is a figure that only grows.
//
// The dead letters without those to best-effort behaviours are no counter: while the system works,
// the difference of two figures that are read one after the other may fall, which Prometheus would
// take for a restart.
func counter(name, help string, value func(*actor.Stats) uint64) systemFigure {
	return systemFigure{name, help, prometheus.CounterValue,
		func(_ *actor.System, st *actor.Stats) float64 { return float64(value(st)) }}
}

var systemFigures = []systemFigure{
	counter("gallop_messages_total", "Messages that behaviours have run.",
		func(st *actor.Stats) uint64 { return st.Messages }),
	counter("gallop_spawned_total", "Actors spawned.",
		func(st *actor.Stats) uint64 { return st.Spawned }),
	counter("gallop_stopped_total", "Actors that have ended, panics included.",
		func(st *actor.Stats) uint64 { return st.Stopped }),
	counter("gallop_panics_total", "Behaviours that have panicked.",
		func(st *actor.Stats) uint64 { return st.Panics }),
	counter("gallop_dead_letters_total", "Messages that will not run.",
		func(st *actor.Stats) uint64 { return st.DeadLetters }),
	counter("gallop_best_effort_dead_letters_total",
		"Those of the dead letters whose behaviours are declared as best effort.",
		func(st *actor.Stats) uint64 { return st.BestEffort }),
	counter("gallop_mutes_total", "Times a sender was muted.",
		func(st *actor.Stats) uint64 { return st.Mutes }),
	counter("gallop_unmutes_total", "Times a muted sender was let go on.",
		func(st *actor.Stats) uint64 { return st.Unmutes }),
	counter("gallop_exempted_total",
		"Times a muted sender was let go on although its receiver was under pressure.",
		func(st *actor.Stats) uint64 { return st.Exempted }),
	counter("gallop_pressure_deadlocks_total", "Pressure deadlocks found.",
		func(st *actor.Stats) uint64 { return st.PressureDeadlocks }),
	counter("gallop_too_many_blocked_total",
		"Times a blocked behaviour kept its worker because too many blocked already.",
		func(st *actor.Stats) uint64 { return st.TooManyBlocked }),
	counter("gallop_restarts_total", "Times a supervised actor began another life.",
		func(st *actor.Stats) uint64 { return st.Restarts }),
	counter("gallop_error_restarts_total",
		"Those of the restarts that followed an error, and neither a panic nor an order.",
		func(st *actor.Stats) uint64 { return st.ErrorRestarts }),
	counter("gallop_long_turns_total",
		"Turns and blocked calls that lasted for longer than the limit of WithLongTurn.",
		func(st *actor.Stats) uint64 { return st.LongTurns }),
	{"gallop_long_turns_now", "Those of the long turns that go on.", prometheus.GaugeValue,
		func(_ *actor.System, st *actor.Stats) float64 { return float64(st.LongTurnsNow) }},
	{"gallop_workers", "Workers of the system, without surplus and pinned ones.",
		prometheus.GaugeValue,
		func(sys *actor.System, _ *actor.Stats) float64 { return float64(sys.Workers()) }},
}

// workerFigure is a metric of each worker.
type workerFigure struct {
	name, help string
	value      func(*actor.WorkerStats) uint64
}

func (f *workerFigure) desc(of prometheus.Labels) *prometheus.Desc {
	return prometheus.NewDesc(f.name, f.help, []string{"worker"}, of)
}

var workerFigures = []workerFigure{
	{"gallop_worker_turns_total", "Turns run.",
		func(w *actor.WorkerStats) uint64 { return w.Turns }},
	{"gallop_worker_messages_total", "Messages that behaviours have run.",
		func(w *actor.WorkerStats) uint64 { return w.Messages }},
	{"gallop_worker_steals_total", "Actors taken from another worker.",
		func(w *actor.WorkerStats) uint64 { return w.Steals }},
	{"gallop_worker_steal_misses_total", "Tries to steal that found nothing.",
		func(w *actor.WorkerStats) uint64 { return w.StealMisses }},
	{"gallop_worker_parks_total", "Times the worker went to sleep.",
		func(w *actor.WorkerStats) uint64 { return w.Parks }},
	{"gallop_worker_wakes_total", "Times the worker was woken.",
		func(w *actor.WorkerStats) uint64 { return w.Wakes }},
	{"gallop_worker_yields_total", "Times the worker let other goroutines run.",
		func(w *actor.WorkerStats) uint64 { return w.Yields }},
	{"gallop_worker_next_slot_total", "Turns taken from the next-slot.",
		func(w *actor.WorkerStats) uint64 { return w.NextSlot }},
	{"gallop_worker_injected_total", "Turns taken from the inject queue.",
		func(w *actor.WorkerStats) uint64 { return w.Injected }},
	{"gallop_worker_spills_total", "Actors that did not fit into the local queue.",
		func(w *actor.WorkerStats) uint64 { return w.Spills }},
}
