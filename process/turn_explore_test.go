//go:build gallop_explore

package process

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// These tests explore the turn itself: processes on coroutines, which change places, and two
// threads as workers, one turn after the other (sched.Scheduler.Manual). The scheduler's own memory
// is no interleaving point. The source is the production source of turn.go, coroutine.go and
// retire.go; docs/models/places.pml has the same protocol.

// turnScene runs processes on two workers until there is no work.
type turnScene struct {
	p *explore.Program
	s *System
}

func newTurnScene(p *explore.Program) *turnScene {
	sc := &turnScene{p, Start(Config{Workers: 2})}
	crew := sc.s.sched.Manual()
	for _, w := range crew {
		w.Chain()
	}
	explore.Man(p, crew)
	return sc
}

// TestTurns_Explored: two processes exchange messages, while a goroutine outside sends to both.
// Each message is received once, no process runs on two workers, and none waits for ever. Mutants:
// a process that sets its own out; a handOver that does not set out of the process it leaves. No
// test can find a suspend that leaves a notice which it meets while parking: the next suspend takes
// the notice and has the process look once more, and senders that see a notice add none.
func TestTurns_Explored(t *testing.T) {
	for hops, preemptions := range []int{2: 2, 4: 1} {
		if preemptions == 0 {
			continue
		}
		scene := func(p *explore.Program) { exchange(p, hops, false) }
		explore.Run(t, explore.Config{Strategy: explore.Bounded(preemptions, 0)}, scene)
		explore.Run(t, explore.Config{Strategy: explore.Random(1, 1000)}, scene)
	}
}

// TestTurns_YieldExplored: the same with a process that yields at each message. Its turn on another
// worker may set left, while the worker that it has left is about to read left. Mutant: a RunTask
// that reads left when the process is out of its coroutine.
func TestTurns_YieldExplored(t *testing.T) {
	scene := func(p *explore.Program) { exchange(p, 1, true) }
	explore.Run(t, explore.Config{Strategy: explore.Bounded(2, 0)}, scene)
}

// exchange is the scenario: a ball that goes to and fro, and a message besides.
func exchange(p *explore.Program, hops int, yields bool) {
	sc := newTurnScene(p)
	var refs [2]Ref[int]
	var got, inside [2]int
	for i := range refs {
		refs[i] = Spawn(sc.s, func(self *Self[int]) {
			for range hops + 2 {
				n := self.Receive()
				if inside[i]++; inside[i] != 1 {
					panic("it runs twice")
				}
				if self.w.Task() != &self.task {
					panic("it goes by a worker whose turn is another's")
				}
				if yields {
					self.Yield()
				}
				got[i] += n
				if n < hops {
					refs[1-i].Send(self, n+1)
				}
				inside[i]--
			}
		})
	}
	p.Go(func() { refs[0].Send(sc.s, 1) })
	p.Go(func() { refs[1].Send(sc.s, 100) })
	p.After(func() error {
		for i, r := range refs {
			if reason, over := r.Result(); over {
				return fmt.Errorf("process %d has ended: %v", i, reason)
			}
			if r.p.out.Load() == 0 {
				return fmt.Errorf("process %d waits, and is not out of its coroutine", i)
			}
		}
		sc.s.unwindAll()
		if got[0]+got[1] != hops*(hops+1)/2+100 {
			return fmt.Errorf("received %v", got)
		}
		return nil
	})
}
