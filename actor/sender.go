package actor

import "runtime"

// envOf returns the env of a sender. The type switch is cheaper than a method call.
func envOf(from Sender) env {
	switch f := from.(type) {
	case *Context:
		if c := f.kernel(); c != nil && c.sys != nil {
			return c
		}
	case *System:
		if s := f.kernel(); s != nil && s.sched != nil {
			return s
		}
	case *carrier:
		if f != nil {
			return f.env
		}
	case *processEnv:
		return f
	default:
		return envOfEmbedded(from)
	}
	panicNoSender()
	return nil
}

// envOfEmbedded is envOf for a struct that embeds a Context or a System.
//
//go:noinline
func envOfEmbedded(from Sender) env {
	if from == nil {
		panicNoSender()
	}
	e := senderOf(from)
	if e == nil || e.system() == nil || e.system().sched == nil {
		panicNoSender()
	}
	return e
}

// senderOf returns nil if the embedded pointer is nil: then the promoted method panics.
func senderOf(from Sender) (e env) {
	defer func() {
		if _, is := recover().(runtime.Error); is {
			e = nil
		}
	}()
	return from.sender()
}

//go:noinline
func panicNoSender() {
	panic("gallop: a nil sender, or a zero one: use the *Context of the behaviour, or the *System " +
		"outside")
}

// envFor returns the env of a sender for acting on a.
func envFor(from Sender, a *cell) env {
	if f, inside := from.(*Context); inside && f != nil && f.kernel().sys == a.shared().sys {
		return f.kernel()
	}
	return envOf(from).in(a)
}

// senderOfEnv returns the Sender that users get.
func senderOfEnv(e env) Sender {
	if c := e.turn(); c != nil {
		return c.face()
	}
	if p, ok := e.(*processEnv); ok {
		return p
	}
	return e.system().face()
}
