// Package process runs processes: straight-line code that waits without keeping a worker, on the
// scheduler that actors run on. It has two vocabularies for one mechanism: Erlang's, with processes
// that have a mailbox, and Go's, with channels and select.
//
// # What
//
// A process is a function on a coroutine, which a worker of package sched resumes as a task. To
// switch to it and back costs some 70 ns; Go's scheduler takes no part. A [Self] has a typed
// mailbox: [Ref.Send], [Self.Receive] and its selective kin, [Call], links, monitors, exits that
// are trapped, names. A [Proc] alone has none. Both use [Chan], [Select], [Mutex], [WaitGroup] and
// [Once]. A goroutine outside joins in by [System.Goroutine].
//
// # Choosing
//
// Take a process for a protocol of several steps, an actor for a thing that is asked about many
// matters, and a goroutine for what spends its time in system calls. docs/processes.md compares
// them, with costs.
//
// # Using
//
// [Start] makes a system, [Spawn] and [Go] make processes. A process must not block its thread:
// what may goes into [Proc.Blocking]. If it blocks all the same, the scheduler's monitor hands the
// worker's slot over within some milliseconds. A loop that calls nothing of this package calls
// [Proc.Gas].
//
// A process may lock its thread ([runtime.LockOSThread]) only within [Proc.Blocking], and must
// unlock it there. A wait with a locked thread is a misuse panic, and so is an end: Go cannot switch
// a coroutine then, and would end the program. The panic comes on amd64 and arm64.
//
// # Guarantees
//
// Messages of one sender to one receiver arrive in the order of sending. An operation that waits is
// committed once, or not at all: a select commits no case but the chosen one, and a process that is
// cancelled has not committed the operation that it was in. Each end of a process runs its deferred
// functions: a return, a panic, [Proc.Exit], a cancel, a kill, and [System.Stop]. A panic ends the
// process and no other, except those linked to it.
//
// Where a process is cancelled, its deferred functions see a [runtime.Goexit]: recover returns nil
// and does not stop it.
//
// This package has no compatibility promise: each version may change it.
package process
