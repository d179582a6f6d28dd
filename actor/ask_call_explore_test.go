//go:build gallop_explore

package actor

import (
	"context"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
)

// TestCall_Explored: a caller asks three times, with the same call if that may be used again, and a
// thread that stands for the actor answers. The caller finds the reply, or parks, or gives the
// second request up while it parks. Each request gets its own reply, a call that was given up is
// not used again, and no token is left for the next wait. Mutants: internal/mutants/asks.json.
func TestCall_Explored(t *testing.T) {
	var seen [kernel.CallUnhelped + 1]int // how requests ended
	explore.Portfolio(t, func(p *explore.Program) { callScene(p, &seen) })
	for _, state := range []int{kernel.CallPending, kernel.CallWaiting, kernel.CallAbandoned} {
		if seen[state] == 0 {
			t.Errorf("of the requests ended %v by the state that they were left in: none in %d", seen,
				state)
		}
	}
}

func callScene(p *explore.Program, seen *[kernel.CallUnhelped + 1]int) {
	const requests, hasty = 3, 1
	s := newStage(p)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	var asked []*call[int]
	ended := false // the context of the hasty request
	// awaitCall is awaitReply outside of behaviours.
	awaitCall := func(i int, k *call[int]) error {
		kernel.MakeDone(&k.CallState, s.sys.kernel())
		if !k.State.CompareAndSwap(kernel.CallPending, kernel.CallWaiting) {
			seen[kernel.CallPending]++
			return nil
		}
		p.Await(func() bool { return len(k.Done) > 0 || i == hasty && ended })
		ctx := context.Background()
		if len(k.Done) == 0 {
			ctx = gone
		}
		err := k.Park(ctx, nil)
		if err != nil {
			seen[kernel.CallAbandoned]++
		} else {
			seen[kernel.CallWaiting]++
		}
		return err
	}
	p.Go(func() {
		k := new(call[int])
		for i := range requests {
			asked = append(asked, k)
			if k.State.Load() != kernel.CallAnswered {
				if awaitCall(i, k) != nil {
					k = new(call[int])
					continue
				}
			}
			if r := k.take(); r.Value != i+1 || r.Err != nil {
				p.Errorf("the reply to request %d is %d, %v", i, r.Value, r.Err)
			}
			if len(k.Done) > 0 {
				p.Errorf("a token is left behind request %d", i)
			}
		}
	})
	p.Go(func() {
		for i := range requests {
			p.Await(func() bool { return len(asked) > i })
			asked[i].finish(Result[int]{Value: i + 1})
		}
	})
	p.Go(func() {
		p.Point()
		ended = true
	})
	p.After(func() error {
		for i, k := range asked {
			abandoned := k != asked[requests-1]
			if state := seam.Peek(&k.State); abandoned != (state == kernel.CallAbandoned) || len(k.Done) > 0 {
				return fmt.Errorf("the call of request %d is left in state %d, with %d tokens", i,
					state, len(k.Done))
			}
		}
		return nil
	})
}
