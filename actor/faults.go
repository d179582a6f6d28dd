package actor

import "github.com/gallop-go/gallop/internal/sim"

// injectFault makes something go wrong in a deterministic system, as package actortest was told to,
// before a behaviour or a callback. All but the panic is what the runtime does by itself, here
// without a reason.
func (a *cell) injectFault(c *Context, f sim.Fault) {
	switch f.Kind {
	case sim.Panic:
		panic(f.Value)
	case sim.Stop:
		c.Stop()
	case sim.Kill:
		a.tell(env{c: c, sys: c.sys}, stopRequest{mode: modeKill, why: ErrKilled})
	case sim.Delay:
		c.w.Lag()
	case sim.Preempt:
		c.Gas(maxBatch)
	case sim.Flood:
		flood(c, a)
	case sim.Collect, sim.Starve:
		injectHeapFault(c, a, f.Kind)
	}
}

// flood fills the mailbox with messages that do nothing, for two turns.
func flood(c *Context, a *cell) {
	for range 2 * a.batch() {
		a.box.push(newSignal(c, nil)) // it runs, so nobody needs to be woken
	}
}

// injectHeapFault collects the actor's heap, or lets it take no more.
func injectHeapFault(c *Context, a *cell, what sim.FaultKind) {
	switch {
	case a.arena == nil:
	case what == sim.Collect:
		c.then |= mustCollect
	default:
		c.Heap().SetLimit(1)
	}
}
