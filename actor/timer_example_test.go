package actor_test

import (
	"context"
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// A lamp goes out when it was not touched for a minute.
type lamp struct{ off actor.Timer }

func (l *lamp) Touch(c *actor.Context, _ struct{}) {
	l.off.Cancel(c)
	l.off = actor.After(c, time.Minute, lampOff, "out")
}

func (l *lamp) Off(c *actor.Context, how string) {
	fmt.Println(how, "at", c.Now().Format("15:04:05"))
}

var (
	lampType = actor.NewType[lamp]("lamp")
	touch    = actor.Declare[struct{}](lampType, "touch")
	lampOff  = actor.Declare[string](lampType, "off")
	_        = lampType.Table(touch.Handle((*lamp).Touch), lampOff.Handle((*lamp).Off))
)

// A timer sends its actor a message. On a virtual clock a test need not wait for it.
func ExampleAfter() {
	clock := actor.NewVirtualClock(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC))
	sys := actor.Start(actor.WithClock(clock))
	l := lampType.Spawn(sys, lamp{})
	ctx := context.Background()
	touch.Send(sys, l, struct{}{})
	_ = clock.Advance(ctx, 50*time.Second)
	touch.Send(sys, l, struct{}{})
	_ = clock.Advance(ctx, 50*time.Second) // the first minute is over, and was canceled
	_ = clock.Advance(ctx, time.Hour)
	sys.Stop()
	// Output: out at 12:01:50
}

// Every gives a heartbeat, until its Timer is canceled.
func ExampleEvery() {
	type heart struct {
		beats int
		timer actor.Timer
	}
	heartType := actor.NewType[heart]("heart")
	live := actor.Declare[struct{}](heartType, "live")
	beat := actor.Declare[int](heartType, "beat")
	heartType.Table(
		live.Handle(func(h *heart, c *actor.Context,
			_ struct{}) {
			h.timer = actor.Every(c, time.Millisecond, beat, 3)
		}),
		beat.Handle(func(h *heart, c *actor.Context, last int) {
			h.beats++
			fmt.Println("beat", h.beats)
			if h.beats == last {
				fmt.Println("in time:", h.timer.Cancel(c))
			}
		}))
	sys := actor.Start()
	live.Send(sys, heartType.Spawn(sys, heart{}), struct{}{})
	_ = sys.Run() // an armed timer holds the system
	// Output:
	// beat 1
	// beat 2
	// beat 3
	// in time: true
}

// A VirtualClock goes as far as it is told. It stops at each event on the way.
func ExampleVirtualClock() {
	clock := actor.NewVirtualClock(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC))
	sys := actor.Start(actor.WithClock(clock))
	l := lampType.Spawn(sys, lamp{})
	touch.Send(sys, l, struct{}{})
	_ = sys.Wait(context.Background()) // time stands still and holds no system
	fmt.Println(clock.Next())
	_ = clock.Advance(context.Background(), 24*time.Hour)
	fmt.Println(clock.Now().Format(time.DateTime))
	sys.Stop()
	// Output:
	// 1m0s true
	// out at 12:01:00
	// 2026-01-03 12:00:00
}

// A name is looked up once, and gives a ref.
func ExampleLookup() {
	sys := actor.Start()
	a, err := accountType.SpawnNamed(sys, "savings", account{balance: 10})
	fmt.Println(a, err)
	_, err = accountType.SpawnNamed(sys, "savings", account{})
	fmt.Println(err)
	found, err := actor.Lookup[account](sys, "savings")
	fmt.Println(found == a, err)
	_, err = actor.Lookup[account](sys, "current")
	fmt.Println(err)
	sys.Stop()
	// Output:
	// account#1 <nil>
	// gallop: name taken: "savings"
	// true <nil>
	// gallop: no actor of that name: "current"
}

// Status describes the load of an actor, for code that chooses between several actors.
func ExampleRef_Status() {
	sys := actor.Start()
	a := accountType.Spawn(sys, account{})
	fmt.Println(a.Status())
	actor.Stop(sys, a)
	_ = sys.Wait(context.Background())
	fmt.Println(a.Status(), a.Status() == actor.StatusEnded)
	sys.Stop()
	// Output:
	// idle
	// ended true
}

// A request with a time-out, on a virtual clock: no answer comes within a second.
func ExampleAskOption() {
	ctx, clock := context.Background(), actor.NewVirtualClock(time.Unix(0, 0))
	sys := actor.Start(actor.WithClock(clock), actor.WithWorkers(2))
	slow, asked := puppetType.Spawn(sys, puppet{}), make(chan struct{})
	heardBy := make(chan error)
	caller := puppetType.Spawn(sys, puppet{note: func(_ *actor.Context, r actor.Result[any]) {
		heardBy <- r.Err
	}})
	release := make(chan struct{})
	do.Send(sys, slow, func(*puppet, *actor.Context) { <-release })
	do.Send(sys, caller, func(_ *puppet, c *actor.Context) {
		actor.AskTo(c, try, slow, func(*puppet, *actor.Context) (any, error) {
			return "late", nil
		}, note, actor.Within(time.Second))
		close(asked)
	})
	<-asked
	clock.Jump(time.Second)
	fmt.Println(<-heardBy)
	close(release)
	_ = sys.Shutdown(ctx)
	// Output: gallop: no reply in time: context deadline exceeded
}
