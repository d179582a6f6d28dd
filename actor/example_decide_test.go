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

// kiosk looks after one cashbox, in the way that care says.
type kiosk struct {
	care    actor.Care[kiosk]
	cashbox actor.Ref[cashbox]
}

func (s *kiosk) Open(c *actor.Context, _ struct{}) {
	s.care.Fell = kioskFell
	s.cashbox = actor.SpawnUnder(c, cashboxType, func(*cashbox) {}, s.care)
	for _, n := range []int{1, -1, 2} {
		cashboxTake.Send(c, s.cashbox, n)
	}
}

func (s *kiosk) Fell(c *actor.Context, f actor.ChildDown) {
	fmt.Println("fell:", f.Reason)
	actor.Restart(c, f.Ref)
}

var (
	cashboxType = actor.NewType[cashbox]("cashbox")
	cashboxTake = actor.Declare[int](cashboxType, "take")
	kioskType   = actor.NewType[kiosk]("kiosk")
	kioskOpen   = actor.Declare[struct{}](kioskType, "open")
	kioskFell   = actor.Declare[actor.ChildDown](kioskType, "fell")
)

func init() {
	cashboxType.Table(cashboxTake.Handle((*cashbox).Take))
	kioskType.Table(kioskOpen.Handle((*kiosk).Open), kioskFell.Handle((*kiosk).Fell))
}

func openKiosk(care actor.Care[kiosk], o ...actor.Option) {
	sys := actor.Start(append(o, actor.WithWorkers(1))...)
	kioskOpen.Send(sys, kioskType.Spawn(sys, kiosk{care: care}), struct{}{})
	_ = sys.Run()
}

// A Decision may depend on the reason. Resumed, the cashbox goes on with its sum, and its
// supervisor hears nothing.
func ExampleDecision() {
	openKiosk(actor.Care[kiosk]{Decide: func(reason error) actor.Decision {
		if errors.Is(reason, errNegative) {
			return actor.DecideResume
		}
		return actor.DecideRestart
	}})
	// Output:
	// sum 1
	// sum 3
}

// With KeepMail, the default, what waits for the cashbox runs after the restart, in a new
// life. With DropMail it becomes a dead letter.
func ExampleMailPolicy() {
	openKiosk(actor.Care[kiosk]{})
	openKiosk(actor.Care[kiosk]{Mail: actor.DropMail},
		actor.WithHooks(actor.Hooks{DeadLetter: func(l actor.DeadLetter) {
			fmt.Println("dead:", l.Message, errors.Is(l.Reason, actor.ErrRestarted))
		}}))
	// Output:
	// sum 1
	// fell: negative
	// sum 2
	// sum 1
	// dead: 2 true
	// fell: negative
}

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
