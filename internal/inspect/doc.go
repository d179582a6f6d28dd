// Package inspect looks into a running [actor.System]: which actors keep the workers busy, how many
// there are, who waits for whom, what has become of messages that did not run. Package observe
// shows it in a browser, and has the functions that users call.
//
// A system that is not looked into pays nothing: the code that sends and runs messages is the same,
// instruction for instruction. What is looked at costs as its function says, and only until it is
// stopped or closed. The functions differ in how they know:
//
//   - asked: [Types], [Workers], [Names], [Roots], [Graph], [Processes] and [Describe] look once,
//     from outside. What belongs to a worker or to a running actor is read without a lock, so it is
//     a hint while the system works, and exact once nothing moves.
//   - sampled: [Profile] looks a hundred times a second, [Population] at one actor in 1,024. Both
//     say how far the truth may be away.
//   - in turn: [State], [Groups], [Delay] and [Delays] send actors a signal, and wait for it.
//   - told: [DeadLetters], [Panics], [LongTurns], [PressureDeadlocks] and [Around] are told of
//     each event from then on. They stand beside the user's [actor.Hooks].
//
// Any goroutine may call these functions; a behaviour may not call those that take a context.
// They panic if the system is not what [actor.Start] has returned. No function keeps an actor or
// a system alive.
package inspect
