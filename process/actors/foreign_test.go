package actors_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// misdeeds are the acts of the user's code instead of an answer.
var misdeeds = map[string]func(){"panic": func() { panic("a misdeed") }, "Goexit": runtime.Goexit}

// foulContext misbehaves in one of its methods, whenever that is called, but for the first few times.
type foulContext struct {
	context.Context
	what    string
	misdeed func()
	good    atomic.Int32 // so many calls more
}

func (c *foulContext) call(what string) {
	if what == c.what && c.good.Add(-1) < 0 {
		c.misdeed()
	}
}

func (c *foulContext) Err() error            { c.call("Err"); return c.Context.Err() }
func (c *foulContext) Done() <-chan struct{} { c.call("Done"); return c.Context.Done() }
func (c *foulContext) Value(key any) any     { c.call("Value"); return c.Context.Value(key) }
func (c *foulContext) Deadline() (at time.Time, ok bool) {
	c.call("Deadline")
	return c.Context.Deadline()
}

// TestCallContext_Foul: a context that panics or calls runtime.Goexit in one of its methods ends
// neither the process that calls an actor under it nor that actor.
func TestCallContext_Foul(t *testing.T) {
	for misdeed, do := range misdeeds {
		for _, what := range []string{"Err", "Done", "Value", "Deadline"} {
			for good := range 3 {
				t.Run(fmt.Sprint(misdeed, " ", what, " ", good), func(t *testing.T) {
					sys := actor.Start(actor.WithWorkers(2), quietLogger)
					defer sys.Stop()
					r := puppetType.Spawn(sys, puppet{})
					called := make(chan error, 1)
					process.Go(actors.Join(sys), func(p *process.Proc) {
						over := errors.New("the process has ended")
						defer func() { called <- over }()
						ctx := &foulContext{Context: context.Background(), what: what, misdeed: do}
						ctx.good.Store(int32(good))
						_, _ = actors.CallContext(ctx, p, double, r, 2)
						over = nil
					})
					if err := <-called; err != nil {
						t.Error(err)
					}
					if n, err := double.Ask(t.Context(), r, 2); n != 4 || err != nil {
						t.Errorf("the actor answers %d, %v", n, err)
					}
				})
			}
		}
	}
}

// foulError misbehaves in one of its methods.
type foulError struct {
	what    string
	misdeed func()
}

func (e *foulError) call(what string) {
	if e.what == what {
		e.misdeed()
	}
}

func (e *foulError) Error() string { e.call("Error"); return "foul" }
func (e *foulError) Is(error) bool { e.call("Is"); return false }
func (e *foulError) Unwrap() error { e.call("Unwrap"); return nil }

// listener asks a process, and passes on the error.
type listener struct{ got chan error }

var (
	listenerType = actor.NewType[listener]("listener")
	listenerAsk  = actor.Declare[process.Ref[process.ReplyTo[int]]](listenerType, "ask")
	listenerGot  = actor.Declare[actor.Result[int]](listenerType, "got")
	_            = listenerType.Table(
		listenerAsk.Handle(func(_ *listener, c *actor.Context, to process.Ref[process.ReplyTo[int]]) {
			actors.AskTo(c, to, func(r process.ReplyTo[int]) process.ReplyTo[int] { return r }, listenerGot)
		}),
		listenerGot.Handle(func(l *listener, _ *actor.Context, r actor.Result[int]) { l.got <- r.Err }))
)

// TestEnds_Foul: a process that ends for an error of which a method panics, or calls runtime.Goexit:
// the actor that has asked it has an outcome, and one that is a child is started again.
func TestEnds_Foul(t *testing.T) {
	for misdeed, f := range misdeeds {
		for _, what := range []string{"Error", "Is", "Unwrap"} {
			t.Run(misdeed+" "+what, func(t *testing.T) {
				why := &foulError{what, f}
				sys := actor.Start(actor.WithWorkers(2), quietLogger)
				defer sys.Stop()
				box := process.Spawn(actors.Join(sys), func(self *process.Self[process.ReplyTo[int]]) {
					self.Receive()
					self.Exit(why)
				})
				got := make(chan error, 1)
				listenerAsk.Send(sys, listenerType.Spawn(sys, listener{got}), box)
				select {
				case err := <-got:
					if err == nil {
						t.Error("the outcome has no error")
					}
				case <-time.After(hangTimeout / 2):
					t.Fatal("no outcome")
				}
				lives := make(chan process.Ref[int], 2)
				if _, err := supervise.StartWait(t.Context(), sys, quick(actors.Child("child", 0,
					func(self *process.Self[int]) {
						lives <- self.Ref()
						self.Receive()
						self.Exit(why)
					}))); err != nil {
					t.Fatal(err)
				}
				(<-lives).Send(actors.Join(sys), 1)
				<-lives
			})
		}
	}
}

// TestInterceptor_ProcessesOwn: "A message of the runtime's own, … to the actor of a process, cannot
// be refused". An interceptor that refuses all keeps no process from hearing of a link, nor from its
// end when the actor that stands for it is killed.
//
// Mutants: unrefused/process… of internal/mutants/guards.json.
func TestInterceptor_ProcessesOwn(t *testing.T) {
	refused := map[string]bool{"process": true, "process child": true, "process killer": true}
	for name, end := range map[string]func(c *actor.Context, p process.Process){
		"link": func(c *actor.Context, p process.Process) {
			actor.Link(c, actors.Ref(c, p))
			c.Exit(errPlanted)
		},
		"kill": func(c *actor.Context, p process.Process) { actor.Kill(c, actors.Ref(c, p)) },
	} {
		t.Run(name, func(t *testing.T) {
			var no atomic.Int32
			sys := actor.Start(quietLogger, actor.WithInterceptor(actor.Interceptor{
				Before: func(_ *actor.Context, in *actor.Invocation) error {
					if refused[in.Type()] {
						no.Add(1)
						return errPlanted
					}
					return nil
				}}))
			defer sys.Stop()
			p := process.Go(actors.Join(sys), func(p *process.Proc) { process.NewChan[int](0).Recv(p) })
			r := puppetType.Spawn(sys, puppet{})
			do.Send(sys, r, func(_ *puppet, c *actor.Context) { actors.Ref(c, p) })
			if err := sys.Wait(t.Context()); err != nil { // for the killer to know the proxy
				t.Fatal(err)
			}
			do.Send(sys, r, func(_ *puppet, c *actor.Context) { end(c, p) })
			ended := make(chan struct{})
			process.Go(actors.Join(sys), func(by *process.Proc) { _ = p.Join(by); close(ended) })
			select {
			case <-ended:
			case <-time.After(hangTimeout):
				t.Error("the process does not end")
			}
			if no.Load() == 0 {
				t.Error("nothing was refused")
			}
		})
	}
}
