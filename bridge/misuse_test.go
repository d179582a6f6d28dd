package bridge_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
	"github.com/gallop-go/gallop/internal/misuse"
)

// TestMisuse_Everything: each exported function, with each zero or nil argument, panics and names the
// fault, or takes the argument as documented. Nothing fails later.
func TestMisuse_Everything(t *testing.T) {
	table := misuse.Table{
		Dir: ".",
		Funcs: map[string]any{
			"AskAll": bridge.AskAll[puppet, struct{}, int],
			"Replies": func(ctx context.Context, b actor.AskBehaviour[puppet, struct{}, int],
				to []actor.Ref[puppet], q struct{}) {
				for range bridge.Replies(ctx, b, to, q) {
				}
			},
			"FromChan": bridge.FromChan[puppet, int], "ToChan": bridge.ToChan[int],
		},
		Odd: []any{(*actor.System)(nil), new(actor.System), (*actor.Context)(nil), new(actor.Context),
			actor.Ref[puppet]{}, (*absent)(nil)},
		New: newMisuseWorld,
	}
	t.Logf("%d calls", table.Run(t))
}

func newMisuseWorld() *misuse.World {
	var late error
	sys := actor.Start(actor.WithLogger(silent), actor.WithHooks(actor.Hooks{
		Panic: func(r actor.PanicReport) {
			if _, is := r.Value.(error); is {
				late = fmt.Errorf("%v in %s.%s\n%s", r.Value, r.Type, r.Behaviour, r.Stack)
			}
		}}))
	to, me := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	w := &misuse.World{Args: []any{context.Background(), []actor.Ref[puppet]{to}, count, value}}
	w.Close = func() error {
		_, _ = value.Ask(context.Background(), me, struct{}{})
		_, _ = value.Ask(context.Background(), to, struct{}{})
		sys.Stop()
		return late
	}
	w.Inside = func(f func()) {
		done := make(chan struct{})
		do.Send(sys, me, func(_ *puppet, c *actor.Context) {
			defer close(done)
			w.Args = append(w.Args, c)
			f()
		})
		<-done
	}
	w.Args = append(w.Args, sys) // after the Context
	return w
}

// absent is a context whose embedded context is nil.
type absent struct{ context.Context }

// TestMisuse_NilContexts: a call panics at once, and not only if it has to wait.
func TestMisuse_NilContexts(t *testing.T) {
	good := puppetType.Spawn(start(t), puppet{})
	var none context.Context
	panics(t, "AskAll with a nil context", func() {
		_, _ = bridge.AskAll(none, value, []actor.Ref[puppet]{good}, struct{}{})
	})
	panics(t, "Replies with a nil context", func() {
		bridge.Replies(none, value, []actor.Ref[puppet]{good}, struct{}{})
	})
}
