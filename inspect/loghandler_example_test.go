package inspect_test

import (
	"context"
	"log/slog"
	"os"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/inspect"
)

// lookUp is a function of a library that knows no actors.
func lookUp(ctx context.Context, l *slog.Logger, key string) {
	l.InfoContext(ctx, "looked up", "key", key)
}

// What a library logs with the context of a behaviour says for which actor it was.
func ExampleLogHandler() {
	untimed := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	l := slog.New(inspect.LogHandler(slog.NewTextHandler(os.Stdout,
		&slog.HandlerOptions{ReplaceAttr: untimed})))
	sys := actor.Start(actor.WithWorkers(1))
	r, err := dollType.SpawnNamed(sys, "bob", doll{})
	if err != nil {
		panic(err)
	}
	do.Send(sys, r, func(_ *doll, c *actor.Context) { lookUp(c.Context(), l, "k1") })
	_ = sys.Wait(context.Background())
	sys.Stop()
	// Output: level=INFO msg="looked up" key=k1 actor=1 type=doll name=bob
}
