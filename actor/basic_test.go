package actor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

type counter struct{ n int }

func (c *counter) Add(ctx *actor.Context, by int) { c.n += by }
func (c *counter) Get(ctx *actor.Context, _ struct{}) (int, error) {
	return c.n, nil
}
func (c *counter) Boom(ctx *actor.Context, _ struct{}) (int, error) { panic("boom") }

var (
	counterType = actor.NewType[counter]("counter")
	addSize     = actor.Declare[int](counterType, "add")
	get         = actor.DeclareAsk[struct{}, int](counterType, "get")
	boom        = actor.DeclareAsk[struct{}, int](counterType, "boom")
	_           = counterType.Table(addSize.Handle((*counter).Add), get.Handle((*counter).Get),
		boom.Handle((*counter).Boom))
)

func TestBasic(t *testing.T) {
	sys := actor.Start()
	c := counterType.Spawn(sys, counter{})
	for i := 1; i <= 1000; i++ {
		addSize.Send(sys, c, i)
	}
	n, err := get.Ask(context.Background(), c, struct{}{})
	if n != 500500 || err != nil {
		t.Fatal(n, err)
	}
	if err := sys.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	_, err = boom.Ask(context.Background(), c, struct{}{})
	if !errors.Is(err, actor.ErrPanicked) {
		t.Fatal(err)
	}
	addSize.Send(sys, c, 1)
	if err := sys.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", sys.Stats())
}

type pinger struct {
	peer actor.Ref[pinger]
	n    int
}

func (p *pinger) Hit(ctx *actor.Context, n int) {
	p.n++
	if n > 0 {
		hit.Send(ctx, p.peer, n-1)
	}
}
func (p *pinger) Meet(ctx *actor.Context, r actor.Ref[pinger]) { p.peer = r }

var (
	pingerType = actor.NewType[pinger]("pinger")
	hit        = actor.Declare[int](pingerType, "hit")
	meet       = actor.Declare[actor.Ref[pinger]](pingerType, "meet")
	_          = pingerType.Table(hit.Handle((*pinger).Hit), meet.Handle((*pinger).Meet))
)

func benchPingPong(b *testing.B, workers, pairs int) {
	sys := actor.Start(actor.WithWorkers(workers))
	b.ReportAllocs()
	b.ResetTimer()
	rel, _ := sys.Hold()
	for range pairs {
		x := pingerType.Spawn(sys, pinger{})
		y := pingerType.Spawn(sys, pinger{peer: x})
		meet.Send(sys, x, y)
		hit.Send(sys, x, b.N/pairs)
	}
	rel()
	if err := sys.Run(); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	if testing.Verbose() {
		b.Logf("%+v", sys.Stats())
	}
}

func BenchmarkPingPong1(b *testing.B) { benchPingPong(b, 1, 1) }
func BenchmarkPingPong2(b *testing.B) { benchPingPong(b, 2, 1) }
func BenchmarkPairs1(b *testing.B)    { benchPingPong(b, 1, 64) }
func BenchmarkPairs2(b *testing.B)    { benchPingPong(b, 2, 64) }
func BenchmarkAsk(b *testing.B) {
	sys := actor.Start()
	c := counterType.Spawn(sys, counter{})
	b.ReportAllocs()
	for b.Loop() {
		get.Ask(context.Background(), c, struct{}{})
	}
	sys.Stop()
}

type chanReq struct{ reply chan int }

func BenchmarkChanAsk(b *testing.B) {
	c := make(chan chanReq, 128)
	go func() {
		for r := range c {
			r.reply <- 1
		}
	}()
	rep := make(chan int, 1)
	for b.Loop() {
		c <- chanReq{rep}
		<-rep
	}
	close(c)
}
func BenchmarkChanPingPong(b *testing.B) {
	x, y := make(chan int, 128), make(chan int, 128)
	go func() {
		for v := range x {
			y <- v
		}
		close(y)
	}()
	for i := 0; i < b.N/2; i++ {
		x <- 1
		<-y
	}
	close(x)
}

func BenchmarkAskCancel(b *testing.B) {
	sys := actor.Start()
	c := counterType.Spawn(sys, counter{})
	b.ReportAllocs()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for b.Loop() {
		get.Ask(ctx, c, struct{}{})
	}
	sys.Stop()
}

// TestStop_InTheMiddleOfATurn: "The actor ends after the message that it is handling", also if more
// messages came to the same turn.
func TestStop_InTheMiddleOfATurn(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(1), dead.option())
	r := puppetType.Spawn(sys, puppet{})
	entered, release := make(chan struct{}), make(chan struct{})
	block := func(*puppet, *actor.Context) { entered <- struct{}{}; <-release }
	do.Send(sys, r, block) // the following messages come to one turn
	receive(t, "the first turn", entered)
	do.Send(sys, r, block)
	ran := 0
	for range 5 {
		do.Send(sys, r, func(*puppet, *actor.Context) { ran++ })
	}
	release <- struct{}{}
	receive(t, "the second turn", entered)
	actor.Stop(sys, r)
	release <- struct{}{}
	must(t, sys.Wait(soon(t)))
	equal(t, "ran behind Stop", ran, 0)
	equal(t, "dead letters", dead.n.Load(), 5)
}
