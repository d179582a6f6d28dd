package actor

import (
	"fmt"

	"github.com/gallop-go/gallop/internal/kernel"
)

// A stash keeps messages that an actor cannot handle now, in order, until it can.

// WithStashLimit bounds the stash of each actor of the type to n messages. A message
// beyond that is not stashed: it becomes a dead letter with ErrOverloaded, and the caller
// of an ask gets that error. Without this option a stash has no limit. An actor that wants
// to decide itself checks [StashLen] before it calls Stash. WithStashLimit panics if n is
// less than 1.
func WithStashLimit(n int) TypeOption {
	if n < 1 {
		panic(fmt.Sprintf("gallop: WithStashLimit(%d): want at least 1", n))
	}
	return typeOption(func(t *kernel.TypeInfo) { t.StashLimit = n })
}

// Stash puts the running message, which is m, aside until [Unstash] or [UnstashAll]. It
// panics if the running message is not for b, or was put aside already. For a full stash
// see [WithStashLimit].
//
// When the actor ends, the messages in its stash become dead letters, before those in
// its mailbox. When the actor is restarted, its stash runs first. A stash keeps neither
// the actor nor the system running.
func (b Behaviour[S, M]) Stash(c *Context, m M) {
	n := c.kernel().BeginStash(kernel.AnyBehaviour(b).Descriptor().Made())
	*kernel.PayloadOf[M](n) = m
	c.kernel().EndStash(n, kernel.AnyBehaviour(b).Descriptor())
}

// Stash puts the running request, which is q, aside until [Unstash] or [UnstashAll]. The
// behaviour must return the results of Stash, and the caller goes on waiting. Stash also
// panics if the reply was put off already ([Defer]) or given. Otherwise it is like
// [Behaviour.Stash].
func (b AskBehaviour[S, Q, R]) Stash(c *Context, q Q) (r R, err error) {
	turn := c.kernel()
	n := turn.BeginStash(kernel.AnyAsk(b).Descriptor().MadeAsk())
	p := kernel.PayloadOf[request[Q, R]](turn.Msg)
	n.Life = turn.Msg.Life
	*kernel.PayloadOf[request[Q, R]](n) = request[Q, R]{q, p.to}
	p.to = nowhere(p.to) // the answer to the message that runs
	turn.EndStash(n, kernel.AnyAsk(b).Descriptor())
	return r, nil
}

// StashLen returns how many messages are in the running actor's stash.
func StashLen(c *Context) int {
	kernel.MustRun(c.kernel(), "StashLen")
	return kernel.StashOf(c.kernel().Self.Cold).Len()
}

// UnstashAll puts the messages in the running actor's stash in front of its mailbox, in
// the order in which they were sent, as [Unstash] does. The cost does not depend on how
// many there are.
func UnstashAll(c *Context) {
	turn := c.kernel()
	kernel.MustRun(turn, "UnstashAll")
	turn.Unstash(kernel.StashOf(turn.Self.Cold).Len())
}

// Unstash puts the n oldest messages in the running actor's stash in front of its
// mailbox, in the order in which they were sent. It returns their number, which is less
// than n if the stash has fewer. They run before the rest of the stash. They run in the
// same turn if it lasts that long, unless the running message was put aside itself. The
// cost is proportional to n, for a stash of any size. Unstash panics if n is negative.
//
// An actor that waits for a reply to each message stashes the messages that come
// meanwhile, and calls Unstash(c, 1) with each reply.
func Unstash(c *Context, n int) int {
	turn := c.kernel()
	kernel.MustRun(turn, "Unstash")
	if n < 0 {
		panic(fmt.Sprintf("gallop: Unstash(%d): want at least 0", n))
	}
	n = min(n, kernel.StashOf(turn.Self.Cold).Len())
	turn.Unstash(n)
	return n
}
