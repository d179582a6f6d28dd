package actors

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/supervise"
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

// TestProxy_BegunByOthers: a proxy whose maker has not come to begin it hears of the end of an
// actor that is linked to it all the same as the process's, and traps it. Mutant: a proxyOf that
// begins only what it has made.
func TestProxy_BegunByOthers(t *testing.T) {
	sys := actor.Start(actor.WithDeterministic(1), actor.WithLogger(slog.New(slog.DiscardHandler)))
	defer sys.Stop()
	p := process.Go(Join(sys), func(p *process.Proc) { process.NewChan[int](0).Recv(p) })
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	ref := ofOthers.typ.Spawn(sys, Proxy{of: p, within: defaultWithin})
	var kept any = &handle{ref: ref, b: ofOthers}
	access.SlotOf(p).Store(&kept) // here its maker lost the processor
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

type flood struct{}

var (
	floodType = actor.NewType[flood]("flood")
	floodSend = actor.Declare[process.Ref[int]](floodType, "send")
	_         = floodType.Table(floodSend.Handle(
		func(_ *flood, c *actor.Context, to process.Ref[int]) { to.Send(Env(c), 1) }))
)

// TestProxy_LateGauge: the proxy of a child outlives the process. What was asked about the mailbox of
// the last process says nothing of that of the next one: the pressure stays while that is full.
func TestProxy_LateGauge(t *testing.T) {
	sys := actor.Start(actor.WithDeterministic(1), actor.WithLogger(slog.New(slog.DiscardHandler)))
	defer sys.Stop()
	var lives []process.Ref[int]
	gate := process.NewChan[int](0)
	tree, err := supervise.StartWait(t.Context(), sys, supervise.Spec{Name: "app",
		Intensity: supervise.Intensity{Restarts: 1, Within: time.Hour},
		Children: []supervise.Child{Child("child", 0, func(self *process.Self[int]) {
			lives = append(lives, self.Ref())
			gate.Recv(self)
			panic("the first ends")
		}, process.WithBound(1), WithMuting())}})
	if err != nil {
		t.Fatal(err)
	}
	quiet := func() {
		if err := sys.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	quiet()
	gate.TrySend(Join(sys), 1)
	quiet()
	if len(lives) != 2 {
		t.Fatalf("%d lives, want 2", len(lives))
	}
	for range 2 {
		floodSend.Send(sys, floodType.Spawn(sys, flood{}), lives[1])
		quiet()
	}
	ref, err := supervise.Find[Proxy](t.Context(), tree, "child")
	if err != nil {
		t.Fatal(err)
	}
	if s := ref.Status(); s != actor.StatusOverloaded {
		t.Fatalf("the proxy is %v, want %v", s, actor.StatusOverloaded)
	}
	ofChildren.gauge.Send(sys, ref, gauge{lives[0].Process, func(func(any)) bool { return false }})
	quiet()
	if s := ref.Status(); s != actor.StatusOverloaded {
		t.Errorf("the proxy is %v after a look at another process, want %v", s, actor.StatusOverloaded)
	}
}
