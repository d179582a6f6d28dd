package inspect

import (
	"context"
	"runtime/pprof"

	"github.com/gallop-go/gallop/actor"
)

// Labels implements observe.Labels.
func Labels(sys *actor.System, types ...string) {
	of(sys).Label(fits(types), func(typ, behaviour string) (set func()) {
		ctx := pprof.WithLabels(context.Background(),
			pprof.Labels("gallop.type", typ, "gallop.behaviour", behaviour))
		return func() { pprof.SetGoroutineLabels(ctx) }
	})
}
