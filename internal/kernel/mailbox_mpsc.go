package kernel

import (
	"github.com/gallop-go/gallop/internal/kernel/mpsc"
	"github.com/gallop-go/gallop/internal/seam"
)

// The queues of an actor, which package mpsc has. A cell holds the producers' half of its mailbox,
// the consumer's half and the system queue; a Turn holds the bias of its worker.
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
func (c *Turn) reviewBias() {
	ok := c.Bias.Review(c.Sys.Opts.Workers, c.W.Alone()) && c.W.KeepsWork()
	if ok && c.W.Turn() > turnsToAsk && !c.Dry && !c.W.Stopping() {
		if ask := seam.PrepareFence(); ask != nil {
			c.W.Beside(ask)
		}
	}
	c.Bias.Allow(ok, c.W.Overflows())
}
