package actors

import (
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/sched"
)

// Proxy is the state of the actor that represents a process: see [Ref] and [Child].
type Proxy struct {
	of       process.Process
	start    func(c *actor.Context) process.Process // of a child; nil: the process is older
	within   time.Duration                          // time for the process to unwind
	watching map[actor.Monitor]func(process.Env, actor.Down)
	// leaves is set when the proxy has ended or is about to, and need not be told of the process's
	// end.
	leaves *seam.Bool
}

// proxies is a type of proxies with its behaviours. There are two such types; the proxies of
// children start their process.
type proxies struct {
	typ *actor.Type[Proxy]
	// do runs a function in a turn of the proxy, in order with signals to the proxy. The function
	// must send no mail of the user's, because a muted proxy may not send.
	do actor.Behaviour[Proxy, func(*Proxy, *actor.Context)]
	// stand runs an errand when the proxy is not muted. pass, sent after it, ends the errand when
	// the proxy is not muted for it. now runs and ends an errand at once. An errand is told if it
	// does not run.
	stand, now actor.AskBehaviour[Proxy, *errand, struct{}]
	pass       actor.Behaviour[Proxy, *errand]
	// ended receives the end of the process, as an outcome that a life of the proxy waits for.
	ended  actor.Behaviour[Proxy, actor.Result[struct{}]]
	down   actor.Behaviour[Proxy, actor.Down]
	linked actor.Behaviour[Proxy, actor.Exit]
}

var (
	ofOthers   = newProxies("process")
	ofChildren = newChildProxies()
)

func newProxies(name string) *proxies {
	k := &proxies{typ: actor.NewType[Proxy](name)}
	(*kernel.AnyType)(k.typ).Info().Unrefused = true
	//gallop:allow GV1 functions of this package alone, made to run in a turn of the proxy
	k.do = actor.Declare[func(*Proxy, *actor.Context)](k.typ, "do", actor.Urgent())
	k.stand = actor.DeclareAsk[*errand, struct{}](k.typ, "stand")
	k.now = actor.DeclareAsk[*errand, struct{}](k.typ, "now", actor.Urgent())
	k.pass = actor.Declare[*errand](k.typ, "pass")
	k.ended = actor.Declare[actor.Result[struct{}]](k.typ, "ended")
	// Urgent is safe: messages of actors to the process do not go through a proxy, so these
	// overtake none.
	k.down = actor.Declare[actor.Down](k.typ, "down", actor.Urgent())
	k.linked = actor.Declare[actor.Exit](k.typ, "linked", actor.Urgent())
	k.typ.Table(
		k.do.Handle(func(p *Proxy, c *actor.Context, f func(*Proxy, *actor.Context)) { f(p, c) }),
		k.stand.Handle(func(p *Proxy, c *actor.Context, e *errand) (struct{}, error) {
			return struct{}{}, e.run(p, c)
		}),
		k.now.Handle(func(p *Proxy, c *actor.Context, e *errand) (struct{}, error) {
			err := e.run(p, c)
			e.pass(Env(c))
			return struct{}{}, err
		}),
		k.pass.Handle(func(_ *Proxy, c *actor.Context, e *errand) { e.pass(Env(c)) }),
		k.ended.Handle((*Proxy).ended),
		k.down.Handle((*Proxy).down),
		k.linked.Handle((*Proxy).linked),
	)
	k.typ.OnStop((*Proxy).stop)
	return k
}

func newChildProxies() *proxies {
	k := newProxies("process child")
	k.typ.OnStart(func(p *Proxy, c *actor.Context) error {
		p.of = p.start(c)
		h := newHandle(actor.Self[Proxy](c), k)
		h.begun.Store(true)
		var own joint.Actor = h
		parts.SlotOf(p.of).CompareAndSwap(nil, &own)
		h.begin(p, c)
		return nil
	})
	return k
}

// handle is the ref of a proxy. Package process keeps it for the process.
type handle struct {
	kernel.AnyRef
	b     *proxies
	begun seam.Bool // begin was sent; stored after that: see mustBegin
}

func newHandle(r actor.Ref[Proxy], b *proxies) *handle {
	return &handle{AnyRef: kernel.AnyRef(r), b: b}
}

func (h *handle) ref() actor.Ref[Proxy] { return actor.Ref[Proxy](h.AnyRef) }

// do runs f in a turn of the proxy.
func (h *handle) do(from actor.Sender, f func(*Proxy, *actor.Context)) {
	h.b.do.Send(from, h.ref(), f)
}

// proxyOf returns the proxy of a process. The first call makes it.
func proxyOf(from actor.Sender, of process.Process) *handle {
	slot := parts.SlotOf(of)
	kept := slot.Load()
	if kept == nil {
		ref := ofOthers.typ.Spawn(from, Proxy{of: of, within: defaultWithin})
		var own joint.Actor = newHandle(ref, ofOthers)
		slot.CompareAndSwap(nil, &own) // the GC collects a proxy that lost the race: it has never run
		kept = slot.Load()
	}
	h := (*kept).(*handle)
	h.mustBegin(from)
	return h
}

// mustBegin makes sure that the proxy receives begin before anything else from the caller. The
// goroutine that has made the handle may not have sent begin yet. If begun is false, the caller
// sends begin itself: a second begin does nothing. The load of begun pairs with the store: a caller
// that reads true finds begin in the system queue, ahead of its own message.
func (h *handle) mustBegin(from actor.Sender) {
	if !h.begun.Load() {
		h.b.do.Send(from, h.ref(), h.begin)
		h.begun.Store(true)
	}
}

// begin initialises a proxy. The second call does nothing.
func (h *handle) begin(p *Proxy, c *actor.Context) {
	if p.leaves != nil {
		return
	}
	p.watching = map[actor.Monitor]func(process.Env, actor.Down){}
	actor.TrapExit(c, h.b.linked)
	leaves := &seam.Bool{}
	p.leaves = leaves
	keep(c, kept{h.ref().Any(), p.of, leaves})
	turn := kernel.TurnOf(c)
	turn.Outlive(p.end)
	tell := outcomeFor(turn, h.b.ended)
	sys := c.System()
	parts.AtEnd(p.of, func(reason error) {
		if !leaves.Load() {
			tell(sys, actor.Result[struct{}]{Err: reason})
		}
	})
}

// ended ends the proxy with its process.
func (p *Proxy) ended(c *actor.Context, r actor.Result[struct{}]) {
	if r.Err == nil {
		c.Stop()
		return
	}
	c.Exit(reasonFor(r.Err))
}

// reasonFor translates the reason of a process for actors.
func reasonFor(reason error) error {
	if crash, ok := reason.(*sched.Crash); ok {
		return &actor.PanicError{Value: crash.Value, Goexit: crash.Goexit, Stack: crash.Stack}
	}
	switch reason {
	case process.ErrStopped:
		return actor.ErrShutdown
	case process.ErrKilled:
		return actor.ErrKilled
	}
	return reason
}

// linked tells the process of the end of an actor that is linked to its proxy.
func (p *Proxy) linked(c *actor.Context, e actor.Exit) {
	var cause error
	if e.Reason == actor.ErrShutdown || !actor.IsNormal(e.Reason) { // as among actors
		cause = &LinkedError{ActorID: e.ActorID, Type: e.Type, Reason: e.Reason}
	}
	parts.Exited(p.of, Env(c), cause)
}

// down tells the process of the end of an actor that it watches.
func (p *Proxy) down(c *actor.Context, d actor.Down) {
	if tell := p.watching[d.Monitor]; tell != nil {
		delete(p.watching, d.Monitor)
		tell(Env(c), d)
	}
}

// defaultWithin is the time for a process to unwind before it is killed.
const defaultWithin = 5 * time.Second

// end ends the process of a proxy that is told to end. The proxy ends when over is called.
func (p *Proxy) end(c *kernel.Turn, why error, over func()) {
	p.leaves.Store(true)
	parts.EndWithin(p.of, envIn(c), why, p.within, over)
}

// stop handles a proxy that ends before its process because it has failed itself.
func (p *Proxy) stop(c *actor.Context, why error) {
	if p.leaves == nil {
		return // there is none
	}
	if _, over := p.of.Result(); !over {
		p.end(kernel.TurnOf(c), why, func() {})
	}
}

// killer kills processes whose proxies were killed, since these run no code then. Each system has
// one.
type killer struct{ of map[actor.Monitor]kept }

type kept struct {
	proxy  actor.AnyRef
	of     process.Process
	leaves *seam.Bool
}

var (
	killerType = actor.NewType[killer]("process killer")
	keepOne    = actor.Declare[kept](killerType, "keep")
	keptDown   = actor.Declare[actor.Down](killerType, "down", actor.Urgent())
	_          = killerType.Table(keepOne.Handle((*killer).keep), keptDown.Handle((*killer).down))
)

func init() { (*kernel.AnyType)(killerType).Info().Unrefused = true }

// keep has the killer kill a process if its proxy is killed.
func keep(c *actor.Context, k kept) {
	slot := parts.SlotOfSystem(Join(c.System()))
	if slot.Load() == nil {
		r := killerType.Spawn(c, killer{of: map[actor.Monitor]kept{}})
		var of joint.Actor = kernel.AnyRef(r)
		slot.CompareAndSwap(nil, &of)
	}
	keepOne.Send(c, actor.Ref[killer]((*slot.Load()).(kernel.AnyRef)), k)
}

func (k *killer) keep(c *actor.Context, n kept) { k.of[actor.Watch(c, n.proxy, keptDown)] = n }

func (k *killer) down(c *actor.Context, d actor.Down) {
	n := k.of[d.Monitor]
	delete(k.of, d.Monitor)
	if _, over := n.of.Result(); !over {
		n.leaves.Store(true)
		n.of.Kill(Env(c))
	}
}
