package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/kernel"
)

// envOf returns the Env of a sender. The type switch is cheaper than a method call.
func envOf(from Sender) kernel.Env {
	switch f := from.(type) {
	case *Context:
		if c := f.kernel(); c != nil && c.Sys != nil {
			return c
		}
	case *System:
		if s := f.kernel(); s != nil && s.Sched != nil {
			return s
		}
	case *kernel.Carrier:
		if f != nil {
			return f.Env
		}
	case *kernel.ProcessEnv:
		return f
	default:
		return kernel.EnvOf(from)
	}
	kernel.PanicNoSender()
	return nil
}

// carriedBy returns the context that messages of a sender carry, or nil.
func carriedBy(from Sender) context.Context {
	if c, inside := from.(*Context); inside {
		return c.kernel().Travels
	}
	return kernel.CarriedBy(from)
}

// senderOfEnv returns the Sender that users get.
func senderOfEnv(e kernel.Env) Sender {
	if c := e.Turn(); c != nil {
		return contextOf(c)
	}
	if p, ok := e.(*kernel.ProcessEnv); ok {
		return p
	}
	return systemOf(e.InSystem())
}
