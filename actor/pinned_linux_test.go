package actor_test

import (
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gallop-go/gallop/actor"
)

// TestPinnedThread: "all actors of this type run on one OS thread that is theirs alone", in one
// system. Other systems have other threads.
func TestPinnedThread(t *testing.T) {
	var mu sync.Mutex
	threads := func(sys *actor.System, spread int) map[int]bool {
		got := map[int]bool{}
		var run func(left int) deed
		run = func(left int) deed {
			return func(_ *puppet, c *actor.Context) {
				mu.Lock()
				got[unix.Gettid()] = true
				mu.Unlock()
				if left > 0 {
					pinnedDo.Send(c, pinnedType.Spawn(c, puppet{}), run(left-1))
				}
			}
		}
		for range spread {
			pinnedDo.Send(sys, pinnedType.Spawn(sys, puppet{}), run(20))
		}
		quiet(t, sys)
		return got
	}
	sys := start(t, actor.WithWorkers(2))
	first, second := threads(sys, 5), threads(sys, 5)
	equal(t, "threads", len(first), 1)
	for tid := range first {
		equal(t, "the same thread", second[tid], true)
	}
	var free []int
	for range 20 {
		inside(t, sys, func(c *actor.Context) { free = append(free, unix.Gettid()) })
	}
	for _, tid := range free {
		equal(t, "others on the pinned thread", first[tid], false)
	}
	for tid := range threads(start(t), 1) {
		equal(t, "another system's thread", first[tid], false)
	}
}

// TestPinnedThread_Mixed: pinned and free actors send to each other. No message is lost.
func TestPinnedThread_Mixed(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	free, pinned := puppetType.Spawn(sys, puppet{}), pinnedType.Spawn(sys, puppet{})
	n := 0
	var there, back deed
	there = func(_ *puppet, c *actor.Context) {
		if n++; n < 500 {
			do.Send(c, free, back)
		}
	}
	back = func(_ *puppet, c *actor.Context) { pinnedDo.Send(c, pinned, there) }
	pinnedDo.Send(sys, pinned, there)
	quiet(t, sys)
	equal(t, "rounds", n, 500)
}
