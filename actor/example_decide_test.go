package actor_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/actor"
)

// cashbox counts what it is given, and cannot take what is negative.
type cashbox struct{ sum int }

var errNegative = errors.New("negative")

func (t *cashbox) Take(c *actor.Context, n int) {
	if n < 0 {
		c.Exit(errNegative)
		return
	}
	t.sum += n
	fmt.Println("sum", t.sum)
}

var (
	cashboxType = actor.NewType[cashbox]("cashbox")
	cashboxTake = actor.Declare[int](cashboxType, "take")
)

func init() { cashboxType.Table(cashboxTake.Handle((*cashbox).Take)) }

// A normal end may carry information, which those hear that watch or join the actor.
func ExampleNormalError() {
	sys := actor.Start()
	defer sys.Stop()
	r := cashboxType.Spawn(sys, cashbox{})
	actor.StopWith(sys, r, actor.Normal(errors.New("sold out")))
	down, _ := actor.Join(context.Background(), r)
	var normal *actor.NormalError
	fmt.Println(errors.As(down.Reason, &normal), normal.Info)
	// Output: true sold out
}
