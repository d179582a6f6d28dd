package actors

import (
	"context"
	"errors"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/face"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/process"
)

// Join returns the system of processes that runs on the workers of sys, and makes it at the first
// call. Its Stop is that of sys, and its Wait waits for both. In a deterministic run, processes are
// driven as actors are. It panics if sys was started with actor.WithCPUBinding: coroutines cannot run
// on threads that are locked. About 50 ns.
func Join(sys *actor.System) *process.System { return join(kernel.SystemFor(sys, "Join")) }

// join is Join for a system of the kernel.
func join(sys *kernel.System) *process.System {
	return parts.SystemOf(sys.JoinProcesses(parts.StartOn))
}

// parts has functions of package process that its users do not have.
var parts process.ForActors

// Env returns the env in which the running behaviour acts on processes: it sends ([process.Ref]),
// spawns, replies, cancels, and uses channels without waiting. Its messages carry the context that
// the last actor.Context.SetContext before the call of Env has set. The result is valid until the
// behaviour returns. A later use panics if it is detected. Each call of Env costs an allocation.
func Env(c *actor.Context) process.Env {
	return envIn(kernel.TurnFor(c, "Env"))
}

// envIn is Env for a turn of the kernel's.
func envIn(turn *kernel.Turn) process.Env {
	return parts.EnvOf(join(turn.Sys), turn.W, turn.Travels)
}

// Sender returns the sender with which a process acts on actors: for sends, spawns and stops. It is
// valid as long as the process runs, and panics elsewhere. Its messages carry the context that
// process.Proc.SetContext has set at the time of the send. Call Sender once: it costs an allocation
// or two.
//
// A message to an overloaded actor is sent by the proxy of the process ([Ref]), and suspends the
// process until the proxy is not muted. The sender that a receiver sees is the proxy, or outside.
// For a goroutine outside, Sender returns its system, and sends never wait.
//
// It panics if the process belongs to a system that is not joined.
func Sender(by process.Party) actor.Sender {
	if e := processEnv(by); e != nil {
		return e
	}
	return actorsOf(by, "Sender")
}

// processEnv returns the env in which a process acts on actors, or nil for a goroutine.
func processEnv(by process.Party) *kernel.ProcessEnv {
	sys := kernelOf(parts.ActorsOf(by), "Sender")
	r, p, ok := parts.RunningOf(by)
	if !ok {
		return nil
	}
	var e *kernel.ProcessEnv
	e = kernel.NewProcessEnv(sys, r, func(to kernel.AnyRef, f func(c *kernel.Turn), lost func()) {
		defer parts.Waits(by, "overload of", to)()
		inTurn(e, by, p, f, lost)
	})
	return e
}

// With returns a sender like [Sender], whose messages carry ctx: its values, its deadline and its
// end, as with actor.System.With. It panics if ctx is nil.
func With(ctx context.Context, by process.Party) actor.Sender {
	ctx = mustHave(ctx, "With")
	if e := processEnv(by); e != nil {
		return e.With(ctx)
	}
	return actorsOf(by, "Sender").With(ctx)
}

// mustHave panics if the context is nil, and returns a context with guarded methods.
func mustHave(ctx context.Context, call string) context.Context {
	if !guard.IsContext(ctx) {
		panic("gallop: actors: " + call + ": the context is nil")
	}
	return guard.Guarded(ctx)
}

// inTurn runs f in a turn of the proxy of a process, and waits until the proxy is not muted. If the
// proxy ends before, inTurn runs lost instead; then the process is about to end.
//
// The wait always ends. A proxy ends after its process (kernel.Turn.Outlive), unless it is killed. A
// proxy that is told to end is muted no more, since others may wait for its end.
func inTurn(s *kernel.ProcessEnv, by process.Party, p process.Process, f func(c *kernel.Turn),
	lost func()) {
	h, e := proxyOf(s, p), newErrand(by, p, f, lost)
	e.ask(s, h, h.b.stand)
	h.b.pass.Send(s, h.ref(), e)
	e.passed.Recv(by)
}

// errand is a function that a proxy runs while its process waits.
type errand struct {
	sys    *actor.System
	of     process.Process
	f      func(c *kernel.Turn)
	lost   func()
	began  bool // only the proxy's turn writes it, before the outcome
	passed *process.Chan[struct{}]
}

func newErrand(by process.Party, of process.Process, f func(c *kernel.Turn), lost func()) *errand {
	return &errand{sys: actorsOf(by, "Sender"), of: of, f: f, lost: lost,
		passed: process.NewChan[struct{}](1)}
}

// errOther is the outcome of an errand that reached another life of its proxy, with another
// process.
var errOther = errors.New("gallop: actors: another process by now")

// run is the errand itself, in a turn of the proxy.
func (e *errand) run(p *Proxy, c *actor.Context) error {
	if p.of != e.of {
		return errOther
	}
	e.began = true
	e.f(kernel.TurnOf(c))
	return nil
}

// ask sends the errand to a proxy, whose behaviour b runs it. The errand gets the outcome.
func (e *errand) ask(from actor.Sender, h *handle, b actor.AskBehaviour[Proxy, *errand, struct{}]) {
	askFor(nil, from, b.To(h.ref()), e, e)
}

// pass lets the process go on.
func (e *errand) pass(env process.Env) { e.passed.TrySend(env, struct{}{}) }

// Own implements guard.Own.
func (*errand) Own(guard.Mark) {}

// Send implements actor.Handler: it receives the outcome of the errand.
func (e *errand) Send(from actor.Sender, r actor.Result[struct{}]) {
	if r.Err == nil {
		return // it is over when it is passed
	}
	if !e.began {
		e.lost()
	}
	e.pass(envOf(from, e.sys))
}

// TrySend implements actor.Handler.
func (e *errand) TrySend(from actor.Sender, r actor.Result[struct{}]) error {
	e.Send(from, r)
	return nil
}

// actorsOf returns the actors' system of a party.
func actorsOf(by process.Party, call string) *actor.System {
	return face.System(kernelOf(parts.ActorsOf(by), call))
}

// kernelOf returns the system of actors that a system of processes is joined to. It panics if sys is
// nil.
func kernelOf(sys joint.Actors, call string) *kernel.System {
	if sys == nil {
		panic("gallop: actors: " + call + " of a process of a system that is not joined: use Join")
	}
	return sys.(*kernel.System)
}

// envOf returns the env in which code with a sender acts on processes of sys.
func envOf(from actor.Sender, sys *actor.System) process.Env {
	if c, inside := from.(*actor.Context); inside && c.System() == sys {
		return Env(c)
	}
	return Join(sys)
}

// processOf returns the process of a party, which must be one.
func processOf(by process.Party, call string) process.Process {
	_, p, ok := parts.RunningOf(by)
	if !ok {
		panic("gallop: actors: " + call + " by a goroutine: only a process can be told")
	}
	return p
}
