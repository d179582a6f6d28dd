// Package kernel is the machinery of actors. It is untyped: a [Cell] is an actor without its state,
// a [Message] has a payload of unknown type, and a [Descriptor] describes a behaviour. Package
// actor is its face: the typed and documented API, which forwards to this package. Packages of this
// module that need more than the face call the kernel directly.
//
// The few type parameters here are those of helpers that find typed memory: [StateOf], [PayloadOf].
//
// Exported names are for package actor and for the packages beside it: supervise, group, bridge,
// actortest, process/actors, flight, observe and internal/inspect. The kernel never calls package
// actor, except through functions that it was given and through [Face].
//
// "Owner only" says that a function is for the code that owns the actor, mostly the worker that
// runs its turn: see [Cell]. "Any goroutine" says that every goroutine may call it at any time.
package kernel
