package actor_test

import (
	"fmt"

	"github.com/gallop-go/gallop/actor"
)

// summer adds up a range of numbers, in parts.
type summer struct{ sum int }

func (s *summer) Add(c *actor.Context, r [2]int) {
	for i := r[0]; i < r[1]; i++ {
		s.sum += i
		if c.Gas(1); c.ShouldYield() {
			actor.Yield(c, addRange, [2]int{i + 1, r[1]})
			return
		}
	}
	fmt.Println(s.sum)
}

var (
	summerType = actor.NewType[summer]("summer", actor.WithGas(1000))
	addRange   = actor.Declare[[2]int](summerType, "add")
	_          = summerType.Table(addRange.Handle((*summer).Add))
)

// A long computation charges gas. When the gas is spent, it continues in a later turn, and other
// actors have their turns in between.
func ExampleYield() {
	sys := actor.Start(actor.WithWorkers(1))
	addRange.Send(sys, summerType.Spawn(sys, summer{}), [2]int{0, 10_000})
	_ = sys.Run()
	// Output: 49995000
}

// An actor with a mailbox for two messages, such as a price display, keeps the newest ones.
func ExampleOverflow() {
	type ticker struct{}
	typ := actor.NewType[ticker]("ticker", actor.WithBound(2, actor.OverflowDropOldest))
	price := actor.Declare[int](typ, "price")
	typ.Table(price.Handle(func(_ *ticker, _ *actor.Context, p int) { fmt.Println("price", p) }))

	sys := actor.Start(actor.WithDeterministic(1),
		actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
			fmt.Println(d.Message, d.Reason)
		}}))
	feed := actor.NewType[ticker]("feed")
	begin := actor.Declare[struct{}](feed, "begin")
	to := typ.Spawn(sys, ticker{})
	feed.Table(begin.Handle(func(_ *ticker, c *actor.Context, _ struct{}) {
		for p := range 3 {
			price.Send(c, to, p)
		}
	}))
	begin.Send(sys, feed.Spawn(sys, ticker{}), struct{}{})
	_ = sys.Run()
	// Output:
	// 0 gallop: dropped for a newer message
	// price 1
	// price 2
}

// A basin is full. It waits for a word from the spring, which is about to send it more.
type basin struct{ from actor.Ref[spring] }

func (b *basin) Fill(c *actor.Context, _ struct{}) {
	c.ApplyPressure()
	emit.Send(c, b.from, word{actor.Self[basin](c)})
	flush.Send(c, b.from, word{actor.Self[basin](c)})
}

func (b *basin) Take(*actor.Context, int) {}

func (b *basin) Flushed(c *actor.Context, _ struct{}) {
	c.ReleasePressure()
	fmt.Println("flushed")
}

// A spring is muted for the basin after it has emitted.
type spring struct{}

type word struct{ to actor.Ref[basin] }

func (*spring) Emit(c *actor.Context, m word)  { take.Send(c, m.to, 1) }
func (*spring) Flush(c *actor.Context, m word) { flushed.Send(c, m.to, struct{}{}) }

var (
	basinType = actor.NewType[basin]("basin")
	fillUp    = actor.Declare[struct{}](basinType, "fill")
	take      = actor.Declare[int](basinType, "take")
	flushed   = actor.Declare[struct{}](basinType, "flushed")
	_         = basinType.Table(fillUp.Handle((*basin).Fill), take.Handle((*basin).Take),
		flushed.Handle((*basin).Flushed))
	springType = actor.NewType[spring]("spring")
	emit       = actor.Declare[word](springType, "emit")
	flush      = actor.Declare[word](springType, "flush")
	_          = springType.Table(emit.Handle((*spring).Emit), flush.Handle((*spring).Flush))
)

// A spring waits for a basin under pressure, and the basin waits for the spring. The runtime lets
// the spring go on, and the report names both.
func ExamplePressureDeadlock() {
	sys := actor.Start(actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{PressureDeadlock: func(r actor.PressureDeadlock) {
			fmt.Println(r.Pressed.Type, "is under pressure; deadlock:", r.Deadlock())
			for _, w := range r.Waits {
				fmt.Println(w.Who.Type, "waits for", w.For.Type, "and has its", w.From)
			}
		}}))
	b := basinType.Spawn(sys, basin{springType.Spawn(sys, spring{})})
	fillUp.Send(sys, b, struct{}{})
	_ = sys.Run()
	// Output:
	// basin is under pressure; deadlock: true
	// spring waits for basin and has its flush
	// flushed
}

// A report prints actors as a Ref does.
func ExampleActorName() {
	w := actor.WaitEdge{Who: actor.ActorName{Type: "spring", ID: 2},
		For: actor.ActorName{Type: "basin", ID: 1}, Mail: 3, From: "flush"}
	fmt.Println(w.Who)
	fmt.Println(w)
	// Output:
	// spring#2
	// spring#2 waits for basin#1 with 3 messages, among them flush from the actor under pressure
}
