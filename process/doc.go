// Package process runs processes: straight-line code that waits without keeping a worker, on the
// scheduler that actors run on. It has two vocabularies for one mechanism: Erlang's, with processes
// that have a mailbox, and Go's, with channels and select.
//
// # What
//
// A process is a function on a coroutine, which a worker of package sched resumes as a task. A
// switch to it and back costs some 70 ns; Go's scheduler takes no part. A [Self] is a process with
// a typed mailbox: [Ref.Send], [Self.Receive] and selective receives, [Call], links, monitors,
// trapped exits, names. A [Proc] alone has no mailbox. Both use [Chan], [Select], [Mutex],
// [WaitGroup] and [Once]. A goroutine outside takes part by [System.Goroutine].
//
// # Choosing
//
// Take a process for a protocol of several steps, an actor for an object that serves many kinds of
// requests, and a goroutine for work that spends its time in system calls. docs/processes.md
// compares them, with costs.
//
// # Using
//
// [Start] makes a system, [Spawn] and [Go] make processes. A process must not block its thread: put
// blocking calls into [Proc.Blocking]. If a process blocks anyway, the scheduler's monitor hands
// the worker's slot over within some milliseconds. A loop without calls of this package must call
// [Proc.Gas].
//
// A process may lock its thread ([runtime.LockOSThread]) only within [Proc.Blocking], and must
// unlock it there. A wait with a locked thread is a misuse panic, and so is an end: Go cannot switch
// a coroutine then, and would end the program. The panic comes on amd64 and arm64.
//
// # Guarantees
//
// Messages of one sender to one receiver arrive in the order of sending. A waiting operation is
// committed once, or not at all: a select commits only the chosen case, and a cancelled process has
// not committed its current operation. Each end of a process runs its deferred functions: a return,
// a panic, [Proc.Exit], a cancel, a kill, and [System.Stop]. A panic ends the process, and
// processes linked to it.
//
// Where a process is cancelled, its deferred functions see a [runtime.Goexit]: recover returns nil
// and does not stop it.
//
// This package has no compatibility promise: each version may change it.
package process
