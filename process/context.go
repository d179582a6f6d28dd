package process

import (
	"context"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/seam"
)

// Contexts travel beside the messages. A node has no room for one: that would make each message of each
// process larger. So the receiver has a table of the contexts of messages that are in its mailbox, and
// a process that neither gets nor sends a message with a context pays for a load.
//
// The table has an entry from before the push of the message until after its removal. The push and the
// removal order the two.

// travels are the contexts of a process.
type travels struct {
	came context.Context // of the message that was received last; nil: none. Owner only
	set  context.Context // what the process sends carries this; nil: nothing. Owner only

	mu       seam.QuickMutex
	arriving map[any]context.Context // guarded by mu: by the nodes of the messages
}

// travelsOf returns the contexts of a process, and makes them at first. Any goroutine.
func (p *Proc) travelsOf() *travels {
	if t := p.travels.Load(); t != nil {
		return t
	}
	p.travels.CompareAndSwap(nil, &travels{arriving: map[any]context.Context{}})
	return p.travels.Load()
}

// comesWith says that the message in node n, which is about to be pushed, has a context. Any goroutine.
func (p *Proc) comesWith(n any, ctx context.Context) {
	t := p.travelsOf()
	t.mu.Lock()
	t.arriving[n] = ctx
	t.mu.Unlock()
}

// takeContext removes the context of a message that leaves the mailbox; nil: it has none. Any
// goroutine.
func (t *travels) takeContext(n any) context.Context {
	t.mu.Lock()
	ctx := t.arriving[n]
	delete(t.arriving, n)
	t.mu.Unlock()
	return ctx
}

// dropContext forgets the context of a message that is not received. Any goroutine.
func (p *Proc) dropContext(n any) {
	if t := p.travels.Load(); t != nil {
		t.takeContext(n)
	}
}

// Context returns the context that the message which was received last came with, or
// [context.Background] if it has none. Messages get a context from [Proc.SetContext] of a process, from
// [System.With], and from a behaviour after actor.Context.SetContext (package process/actors). A message
// is received even if its context has ended.
func (p *Proc) Context() context.Context {
	p.mustRun("Context")
	if t := p.travels.Load(); t != nil && t.came != nil {
		return guard.Bare(t.came)
	}
	return context.Background()
}

// SetContext has everything that the process sends from now on carry ctx: its messages and requests to
// processes and to actors (package process/actors). The usual call passes on the context of a message:
//
//	self.SetContext(self.Context())
//
// With [context.Background] messages carry nothing. Values that go through a [Chan] carry no context.
// SetContext panics if ctx is nil.
func (p *Proc) SetContext(ctx context.Context) {
	p.mustRun("SetContext")
	must(guard.IsContext(ctx), "SetContext: the context is nil")
	if ctx == context.Background() {
		if t := p.travels.Load(); t != nil {
			t.set = nil
		}
		return
	}
	p.travelsOf().set = guard.Guarded(ctx)
}

// With returns an Env for goroutines outside, whose messages carry ctx: see [Proc.Context]. It panics if
// ctx is nil.
func (s *System) With(ctx context.Context) Env {
	must(guard.IsContext(ctx), "System.With: the context is nil")
	return &carrier{s, guard.Guarded(ctx)}
}

// carrier is an Env whose messages carry a context.
type carrier struct {
	*System
	ctx context.Context
}

// carrying is implemented by each Env whose messages may carry a context.
type carrying interface{ carries() context.Context }

func (c *carrier) carries() context.Context { return c.ctx }

func (e *turnEnv) carries() context.Context { return e.ctx }

func (p *Proc) carries() context.Context {
	if t := p.travels.Load(); t != nil {
		return t.set
	}
	return nil
}

// carriedBy returns the context that messages of an Env carry; nil: none. The Env was found valid.
func carriedBy(from Env) context.Context {
	if c, ok := from.(carrying); ok && !isNil(from) {
		return c.carries()
	}
	return nil
}
