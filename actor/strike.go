package actor

import "github.com/gallop-go/gallop/internal/sim"

// strike makes something go wrong in a deterministic system, as package actortest was told to,
// before a behaviour or a callback. All but the panic is what the runtime does by itself, here
// without a reason.
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
		flood(c, b)
	case sim.Collect, sim.Starve:
		strikeHeap(c, b, f.Blow)
	}
}

// flood fills the mailbox with messages that do nothing, for two turns.
func flood(c *Context, b *body) {
	for range 2 * b.batch() {
		b.box.push(newSignal(c, nil)) // it runs, so nobody needs to be woken
	}
}

// strikeHeap collects the actor's heap, or lets it take no more.
func strikeHeap(c *Context, b *body, what sim.Blow) {
	switch {
	case b.arena == nil:
	case what == sim.Collect:
		c.then |= mustCollect
	default:
		c.Heap().SetLimit(1)
	}
}
