package inspect

import (
	"context"
	"runtime/trace"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// defaultRegions is the default of oneIn.
const defaultRegions = 1024

// Regions implements observe.Regions.
func Regions(sys *actor.System, oneIn int, types ...string) (stop func()) {
	switch {
	case oneIn < 0:
		panic("gallop: observe.Regions with a negative number")
	case oneIn == 0:
		oneIn = defaultRegions
	}
	all := new([256]regionOfWorker)
	return watchTypes(of(sys), fits(types), func(typ, behaviour string, _ bool) (
		before, after func(*kernel.Turn, int, uint64)) {
		name := typ + "." + behaviour
		return func(_ *kernel.Turn, worker int, _ uint64) {
				if trace.IsEnabled() && worker < len(all) {
					all[worker].begin(name, oneIn)
				}
			}, func(_ *kernel.Turn, worker int, _ uint64) {
				if worker < len(all) && all[worker].open != nil {
					all[worker].end()
				}
			}
	})
}

// regionOfWorker is the open region of a worker. Only the worker uses it.
type regionOfWorker struct {
	open *trace.Region // nil: no region is open
	seen int           // messages since the last region
	_    [48]byte
}

func (r *regionOfWorker) begin(name string, oneIn int) {
	if r.seen++; r.seen < oneIn {
		return
	}
	if r.seen = 0; r.open != nil {
		r.end() // left open by a behaviour that has panicked
	}
	r.open = trace.StartRegion(context.Background(), name)
}

func (r *regionOfWorker) end() {
	r.open.End()
	r.open = nil
}
