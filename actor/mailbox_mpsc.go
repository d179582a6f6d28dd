package actor

import (
	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/internal/seam"
)

// The queues of an actor, which package mpsc has. A cell holds the producers' half of its mailbox,
// the consumer's half and the system queue; a Context holds the bias of its worker.
type (
	mailbox     = mpsc.Mailbox
	inbox       = mpsc.Inbox
	systemQueue = mpsc.SystemQueue
)

// turnsToAsk is how many turns a worker runs before it asks the kernel for fences: a system that
// does next to nothing need not wait at its end for the answer.
const turnsToAsk = 1000

// reviewBias decides whether the worker holds biases from now on. Its owner only, with each
// publication of its figures.
func (c *kernelTurn) reviewBias() {
	ok := c.bias.Review(c.sys.opts.workers, c.w.Alone()) && c.w.KeepsWork()
	if ok && c.w.Turn() > turnsToAsk && !c.dry && !c.w.Stopping() {
		if ask := seam.PrepareFence(); ask != nil {
			c.w.Beside(ask)
		}
	}
	c.bias.Allow(ok, c.w.Overflows())
}
