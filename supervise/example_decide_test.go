package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

var errNegative = errors.New("negative")

// cashbox adds up its messages, and panics at a negative one.
type cashbox struct{ sum int }

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
	cashboxFill = actor.Declare[[]int](cashboxType, "fill")
)

func init() {
	cashboxType.Table(cashboxTake.Handle((*cashbox).Take), cashboxFill.Handle((*cashbox).Fill))
}

// Fill sends the cashbox all amounts, so that they wait in its mailbox when it takes the first.
func (t *cashbox) Fill(c *actor.Context, amounts []int) {
	for _, n := range amounts {
		cashboxTake.Send(c, actor.Self[cashbox](c), n)
	}
}

// fillBox sends a good, a bad and a good message to a cashbox that is supervised as box declares.
func fillBox(box supervise.Worker[cashbox], o ...actor.Option) {
	sys := actor.Start(append(o, actor.WithWorkers(1),
		actor.WithLogger(slog.New(slog.DiscardHandler)))...)
	ctx := context.Background()
	box.Name, box.Type = "box", cashboxType
	box.Backoff = supervise.NoBackoff
	root, err := supervise.StartWait(ctx, sys, supervise.Spec{Name: "kiosk",
		Children: []supervise.Child{box}})
	if err != nil {
		fmt.Println(err)
	}
	r, _ := supervise.Find[cashbox](ctx, root, "box")
	cashboxFill.Send(sys, r, []int{1, -1, 2})
	_ = sys.Wait(ctx) // the order to end would overtake mail that waits for the box
	_ = actor.DrainWait(ctx, root)
	_ = sys.Run()
}

// The result of Decide may depend on the reason. Resumed, the cashbox goes on with its sum.
func ExampleDecision() {
	fillBox(supervise.Worker[cashbox]{Decide: func(reason error) supervise.Decision {
		if errors.Is(reason, errNegative) {
			return supervise.DecideResume
		}
		return supervise.DecideRestart
	}})
	// Output:
	// sum 1
	// sum 3
}

// Mail that waits for the cashbox runs after the restart, in a new life. With DropMail it becomes a
// dead letter.
func ExampleWorker_dropMail() {
	fillBox(supervise.Worker[cashbox]{})
	fillBox(supervise.Worker[cashbox]{DropMail: true}, actor.WithHooks(actor.Hooks{
		DeadLetter: func(l actor.DeadLetter) {
			fmt.Println("dead:", l.Message, errors.Is(l.Reason, actor.ErrRestarted))
		}}))
	// Output:
	// sum 1
	// sum 2
	// sum 1
	// dead: 2 true
}
