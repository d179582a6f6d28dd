//go:build gallop_explore

package actor

import (
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/sched"
)

func init() {
	access.Manual = func(sys any) any {
		s := sys.(*System).kernel()
		s.deadlocks.ended = true
		return s.manual()
	}
}

// manual takes away the goroutines of the workers. Nodes are not reused, since Go's pools return
// them by chance. Call it before there is any work.
func (s *kernelSystem) manual() []*sched.Worker {
	crew := s.sched.Manual()
	for _, w := range crew {
		w.Local().(*kernelTurn).dry = true
	}
	return crew
}
