//go:build !gallop_explore

package seam_test

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
)

// dekker shows the use of a window. The owner acts in the window while x is unchanged. The other
// goroutine changes x, calls Fence, and acts after the window is shut.
type dekker struct {
	window seam.Window
	_      [128]byte
	x      seam.Uint32 // the round up to which the other has made its change
	_      [128]byte
	acted  uint64 // the owner's; after the change has been made and the window is shut, the other's
}

// own plays a round of the owner: it acts until it sees the change.
func (d *dekker) own(round uint32) {
	for n := uint64(1); ; n++ {
		d.window.Open()
		if d.x.Load() != round {
			d.window.Shut()
			return
		}
		d.acted = n
		d.window.Shut()
	}
}

// TestWindow_Dekker: after a goroutine has changed x, has called Fence and has seen the window
// shut, the owner acts no more.
func TestWindow_Dekker(t *testing.T) {
	if ask := seam.PrepareFence(); ask != nil {
		ask()
	}
	if !seam.CanFence() {
		t.Skip("windows are not used here") // the kernel has no such fence
	}
	// Without the fence about one round in 50,000 fails, on two processors.
	rounds := uint32(150_000)
	switch {
	case testing.Short():
		rounds = 50_000
	case os.Getenv("GALLOP_NIGHTLY") != "":
		rounds = 600_000
	}
	d := &dekker{}
	var turn atomic.Uint32 // 1 more than the round that the owner may play
	var over atomic.Uint32 // 1 more than the round that it has played
	var owner sync.WaitGroup
	owner.Go(func() {
		for r := uint32(0); r < rounds; r++ {
			for turn.Load() != r+1 {
				seam.Spin()
			}
			d.own(r)
			over.Store(r + 1)
		}
	})
	both := 0
	for r := uint32(0); r < rounds; r++ {
		d.acted = 0
		turn.Store(r + 1)
		for range int(r % 64) { // let the owner come to another place in its loop in each round
			d.window.IsOpen() // makes the owner's next store wait for the cache line
		}
		d.x.Store(r + 1)
		seam.Fence()
		for d.window.IsOpen() {
			seam.Spin()
		}
		before := d.acted // ours from here on
		d.acted = before + 1
		for over.Load() != r+1 {
			seam.Spin()
		}
		if d.acted != before+1 {
			both++
		}
	}
	owner.Wait()
	if both > 0 {
		t.Errorf("in %d of %d rounds both have acted", both, rounds)
	}
}
