package actor

import (
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// inlined calls the small functions of the kernel that generic code calls for each message, ask or
// spawn. Generic code is compiled in the packages of users. There Go's compiler can inline a function of
// the kernel only if code of this package without type parameters has inlined it. This is that code. It
// is never called.
func inlined(c *kernel.Turn, a *kernel.Cell, m *kernel.Message, d *kernel.Descriptor,
	b kernel.AnyBehaviour, q kernel.AnyAsk, t *kernel.AnyType, cache *msg.Cache) {
	_, _, _, _, _ = b.Descriptor(), q.Descriptor(), q.Calls(), t.Info(), a.Ref().Cell()
	_, _, _, _, _ = a.Plus(0), a.Shared(), a.Sys(), a.Typ(), a.MakeCold()
	_, _, _, _, _ = m.Payload(), kernel.Contents(m), cache.Take(0), c.Node(d.Size), d.Made()
	_, _, _ = d.MadeAsk(), kernel.SenderID(c), c.Sys.LetsOthers()
	kernel.MustRun(c, "")
	t.Info().Seal()
	c.Sys.Sim.Count(0)
	c.PutFront(m, m, 1)
	_ = t.Info().Sealed.Load()
}

var _ = inlined
