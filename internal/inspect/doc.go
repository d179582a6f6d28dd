// Package inspect looks into a running [actor.System]: which actors keep the workers busy, how many
// exist, who waits for whom, why messages were lost. Package observe shows the results in a
// browser, and has the functions for users.
//
// A system that is not inspected pays nothing: the code that sends and runs messages is the same,
// instruction for instruction. The cost of an instrument is in its documentation, and ends when the
// instrument is stopped or closed. The functions differ in their source of knowledge:
//
//   - asked: [Types], [Workers], [Names], [Roots], [Graph], [Processes] and [Describe] look once,
//     from outside. They read data of workers and running actors without a lock. The result is
//     a hint while the system works, and exact once nothing moves.
//   - sampled: [Profile] looks a hundred times a second, [Population] at one actor in 1,024. Both
//     return bounds of their error.
//   - in turn: [State], [Groups], [Delay] and [Delays] send actors a signal, and wait for it.
//   - told: [DeadLetters], [Panics], [LongTurns], [PressureDeadlocks] and [Around] are called at
//     each later event, in addition to the user's [actor.Hooks].
//
// Any goroutine may call these functions. A behaviour may call only functions without a context.
// They panic if the system was not returned by [actor.Start]. No function keeps an actor or a
// system alive.
package inspect
