package actors

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/process"
)

type linker struct{}

var (
	linkerType = actor.NewType[linker]("linker")
	linkTo     = actor.Declare[process.Process](linkerType, "link")
	_          = linkerType.Table(linkTo.Handle(
		func(_ *linker, c *actor.Context, p process.Process) {
			actor.Link(c, Ref(c, p))
			c.Exit(errors.New("planted"))
		}))
)

// TestProxy_BegunByOthers: a proxy that its maker has not begun yet still receives the end of a
// linked actor on behalf of its process, and traps it. Mutant: a proxyOf that begins only proxies
// that it has made.
func TestProxy_BegunByOthers(t *testing.T) {
	sys := actor.Start(actor.WithDeterministic(1), actor.WithLogger(slog.New(slog.DiscardHandler)))
	defer sys.Stop()
	p := process.Go(Join(sys), func(p *process.Proc) { process.NewChan[int](0).Recv(p) })
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	ref := ofOthers.typ.Spawn(sys, Proxy{of: p, within: defaultWithin})
	var own joint.Actor = newHandle(ref, ofOthers)
	parts.SlotOf(p).Store(&own) // here its maker lost the processor
	linkTo.Send(sys, linkerType.Spawn(sys, linker{}), p)
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	reason, over := p.Result()
	var linked *LinkedError
	if !over || !errors.As(reason, &linked) {
		t.Errorf("the process has ended: %v, %v, want a LinkedError", over, reason)
	}
}
