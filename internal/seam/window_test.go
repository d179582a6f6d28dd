//go:build !gallop_explore

package seam_test

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
)

// dekker is what a window is for. An owner acts within it as long as x was not changed. Another
// changes x, calls Fence, and acts once the window is shut.
type dekker struct {
	window seam.Window
	_      [128]byte
	x      seam.Uint32 // changed: the other's round
	_      [128]byte
	acted  uint64 // the owner's, and from the end of its round on the other's
}

// own is the owner: it acts in each round until it sees the change.
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

// TestWindow_Dekker: a goroutine that has changed what the owner looks at, has called Fence and has
// seen the window shut is alone. The owner does nothing any more.
func TestWindow_Dekker(t *testing.T) {
	if ask := seam.PrepareFence(); ask != nil {
		ask()
	}
	if !seam.CanFence() {
		t.Skip("windows are not used here") // since the kernel has no such fence
	}
	// Without the fence about one in 50,000 goes wrong, on two processors.
	rounds := uint32(150_000)
	switch {
	case testing.Short():
		rounds = 50_000
	case os.Getenv("GALLOP_NIGHTLY") != "":
		rounds = 600_000
	}
	d := &dekker{}
	var turn atomic.Uint32 // the round that the owner is to play, and 1
	var over atomic.Uint32 // the round that it has played
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
		for range int(r % 64) { // somewhere in the owner's loop
			d.window.IsOpen() // so that its next store has to wait for the line
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
