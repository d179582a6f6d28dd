package inspect

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// The reason of a dead letter that the runtime has made is found without a goroutine and without
// memory: there may be a million a second.
func TestReasonOf_TheRuntimesOwn(t *testing.T) {
	typ := actor.NewType[int]("quitter")
	quit := actor.Declare[error](typ, "quit")
	typ.Table(quit.Handle(func(_ *int, c *actor.Context, why error) { c.Exit(why) }))
	sys := actor.Start(actor.WithLogger(slog.New(slog.DiscardHandler)))
	defer sys.Stop()
	ref := typ.Spawn(sys, 0)
	quit.Send(sys, ref, errors.New("enough"))
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	var late error
	stop := OnDeadLetter(of(sys), func(l LetterLook) { late = l.Reason })
	quit.Send(sys, ref, nil)
	stop()
	for err, want := range map[error]error{
		late:                         actor.ErrStopped,
		actor.ErrOverloaded:          actor.ErrOverloaded,
		&actor.PanicError{Value: 42}: actor.ErrPanicked,
	} {
		var got any
		if n := testing.AllocsPerRun(100, func() { got = reasonOf(err) }); n != 0 || got != want {
			t.Errorf("%v: %v, and %v objects", err, got, n)
		}
	}
	if late == actor.ErrStopped {
		t.Error("the reason of the end is not wrapped")
	}
}
