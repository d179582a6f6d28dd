package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// An account is an actor: a state, behaviours, and a table that joins them.
type account struct{ balance int }

func (a *account) Deposit(_ *actor.Context, amount int) { a.balance += amount }

func (a *account) Withdraw(_ *actor.Context, amount int) (int, error) {
	if amount > a.balance {
		return a.balance, errors.New("not enough")
	}
	a.balance -= amount
	return a.balance, nil
}

func (a *account) Close(c *actor.Context, _ struct{}) { c.Stop() }
func (a *account) Crash(*actor.Context, struct{})     { panic("a bug") }

var (
	accountType = actor.NewType[account]("account")
	deposit     = actor.Declare[int](accountType, "deposit")
	withdraw    = actor.DeclareAsk[int, int](accountType, "withdraw")
	closeIt     = actor.Declare[struct{}](accountType, "close")
	crashIt     = actor.Declare[struct{}](accountType, "crash")
	_           = accountType.Table(deposit.Handle((*account).Deposit),
		withdraw.Handle((*account).Withdraw),
		closeIt.Handle((*account).Close), crashIt.Handle((*account).Crash))
)

func Example() {
	sys := actor.Start()
	a := accountType.Spawn(sys, account{})
	for i := 1; i <= 3; i++ {
		deposit.Send(sys, a, i)
	}
	left, err := withdraw.Ask(context.Background(), a, 4)
	fmt.Println(left, err)
	_ = sys.Shutdown(context.Background())
	// Output: 2 <nil>
}

// A request has a reply, or an error that says why there is none.
func ExampleAskBehaviour() {
	sys := actor.Start()
	a := accountType.Spawn(sys, account{balance: 10})
	fmt.Println(withdraw.Ask(context.Background(), a, 20))
	closeIt.Send(sys, a, struct{}{})
	_, err := withdraw.Ask(context.Background(), a, 1)
	fmt.Println(err, errors.Is(err, actor.ErrStopped))
	sys.Stop()
	// Output:
	// 10 not enough
	// gallop: actor stopped true
}

// A Behaviour fixes the message and the type of its receiver. Sending never blocks.
func ExampleBehaviour_Send() {
	sys := actor.Start()
	a := accountType.Spawn(sys, account{})
	deposit.Send(sys, a, 1) // deposit.Send(sys, a, "1") would not compile
	_ = sys.Run()
	fmt.Println("messages run:", sys.Stats().Messages)
	// Output: messages run: 1
}

// A Ref is a handle: it can be copied, compared and sent.
func ExampleRef() {
	sys := actor.Start()
	a, b := accountType.Spawn(sys, account{}), accountType.Spawn(sys, account{})
	var none actor.Ref[account]
	same := a
	fmt.Println(a == same, a == b, none.IsZero(), none)
	fmt.Println(a, a.ID() != b.ID())
	sys.Stop()
	// Output:
	// true false true none
	// account#1 true
}

// A Type may have a batch, or a thread, of its own.
func ExampleNewType() {
	type window struct{ title string }
	windowType := actor.NewType[window]("window", actor.WithPinnedThread(), actor.WithBatch(10))
	rename := actor.Declare[string](windowType, "rename")
	windowType.Table(rename.Handle(func(w *window, _ *actor.Context, title string) {
		w.title = title
		fmt.Println("always on the same thread:", w.title)
	}))

	sys := actor.Start()
	rename.Send(sys, windowType.Spawn(sys, window{}), "gallop")
	_ = sys.Run()
	fmt.Println(windowType.Name())
	// Output:
	// always on the same thread: gallop
	// window
}

// A table is made of entries. It may be filled in several steps before the first spawn, so entries
// can come from other packages.
func ExampleType_Table() {
	type point struct{ x, y int }
	pointType := actor.NewType[point]("point")
	move := actor.Declare[int](pointType, "move")
	show := actor.Declare[struct{}](pointType, "show")
	entries := []actor.Entry[point]{
		move.Handle(func(p *point, _ *actor.Context, by int) { p.x, p.y = p.x+by, p.y-by }),
		show.Handle(func(p *point, _ *actor.Context, _ struct{}) { fmt.Println(p.x, p.y) }),
	}
	pointType.Table(entries...)

	sys := actor.Start()
	p := pointType.SpawnFunc(sys, func(p *point) { p.x = 1 })
	move.Send(sys, p, 2)
	show.Send(sys, p, struct{}{})
	_ = sys.Run()
	// Output: 3 -2
}

// A topic needs to know only a Handler of each subscriber.
func ExampleHandler() {
	type printer struct{}
	printerType := actor.NewType[printer]("printer")
	printSum := actor.Declare[int](printerType, "print")
	printerType.Table(printSum.Handle(func(_ *printer, _ *actor.Context, n int) {
		fmt.Println("printed", n)
	}))

	sys := actor.Start(actor.WithWorkers(1))
	a := accountType.Spawn(sys, account{})
	topic := []actor.Handler[int]{deposit.To(a), printSum.To(printerType.Spawn(sys, printer{}))}
	for _, subscriber := range topic {
		subscriber.Send(sys, 5)
	}
	fmt.Println(withdraw.Ask(context.Background(), a, 0))
	_ = sys.Run()
	// Unordered output:
	// 5 <nil>
	// printed 5
}

// A saver withdraws from an account without waiting: the reply is a message.
type saver struct{ from actor.Ref[account] }

func (s *saver) Save(c *actor.Context, amount int) {
	actor.AskTo(c, withdraw, s.from, amount, saved)
}
func (s *saver) Saved(_ *actor.Context, left actor.Result[int]) {
	fmt.Println("left:", left.Value, left.Err)
}

var (
	saverType = actor.NewType[saver]("saver")
	save      = actor.Declare[int](saverType, "save")
	saved     = actor.Declare[actor.Result[int]](saverType, "saved")
	_         = saverType.Table(save.Handle((*saver).Save), saved.Handle((*saver).Saved))
)

// An ask from inside never blocks: the Result comes as a message.
func ExampleAskTo() {
	sys := actor.Start()
	s := saverType.Spawn(sys, saver{accountType.Spawn(sys, account{balance: 5})})
	save.Send(sys, s, 3)
	_ = sys.Run()
	// Output: left: 2 <nil>
}

// A reader waits for something that would block its worker.
type reader struct{}

func (r *reader) Read(c *actor.Context, name string) {
	actor.Pipe(c, readDone, func(context.Context) (string, error) {
		return strings.ToUpper(name), nil // a database, a socket, a file
	})
}

func (r *reader) Done(_ *actor.Context, text actor.Result[string]) {
	fmt.Println(text.Value, text.Err)
}

var (
	readerType = actor.NewType[reader]("reader")
	read       = actor.Declare[string](readerType, "read")
	readDone   = actor.Declare[actor.Result[string]](readerType, "done")
	_          = readerType.Table(read.Handle((*reader).Read), readDone.Handle((*reader).Done))
)

// Work that blocks goes into a goroutine; its Result comes as a message.
func ExamplePipe() {
	sys := actor.Start()
	read.Send(sys, readerType.Spawn(sys, reader{}), "text")
	_ = sys.Run() // the system is held until the result is there
	// Output: TEXT <nil>
}

// A Context gives a behaviour access to the runtime: its own actor, other actors, the time, random
// numbers, and its end.
func ExampleContext() {
	type dice struct{}
	diceType := actor.NewType[dice]("dice")
	roll := actor.Declare[int](diceType, "roll")
	diceType.Table(roll.Handle(func(_ *dice, c *actor.Context, n int) {
		self := actor.Self[dice](c)
		side := c.Rand().IntN(6) + 1
		fmt.Println(self.ID() == c.ActorID(), side >= 1 && side <= 6, c.Now().IsZero())
		if n--; n == 0 {
			c.Stop()
			return
		}
		roll.Send(c, self, n) // inside, the Context is the sender
	}))

	sys := actor.Start(actor.WithRandSeed(1))
	roll.Send(sys, diceType.Spawn(sys, dice{}), 2)
	_ = sys.Run()
	fmt.Println("stopped:", sys.Stats().Stopped)
	// Output:
	// true true false
	// true true false
	// stopped: 1
}

// A Sender is a *Context inside and a *System outside, so one helper can serve both.
func ExampleSender() {
	twice := func(from actor.Sender, a actor.Ref[account], n int) {
		deposit.Send(from, a, n)
		deposit.Send(from, a, n)
	}
	sys := actor.Start()
	a := accountType.Spawn(sys, account{})
	twice(sys, a, 4)
	fmt.Println(withdraw.Ask(context.Background(), a, 1))
	sys.Stop()
	// Output: 7 <nil>
}

// Wait returns when nothing is queued or running, and the system goes on. Run waits in the same way
// and then stops the system. Shutdown first refuses new work from outside.
func ExampleSystem_Wait() {
	sys := actor.Start()
	a := accountType.Spawn(sys, account{})
	deposit.Send(sys, a, 1)
	fmt.Println(sys.Wait(context.Background()), sys.Stats().Messages)
	deposit.Send(sys, a, 1)
	fmt.Println(sys.Shutdown(context.Background()), sys.Stats().Messages)
	fmt.Println(deposit.TrySend(sys, a, 1))
	// Output:
	// <nil> 1
	// <nil> 2
	// gallop: system stopped
}

// A Hold keeps the system up for a goroutine outside.
func ExampleSystem_Hold() {
	sys := actor.Start()
	a := accountType.Spawn(sys, account{})
	release, err := sys.Hold()
	if err != nil {
		return
	}
	go func() {
		defer release()
		for range 100 {
			deposit.Send(sys, a, 1)
		}
	}()
	_ = sys.Run() // not before release
	fmt.Println(sys.Stats().Messages)
	// Output: 100
}

// TrySend returns an error where Send would add to a mailbox that is behind. SendWait waits.
func ExampleBehaviour_TrySend() {
	type slow struct{}
	slow1 := actor.NewType[slow]("slow", actor.WithBatch(1)) // one message at a time
	work := actor.Declare[chan bool](slow1, "work")
	slow1.Table(work.Handle(func(_ *slow, _ *actor.Context, c chan bool) {
		c <- true
		<-c
	}))

	sys := actor.Start(actor.WithWorkers(1))
	s := slow1.Spawn(sys, slow{})
	first, second := make(chan bool), make(chan bool)
	work.Send(sys, s, first)
	<-first // it works on the first
	work.Send(sys, s, second)
	work.Send(sys, s, second)
	first <- true
	// It works on the second, and one more waits: it does not keep up.
	<-second
	fmt.Println(work.TrySend(sys, s, second))

	go func() {
		second <- true
		<-second
		second <- true
	}()
	third := make(chan bool, 2)
	fmt.Println(work.SendWait(context.Background(), s, third))
	_ = sys.Run()
	// Output:
	// gallop: actor overloaded
	// <nil>
}

// Every message that will not run is reported. So is every panic. A panic ends its actor and
// nothing else.
func ExampleStart() {
	sys := actor.Start(
		actor.WithWorkers(2),
		actor.WithBatch(50),
		actor.WithLogger(slog.New(slog.NewTextHandler(os.Stderr, nil))),
		actor.WithHooks(actor.Hooks{DeadLetter: func(l actor.DeadLetter) {
			fmt.Println("dead letter:", l.Type, l.Behaviour, l.Message, l.Reason)
		}}),
		actor.WithHooks(actor.Hooks{Panic: func(r actor.PanicReport) {
			fmt.Println("panic:", r.Type, r.Behaviour, r.Value)
		}}),
	)
	a := accountType.Spawn(sys, account{})
	crashIt.Send(sys, a, struct{}{})
	_ = sys.Wait(context.Background())
	deposit.Send(sys, a, 7)
	fmt.Println(sys.Workers(), "workers")
	sys.Stop()
	// Output:
	// panic: account crash a bug
	// dead letter: account deposit 7 gallop: actor stopped: actor panicked: a bug
	// 2 workers
}

// Options are checked together.
func ExampleOption() {
	defer func() { fmt.Println(recover()) }()
	quick := []actor.Option{actor.WithWorkers(0), actor.WithBatch(-1)}
	actor.Start(quick...)
	// Output:
	// gallop: Start: WithWorkers(0): want 1 to 1024
	// WithBatch(-1): want at least 1
}

// The error of an ask whose behaviour panicked has the value of the panic.
func ExamplePanicError() {
	type bug struct{}
	bugType := actor.NewType[bug]("bug")
	ask := actor.DeclareAsk[struct{}, int](bugType, "ask")
	bugType.Table(ask.Handle(func(*bug, *actor.Context, struct{}) (int, error) { panic("a bug") }))

	sys := actor.Start(actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	_, err := ask.Ask(context.Background(), bugType.Spawn(sys, bug{}), struct{}{})
	var p *actor.PanicError
	fmt.Println(errors.As(err, &p), p.Value, errors.Is(err, actor.ErrPanicked))
	sys.Stop()
	// Output: true a bug true
}

// Stats are exact while the system is quiescent.
func ExampleStats() {
	sys := actor.Start(actor.WithWorkers(1))
	a := accountType.Spawn(sys, account{})
	for range 10 {
		deposit.Send(sys, a, 1)
	}
	actor.Stop(sys, accountType.Spawn(sys, account{}))
	_ = sys.Run()
	st := sys.Stats()
	var workers []actor.WorkerStats = st.Workers
	messages := uint64(0)
	for _, w := range workers {
		messages += w.Messages
	}
	fmt.Println(st.Messages, messages, st.Spawned, st.Stopped, st.Panics, st.DeadLetters)
	// Output: 10 10 2 1 0 0
}

// A caller can give a request up. The request runs all the same, and its reply is discarded.
func ExampleAskBehaviour_Ask_timeOut() {
	type sleeper struct{}
	sleeperType := actor.NewType[sleeper]("sleeper")
	sleep := actor.DeclareAsk[chan bool, int](sleeperType, "sleep")
	sleeperType.Table(sleep.Handle(func(_ *sleeper, _ *actor.Context, wake chan bool) (int, error) {
		<-wake
		return 1, nil
	}))

	sys := actor.Start()
	wake := make(chan bool)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := sleep.Ask(ctx, sleeperType.Spawn(sys, sleeper{}), wake)
	fmt.Println(err)
	close(wake)
	_ = sys.Run()
	// Output: context deadline exceeded
}

// A magazine counts its volumes in an arena of its own, which the GC does not scan.
type magazine struct{ volumes heap.TextMap[int] }

func (s *magazine) put(c *actor.Context, title string) {
	n, _ := s.volumes.Get(c.Heap(), title)
	s.volumes.Put(c.Heap(), title, n+1)
}

func (s *magazine) copies(c *actor.Context, title string) (int, error) {
	n, _ := s.volumes.Get(c.Heap(), title)
	return n, nil
}

var (
	libraryType   = actor.NewType[magazine]("rack")
	libraryPut    = actor.Declare[string](libraryType, "put")
	libraryCopies = actor.DeclareAsk[string, int](libraryType, "copies")
	_             = libraryType.Table(libraryPut.Handle((*magazine).put),
		libraryCopies.Handle((*magazine).copies))
)

// The arena is collected between behaviours, and is freed with its actor.
func ExampleContext_Heap() {
	sys := actor.Start()
	s := libraryType.Spawn(sys, magazine{})
	libraryPut.Send(sys, s, "Dune")
	libraryPut.Send(sys, s, "Dune")
	fmt.Println(libraryCopies.Ask(context.Background(), s, "Dune"))
	sys.Stop()
	// Output: 2 <nil>
}

// A behaviour that blocks says so. Other actors run meanwhile.
func ExampleContext_Blocking() {
	type db struct{}
	t := actor.NewType[db]("db")
	query := actor.Declare[chan string](t, "query")
	t.Table(query.Handle(func(_ *db, c *actor.Context, answer chan string) {
		var row string
		c.Blocking(func() { row = <-answer })
		fmt.Println("got", row)
	}))
	sys := actor.Start(actor.WithWorkers(1))
	first, second := make(chan string, 1), make(chan string, 1)
	query.Send(sys, t.Spawn(sys, db{}), first)
	second <- "a row"
	query.Send(sys, t.Spawn(sys, db{}), second) // is not kept waiting by the first
	first <- "another"
	_ = sys.Run()
	// Unordered output:
	// got a row
	// got another
}

// Behaviours that run for long are reported.
func ExampleHooks() {
	type miner struct{}
	t := actor.NewType[miner]("miner")
	dig := actor.Declare[<-chan bool](t, "dig")
	t.Table(dig.Handle(func(_ *miner, _ *actor.Context, enough <-chan bool) { <-enough }))
	enough := make(chan bool)
	const limit = 50 * time.Millisecond
	sys := actor.Start(actor.WithLongTurn(limit),
		actor.WithHooks(actor.Hooks{LongTurn: func(r actor.LongTurnReport) {
			fmt.Println(r.Type, r.Behaviour, r.AtLeast >= limit)
			close(enough)
		}}))
	dig.Send(sys, t.Spawn(sys, miner{}), enough)
	_ = sys.Run()
	// Output: miner dig true
}
