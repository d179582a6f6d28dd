package actor

import "github.com/gallop-go/gallop/internal/kernel"

// Stats has counters of a system's work since its start. They are exact after [System.Wait],
// [System.Run], [System.Shutdown] and [System.Stop]. While the system works, the counters need not
// fit together: those of messages and turns, also of turns from the next-slot, are updated after
// about 50 µs of work and whenever a worker goes to sleep; all others are updated at once.
type Stats struct {
	// Workers has the figures of every worker. The idle workers, which stand in for workers with
	// blocked turns, follow as one entry, and the workers of pinned types come last.
	Workers []WorkerStats

	Messages    uint64 // behaviours run, and requests that an interceptor has answered instead
	Spawned     uint64 // actors spawned
	Stopped     uint64 // actors that ended, panics included
	Panics      uint64 // behaviours and processes that panicked or called runtime.Goexit
	DeadLetters uint64 // messages that will not run
	// BestEffort is the part of DeadLetters that was for behaviours declared BestEffort.
	BestEffort uint64
	Mutes      uint64 // times a sender was muted
	Unmutes    uint64 // times a muted sender was released
	// Times a muted sender was released although its receiver was under pressure.
	Exempted          uint64
	PressureDeadlocks uint64 // reports of pressure deadlocks, see PressureDeadlock
	Injected          uint64 // turns that came in through the inject queue
	Steals            uint64 // actors taken from another worker
	Parks             uint64 // times a worker went to sleep
	// Turns run; the alarm of a timer that was canceled may still take one after all else.
	Turns uint64

	// Times a behaviour that blocked kept its worker because too many blocked already.
	TooManyBlocked uint64

	Restarts uint64 // times a supervised actor began another life
	// ErrorRestarts is the part of Restarts after an error: of [Context.Exit], of OnStart, or of a
	// linked actor. Panics and orders to restart are no part of it.
	ErrorRestarts uint64
	// LongTurns counts the turns, and the calls of [Context.Blocking], that have lasted for longer
	// than [WithLongTurn] says: also if they were not reported. LongTurnsNow is the number of these
	// that go on.
	LongTurns    uint64
	LongTurnsNow int
}

// WorkerStats has counters of one worker's work.
type WorkerStats struct {
	Turns       uint64 // turns run
	Messages    uint64 // as in Stats
	Steals      uint64 // actors taken from another worker
	StealMisses uint64 // tries that found nothing
	Parks       uint64 // times it went to sleep
	Wakes       uint64 // times it was woken
	Yields      uint64 // times it let the process's other goroutines run
	NextSlot    uint64 // turns taken from the next-slot
	Injected    uint64 // turns taken from the inject queue
	Spills      uint64 // actors that did not fit into the local queue

	// Surplus reports that the entry adds up all idle workers.
	Surplus bool
	// Pinned reports that the worker belongs to a pinned type.
	Pinned bool
}

// statsOf returns the Stats that users get.
func statsOf(k kernel.Stats) Stats {
	st := Stats{
		Messages: k.Messages, Spawned: k.Spawned, Stopped: k.Stopped, Panics: k.Panics,
		DeadLetters: k.DeadLetters, BestEffort: k.BestEffort, Mutes: k.Mutes, Unmutes: k.Unmutes,
		Exempted: k.Exempted, PressureDeadlocks: k.PressureDeadlocks, Injected: k.Injected,
		Steals: k.Steals, Parks: k.Parks, Turns: k.Turns, TooManyBlocked: k.TooManyBlocked,
		Restarts: k.Restarts, ErrorRestarts: k.ErrorRestarts, LongTurns: k.LongTurns,
		LongTurnsNow: k.LongTurnsNow,
	}
	for _, w := range k.Workers {
		st.Workers = append(st.Workers, WorkerStats(w))
	}
	return st
}
