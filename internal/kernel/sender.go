package kernel

import "runtime"

// Sender is the sender of a message: a *Context or a *System of the face, a Carrier or a ProcessEnv.
// The types of the face embed a type of this package, and have the method from it.
type Sender interface{ sender() Env }

// EnvOf returns the Env of a sender. It panics if the sender is nil or zero, or embeds a nil
// pointer. The caller may send by from.
func EnvOf(from Sender) Env {
	if from == nil {
		PanicNoSender()
	}
	e := senderOf(from)
	if e == nil || e.InSystem() == nil || e.InSystem().Sched == nil {
		PanicNoSender()
	}
	return e
}

// senderOf calls from.sender. It returns nil if from is nil or embeds a nil pointer: then the call
// panics.
func senderOf(from Sender) (e Env) {
	defer func() {
		if _, is := recover().(runtime.Error); is {
			e = nil
		}
	}()
	return from.sender()
}

// PanicNoSender panics because a sender is nil or zero.
//
//go:noinline
func PanicNoSender() {
	panic("gallop: a nil sender, or a zero one: use the *Context of the behaviour, or the *System " +
		"outside")
}

// inOf is Env.In. The type assertion is cheaper than the method call.
func inOf(e Env, a *Cell) Env {
	if c, inside := e.(*Turn); inside && c.Sys == a.Shared().Sys {
		return c
	}
	return e.In(a)
}

// SystemOf returns the system of a sender. It panics as EnvOf does.
func SystemOf(from Sender) *System { return EnvOf(from).InSystem() }

// SystemFor is SystemOf for a call that takes a *System. It panics as mustBeStarted does.
func SystemFor(from Sender, call string) *System {
	var s *System
	if e := senderOf(from); e != nil {
		s = e.InSystem()
	}
	s.mustBeStarted(call)
	return s
}

// TurnFor is TurnOf for a call that takes a *Context. It panics as MustRun does.
func TurnFor(from Sender, call string) *Turn {
	var c *Turn
	if e := senderOf(from); e != nil {
		c = e.Turn()
	}
	MustRun(c, call)
	return c
}

// TurnOf returns the turn in which a sender sends: of a *Context of the face, or a sender that is
// derived from one. It returns nil for other senders.
func TurnOf(from Sender) *Turn { return EnvOf(from).Turn() }
