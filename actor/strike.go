package actor

import "github.com/gallop-go/gallop/internal/sim"

// strike makes go wrong in a deterministic system what package actortest was told to, in
// front of a behaviour or a callback. All but the panic is what the runtime does by
// itself, at moments when it had no reason to.
func (b *body) strike(c *Context, f sim.Fault) {
	switch f.Blow {
	case sim.Panic:
		panic(f.Value)
	case sim.Stop:
		c.Stop()
	case sim.Kill:
		b.tell(replier{c: c, sys: c.sys}, order{verb: verbKill, why: ErrKilled})
	case sim.Delay:
		c.w.Lag()
	case sim.Preempt:
		c.Gas(maxBatch)
	case sim.Flood:
		b.flood(c)
	case sim.Collect, sim.Starve:
		b.strikeHeap(c, f.Blow)
	}
}

// flood fills the mailbox with messages that do nothing, for two turns.
func (b *body) flood(c *Context) {
	for range 2 * b.batch() {
		b.box.push(newSignal(c, nil)) // it runs, so nobody needs to be woken
	}
}

// strikeHeap collects the actor's heap, or lets it take no more.
func (b *body) strikeHeap(c *Context, what sim.Blow) {
	switch {
	case b.arena == nil:
	case what == sim.Collect:
		c.then |= mustCollect
	default:
		c.Heap().SetLimit(1)
	}
}
