package actors

import (
	"context"
	"errors"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/process"
)

// Join returns the system of processes that runs on the workers of sys, and makes it at the first
// call. Its Stop is that of sys, and its Wait waits for both. In a deterministic run, processes are
// driven as actors are. It panics if sys was started with actor.WithCPUBinding: coroutines cannot run
// on threads that are locked. About 50 ns.
func Join(sys *actor.System) *process.System {
	return access.Join(sys, access.StartOn).(*process.System)
}

// Env returns the env in which the running behaviour acts on processes: it sends ([process.Ref]),
// spawns, replies, cancels, and uses channels without waiting. Its messages carry the context that
// the last actor.Context.SetContext before the call of Env has set. The result is valid until the
// behaviour returns. A later use panics if it is detected. Each call of Env costs an allocation.
func Env(c *actor.Context) process.Env {
	_, w := access.WorkerOf(c, "Env")
	return access.EnvOf(Join(c.System()), w, access.Travels(c)).(process.Env)
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
	sys := actorsOf(by, "Sender")
	r, p, ok := access.RunningOf(by)
	if !ok {
		return sys
	}
	var s actor.Sender
	s = access.ProcessSender(sys, r, func(to any, f func(c any), lost func()) {
		defer access.Waits(by, "overload of", to)()
		inTurn(s, by, p.(process.Process), f, lost)
	}).(actor.Sender)
	return s
}

// With returns a sender like [Sender], whose messages carry ctx: its values, its deadline and its
// end, as with actor.System.With. It panics if ctx is nil.
func With(ctx context.Context, by process.Party) actor.Sender {
	ctx = mustHave(ctx, "With")
	return access.With(Sender(by), ctx).(actor.Sender)
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
// The wait always ends. A proxy ends after its process (access.Outlive), unless it is killed. A
// proxy that is told to end is muted no more, since others may wait for its end.
func inTurn(s actor.Sender, by process.Party, p process.Process, f func(c any), lost func()) {
	h, e := proxyOf(s, p), newErrand(by, p, f, lost)
	access.AskFor(nil, s, h.b.stand.To(h.ref), e, e)
	h.b.pass.Send(s, h.ref, e)
	e.passed.Recv(by)
}

// errand is a function that a proxy runs while its process waits.
type errand struct {
	sys    *actor.System
	of     process.Process
	f      func(c any)
	lost   func()
	began  bool // only the proxy's turn writes it, before the outcome
	passed *process.Chan[struct{}]
}

func newErrand(by process.Party, of process.Process, f func(c any), lost func()) *errand {
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
	e.f(c)
	return nil
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

// actorsOf returns the actors' system of a process or env.
func actorsOf(of any, call string) *actor.System {
	_, sys := access.SystemOf(of)
	if sys == nil {
		panic("gallop: actors: " + call + " of a process of a system that is not joined: use Join")
	}
	return sys.(*actor.System)
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
	_, p, ok := access.RunningOf(by)
	if !ok {
		panic("gallop: actors: " + call + " by a goroutine: only a process can be told")
	}
	return p.(process.Process)
}
