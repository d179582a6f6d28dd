package actors_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// A Depot keeps things and gives them away. Orders come as messages, and outcomes of requests to a
// process come as Paid.
type Depot struct{ left int }

func (s *Depot) Take(_ *actor.Context, n int) (int, error) {
	if n > s.left {
		return s.left, errors.New("sold out")
	}
	s.left -= n
	return s.left, nil
}

func (s *Depot) Fill(_ *actor.Context, n int) { s.left += n }

func (s *Depot) Run(c *actor.Context, f func(*actor.Context)) { f(c) }

func (s *Depot) Paid(_ *actor.Context, r actor.Result[string]) { fmt.Println(r.Value, r.Err) }

func (s *Depot) Gone(_ *actor.Context, d actor.Down) { fmt.Println("gone:", d.Reason) }

var (
	DepotType = actor.NewType[Depot]("depot")
	Take      = actor.DeclareAsk[int, int](DepotType, "take")
	Fill      = actor.Declare[int](DepotType, "fill")
	Run       = actor.Declare[func(*actor.Context)](DepotType, "run")
	Paid      = actor.Declare[actor.Result[string]](DepotType, "paid")
	Gone      = actor.Declare[actor.Down](DepotType, "gone")
	_         = DepotType.Table(Take.Handle((*Depot).Take), Fill.Handle((*Depot).Fill),
		Run.Handle((*Depot).Run), Paid.Handle((*Depot).Paid), Gone.Handle((*Depot).Gone))
)

// startQuiet starts a system with one worker that logs nothing.
func startQuiet() *actor.System {
	return actor.Start(actor.WithWorkers(1), actor.WithLogger(slog.New(slog.DiscardHandler)))
}

// A process asks an actor in straight-line code. Run ends when neither can go on, and returns the
// processes that are blocked for ever.
func Example() {
	sys := startQuiet()
	depot := DepotType.Spawn(sys, Depot{left: 3})
	process.Go(actors.Join(sys), func(p *process.Proc) {
		for {
			left, err := actors.Call(p, Take, depot, 2)
			fmt.Println(left, err)
			if err != nil {
				break
			}
		}
		process.Select(p) // waits for ever
	})
	for _, b := range actors.Join(sys).Run() {
		fmt.Println("blocked:", b.On)
	}
	// Output:
	// 1 <nil>
	// 0 sold out
	// blocked: nil channel or empty select
}

func ExampleJoin() {
	sys := startQuiet()
	procs := actors.Join(sys)
	fmt.Println(procs == actors.Join(sys))
	sys.Stop() // both
	fmt.Println(actors.Join(sys).Wait(context.Background()))
	// Output:
	// true
	// gallop: process system stopped
}

// A behaviour sends to a process.
func ExampleEnv() {
	sys := startQuiet()
	depot := DepotType.Spawn(sys, Depot{})
	printer := process.Spawn(actors.Join(sys), func(self *process.Self[string]) {
		fmt.Println(self.Receive())
	})
	Run.Send(sys, depot, func(c *actor.Context) { printer.Send(actors.Env(c), "from a behaviour") })
	_ = sys.Run()
	// Output:
	// from a behaviour
}

// A process spawns an actor and sends to it. If the actor does not keep up, the process waits.
func ExampleSender() {
	sys := startQuiet()
	process.Go(actors.Join(sys), func(p *process.Proc) {
		s := actors.Sender(p)
		depot := DepotType.Spawn(s, Depot{})
		for range 100 {
			Fill.Send(s, depot, 1)
		}
		fmt.Println(actors.Call(p, Take, depot, 1))
	})
	_ = sys.Run()
	// Output:
	// 99 <nil>
}

// A request may be one case of a select.
func ExampleAsk() {
	sys := startQuiet()
	depot := DepotType.Spawn(sys, Depot{left: 5})
	process.Go(actors.Join(sys), func(p *process.Proc) {
		var left int
		var err error
		never := process.NewChan[int](0)
		a := actors.Ask(p, Take, depot, 2)
		process.Select(p, a.Replied(&left, &err), process.RecvFrom(never, nil, nil))
		fmt.Println(left, err)
	})
	_ = sys.Run()
	// Output:
	// 3 <nil>
}

func ExampleCall() {
	sys := startQuiet()
	depot := DepotType.Spawn(sys, Depot{})
	actor.Stop(sys, depot)
	process.Go(actors.Join(sys), func(p *process.Proc) {
		_, err := actors.Call(p, Take, depot, 2)
		fmt.Println(errors.Is(err, actor.ErrStopped))
	})
	_ = sys.Run()
	// Output:
	// true
}

// Payment is a request to a process.
type Payment struct {
	amount int
	back   process.ReplyTo[string]
}

// A behaviour asks a process; the outcome comes as a message.
func ExampleAskTo() {
	sys := startQuiet()
	bank := process.Spawn(actors.Join(sys), func(self *process.Self[Payment]) {
		p := self.Receive()
		p.back.Reply(self, fmt.Sprint("paid ", p.amount))
	})
	depot := DepotType.Spawn(sys, Depot{})
	pay := func(c *actor.Context) {
		actors.AskTo(c, bank, func(back process.ReplyTo[string]) Payment {
			return Payment{7, back}
		}, Paid)
	}
	Run.Send(sys, depot, pay)
	_ = sys.Wait(context.Background())
	Run.Send(sys, depot, pay) // the process has ended
	_ = sys.Run()
	// Output:
	// paid 7 <nil>
	//  gallop: actor stopped
}

// An actor watches a process.
func ExampleRef() {
	sys := startQuiet()
	worker := process.Spawn(actors.Join(sys), func(self *process.Self[error]) {
		self.Exit(self.Receive())
	})
	depot := DepotType.Spawn(sys, Depot{})
	Run.Send(sys, depot, func(c *actor.Context) {
		actor.Watch(c, actors.Ref(c, worker.Process), Gone)
	})
	_ = sys.Wait(context.Background())
	worker.Send(actors.Join(sys), errors.New("out of paper"))
	_ = sys.Run()
	// Output:
	// gone: out of paper
}

// A process watches an actor.
func ExampleWatch() {
	sys := startQuiet()
	depot := DepotType.Spawn(sys, Depot{})
	process.Spawn(actors.Join(sys), func(self *process.Self[string]) {
		actors.Watch(self, depot, func(d actor.Down) string { return fmt.Sprint(d.Type, ": ", d.Reason) })
		fmt.Println(self.Receive())
	})
	actor.Stop(sys, depot)
	_ = sys.Run()
	// Output:
	// depot: gallop: shut down
}

func ExampleMonitor() {
	ctx, sys := context.Background(), startQuiet()
	depot := DepotType.Spawn(sys, Depot{})
	p := process.Spawn(actors.Join(sys), func(self *process.Self[string]) {
		var m actors.Monitor = actors.Watch(self, depot, func(actor.Down) string { return "gone" })
		m.Stop(self) // a moment later
		fmt.Println(self.Receive())
	})
	_ = sys.Wait(ctx)
	actor.Stop(sys, depot)
	_ = sys.Wait(ctx)
	p.Send(actors.Join(sys), "not told")
	_ = sys.Run()
	// Output:
	// not told
}

// A process ends with an actor that it is linked to.
func ExampleLink() {
	sys := startQuiet()
	depot := DepotType.Spawn(sys, Depot{})
	p := process.Go(actors.Join(sys), func(p *process.Proc) {
		defer fmt.Println("unwound")
		actors.Link(p, depot)
		process.Select(p)
	})
	_ = sys.Wait(context.Background())
	actor.Kill(sys, depot)
	_ = sys.Wait(context.Background())
	reason, _ := p.Result()
	var linked *actors.LinkedError
	fmt.Println(errors.As(reason, &linked), linked.Type, linked.Reason)
	sys.Stop()
	// Output:
	// unwound
	// true depot gallop: killed
}

func ExampleUnlink() {
	sys := startQuiet()
	depot := DepotType.Spawn(sys, Depot{})
	p := process.Go(actors.Join(sys), func(p *process.Proc) {
		actors.Link(p, depot)
		actors.Unlink(p, depot)
		process.Select(p)
	})
	_ = sys.Wait(context.Background())
	actor.Kill(sys, depot)
	_ = sys.Wait(context.Background())
	fmt.Println(p.Status())
	sys.Stop()
	// Output:
	// waiting
}

func ExampleLinkedError() {
	err := error(&actors.LinkedError{ActorID: 7, Type: "depot", Reason: actor.ErrKilled})
	fmt.Println(err, errors.Is(err, actor.ErrKilled))
	// Output:
	// gallop: linked actor depot#7: gallop: killed true
}

// A supervisor restarts a process.
func ExampleChild() {
	sys, life := startQuiet(), 0
	printer := actors.Child("printer", 0, func(self *process.Self[string]) {
		life++
		_ = process.Register("printer", self.Ref())
		for {
			m := self.Receive()
			if m == "" {
				panic("nothing to print")
			}
			fmt.Println(life, m)
		}
	})
	printer.Backoff = supervise.NoBackoff
	supervise.Start(sys, supervise.Spec{Name: "office", Children: []supervise.Child{printer}})
	for _, line := range []string{"one", "", "two"} {
		_ = sys.Wait(context.Background())
		if p, ok := process.Lookup[string](actors.Join(sys), "printer"); ok {
			p.Send(actors.Join(sys), line)
		}
	}
	_ = sys.Run()
	// Output:
	// 1 one
	// 2 two
}

// The state of a child that is a process is a Proxy.
func ExampleProxy() {
	var w supervise.Worker[actors.Proxy] = actors.Child("idle", 0, func(self *process.Self[int]) {
		self.Receive()
	})
	w.Restart = supervise.Transient
	fmt.Println(w.Name, w.Restart, w.Type.Name())
	// Output:
	// idle transient process child
}
