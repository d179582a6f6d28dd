package actor_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/actor"
)

// till counts what it is given, and cannot take what is negative.
type till struct{ sum int }

var errNegative = errors.New("negative")

func (t *till) Take(c *actor.Context, n int) {
	if n < 0 {
		c.Exit(errNegative)
		return
	}
	t.sum += n
	fmt.Println("sum", t.sum)
}

// shop looks after one till, in the way that care says.
type shop struct {
	care actor.Care[shop]
	till actor.Ref[till]
}

func (s *shop) Open(c *actor.Context, _ actor.None) {
	s.care.Fell = shopFell
	s.till = actor.SpawnUnder(c, tillType, func(*till) {}, s.care)
	for _, n := range []int{1, -1, 2} {
		tillTake.Send(c, s.till, n)
	}
}

func (s *shop) Fell(c *actor.Context, f actor.Fallen) {
	fmt.Println("fell:", f.Reason)
	actor.Restart(c, f.Ref)
}

var (
	tillType = actor.NewType[till]("till")
	tillTake = actor.Declare[int](tillType, "take")
	shopType = actor.NewType[shop]("shop")
	shopOpen = actor.Declare[actor.None](shopType, "open")
	shopFell = actor.Declare[actor.Fallen](shopType, "fell")
)

func init() {
	tillType.Table(tillTake.Do((*till).Take))
	shopType.Table(shopOpen.Do((*shop).Open), shopFell.Do((*shop).Fell))
}

func openShop(care actor.Care[shop], o ...actor.Option) {
	sys := actor.Start(append(o, actor.Workers(1))...)
	shopOpen.Send(sys, shopType.Spawn(sys, shop{care: care}), actor.None{})
	_ = sys.Run()
}

// A Decision may depend on the reason. Resumed, the till goes on with its sum, and its
// supervisor hears nothing.
func ExampleDecision() {
	openShop(actor.Care[shop]{Decide: func(reason error) actor.Decision {
		if errors.Is(reason, errNegative) {
			return actor.DecideResume
		}
		return actor.DecideRestart
	}})
	// Output:
	// sum 1
	// sum 3
}

// With KeepMail, the default, what waits for the till runs after the restart, in a new
// life. With DropMail it becomes a dead letter.
func ExampleMailPolicy() {
	openShop(actor.Care[shop]{})
	openShop(actor.Care[shop]{Mail: actor.DropMail}, actor.OnDeadLetter(func(l actor.DeadLetter) {
		fmt.Println("dead:", l.Message, errors.Is(l.Reason, actor.ErrRestarted))
	}))
	// Output:
	// sum 1
	// fell: negative
	// sum 2
	// sum 1
	// fell: negative
	// dead: 2 true
}

// A normal end may carry information, which those hear that watch or join the actor.
func ExampleNormalError() {
	sys := actor.Start()
	defer sys.Stop()
	r := tillType.Spawn(sys, till{})
	actor.StopWith(sys, r, actor.Normal(errors.New("sold out")))
	down, _ := actor.Join(context.Background(), sys, r)
	var normal *actor.NormalError
	fmt.Println(errors.As(down.Reason, &normal), normal.Info)
	// Output: true sold out
}
