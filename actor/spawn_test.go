package actor_test

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// grove counts the actors of a tree.
type grove struct {
	sys        *actor.System
	way        string // the way in which a node wakes the actors that it spawns
	live, most atomic.Int64
	sum        atomic.Int64
	done       chan struct{} // closed by the root's end
}

const arms = 10

// shoot is a node of the tree. It spawns its arms, adds up their answers, and ends.
type shoot struct {
	g      *grove
	parent actor.Ref[shoot]
	depth  int // 0: a leaf
	left   int
	sum    int64
}

var (
	shootType = actor.NewType[shoot]("shoot")
	sprout    = actor.Declare[struct{}](shootType, "sprout")
	answer    = actor.Declare[int64](shootType, "answer")
	_         = shootType.Table(sprout.Handle((*shoot).sprout), answer.Handle((*shoot).hear))
	earlyType = actor.NewType[shoot]("early shoot")
	earlyTell = actor.Declare[int64](earlyType, "answer")
	_         = earlyType.OnStart((*shoot).start).Table(earlyTell.Handle((*shoot).hear))
	wakings   = map[string]func(*shoot, *actor.Context){
		"woken one by one":   (*shoot).oneByOne,
		"woken all at once":  (*shoot).allAtOnce,
		"woken by the spawn": (*shoot).bySpawn,
	}
)

func (s *shoot) sprout(c *actor.Context, _ struct{}) { s.grow(c) }

func (s *shoot) start(c *actor.Context) error {
	s.grow(c)
	return nil
}

func (s *shoot) grow(c *actor.Context) {
	if s.depth == 0 {
		s.end(c, 1)
		return
	}
	s.left = arms
	live := s.g.live.Add(arms)
	for most := s.g.most.Load(); live > most &&
		!s.g.most.CompareAndSwap(most, live); most = s.g.most.Load() {
	}
	wakings[s.g.way](s, c)
}

func (s *shoot) arm(self actor.Ref[shoot]) shoot {
	return shoot{g: s.g, parent: self, depth: s.depth - 1}
}

func (s *shoot) oneByOne(c *actor.Context) {
	for range arms {
		sprout.Send(c, shootType.Spawn(c, s.arm(actor.Self[shoot](c))), struct{}{})
	}
}

func (s *shoot) allAtOnce(c *actor.Context) {
	var below [arms]actor.Ref[shoot]
	for i := range below {
		below[i] = shootType.Spawn(c, s.arm(actor.Self[shoot](c)))
	}
	for _, r := range below {
		sprout.Send(c, r, struct{}{})
	}
}

func (s *shoot) bySpawn(c *actor.Context) {
	for range arms {
		earlyType.Spawn(c, s.arm(actor.Self[shoot](c)))
	}
}

func (s *shoot) hear(c *actor.Context, sum int64) {
	s.sum += sum
	if s.left--; s.left == 0 {
		s.end(c, s.sum)
	}
}

func (s *shoot) end(c *actor.Context, sum int64) {
	s.g.live.Add(-1)
	switch {
	case s.parent == actor.Ref[shoot]{}:
		s.g.sum.Store(sum)
		close(s.g.done)
	case s.g.way == "woken by the spawn":
		earlyTell.Send(c, s.parent, sum)
	default:
		answer.Send(c, s.parent, sum)
	}
	c.Stop()
}

// TestSpawn_DepthFirst: a tree of actors is walked depth first, by each way to wake them. So few of
// them live at a time: a path of five, with nine more beside each. In the order of
// their spawning a whole generation would live, ten thousand. Workers that steal, are replaced or
// sent to sleep begin more paths.
func TestSpawn_DepthFirst(t *testing.T) {
	for way := range wakings {
		t.Run(way, func(t *testing.T) {
			for seed := range uint64(scaled(3)) {
				plant(start(t, actor.WithWorkers(1), actor.WithDeterministic(seed)), way).check(t, 5*arms)
				plant(start(t, actor.WithWorkers(3), actor.WithDeterministic(seed)), way).check(t, 30*arms)
			}
			withWorkers(t, func(t *testing.T, workers int) {
				oneOf(t, 300*arms, func() *grove { return plant(start(t, actor.WithWorkers(workers)), way) })
			})
		})
	}
}

// TestSpawn_DepthFirstOnADetached: a worker that stands in for one with a blocked turn walks it
// depth first as well.
func TestSpawn_DepthFirstOnADetached(t *testing.T) {
	oneOf(t, 300*arms, func() *grove {
		sys := start(t, actor.WithWorkers(1))
		release, stuck := make(chan struct{}), make(chan struct{})
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(*puppet, *actor.Context) {
			close(stuck)
			<-release
		})
		<-stuck
		g := plant(sys, "woken one by one")
		<-g.done
		close(release)
		return g
	})
}

// oneOf checks that in one of several trees no more than atMost actors lived at a time. On a busy
// machine workers lose their processor. Then the monitor replaces them, each stand-in begins
// another path, and the oldest new actors seem to have waited for long. With a load of 5 and the
// race detector up to 1,600 lived. With a worker that takes the oldest new actor it is 5,800.
func oneOf(t *testing.T, atMost int64, grow func() *grove) {
	t.Helper()
	for range 5 {
		g := grow()
		g.end(t)
		if g.most.Load() <= atMost {
			return
		}
		t.Logf("%d lived at a time", g.most.Load())
	}
	t.Errorf("of no tree at most %d lived at a time", atMost)
}

const levels, leaves = 4, 10_000

// plant begins a tree.
func plant(sys *actor.System, way string) *grove {
	g := &grove{sys: sys, way: way, done: make(chan struct{})}
	g.live.Store(1)
	root := shoot{g: g, depth: levels}
	if way == "woken by the spawn" {
		earlyType.Spawn(sys, root)
	} else {
		sprout.Send(sys, shootType.Spawn(sys, root), struct{}{})
	}
	return g
}

// end waits for the end of the tree.
func (g *grove) end(t *testing.T) {
	t.Helper()
	quiet(t, g.sys)
	equal(t, "leaves", g.sum.Load(), leaves)
	equal(t, "left over", g.live.Load(), 0)
}

// check waits for the end of the tree, and checks how many actors lived at a time.
func (g *grove) check(t *testing.T, atMost int64) {
	t.Helper()
	g.end(t)
	t.Logf("%d lived at a time", g.most.Load())
	if most := g.most.Load(); most > atMost {
		t.Errorf("%d lived at a time, want at most %d", most, atMost)
	}
}

// TestSpawn_NewOnesFirst: of the actors that have had no turn yet, the first woken runs next, from
// the next-slot, and then the newest. Of the other actors, the one with the longest wait runs next.
func TestSpawn_NewOnesFirst(t *testing.T) {
	sys := start(t, actor.WithWorkers(1), actor.WithDeterministic(1))
	var order []int
	var all [4]actor.Ref[puppet]
	for i := range all {
		all[i] = puppetType.Spawn(sys, puppet{n: i})
	}
	for _, want := range [][]int{{0, 3, 2, 1}, {0, 1, 2, 3}} {
		order = nil
		inside(t, sys, func(c *actor.Context) {
			for _, r := range all {
				do.Send(c, r, func(p *puppet, _ *actor.Context) { order = append(order, p.n) })
			}
		})
		quiet(t, sys)
		if !slices.Equal(order, want) {
			t.Errorf("they ran in the order %v, want %v", order, want)
		}
	}
}

func (p *puppet) end(c *actor.Context) { c.Stop() }

// TestSpawn_OthersHaveTheirTurn: actors that spawn actors without end do not keep an actor that has
// begun from its mail.
func TestSpawn_OthersHaveTheirTurn(t *testing.T) {
	const turns, betweenTurns = 20, 600 // 256 turns that spawn two
	sys := start(t, actor.WithWorkers(1), actor.WithDeterministic(1))
	spawned, over := 0, false
	var breed, count deed
	breed = func(_ *puppet, c *actor.Context) {
		for _, next := range []deed{(*puppet).end, breed} {
			if !over {
				spawned++
				do.Send(c, puppetType.Spawn(c, puppet{}), next)
			}
		}
		c.Stop()
	}
	count = func(p *puppet, c *actor.Context) {
		p.n++
		if over = p.n == turns || spawned > turns*betweenTurns; !over {
			do.Send(c, actor.Self[puppet](c), count)
		}
	}
	inside(t, sys, func(c *actor.Context) {
		do.Send(c, puppetType.Spawn(c, puppet{}), count)
		do.Send(c, puppetType.Spawn(c, puppet{}), breed)
	})
	quiet(t, sys)
	if spawned > turns*betweenTurns {
		t.Errorf("%d were spawned, and one that had begun had fewer than %d turns", spawned, turns)
	}
}

// TestSpawn_NewOnesAreNotForgotten: an actor that has had no turn yet gets one, although newer
// actors are spawned and woken without end.
func TestSpawn_NewOnesAreNotForgotten(t *testing.T) {
	if testing.Short() {
		// It is a long chain in one goroutine, with nothing for the race detector.
		t.Skip("takes long")
	}
	const enough = 100_000                     // 65,792 are needed
	for _, busy := range []bool{false, true} { // another actor has mail all the while
		sys := start(t, actor.WithWorkers(1), actor.WithDeterministic(1))
		links, over := 0, false
		var link, insist deed
		link = func(_ *puppet, c *actor.Context) {
			if links++; !over && links < enough {
				do.Send(c, puppetType.Spawn(c, puppet{}), (*puppet).end) // takes the next-slot
				do.Send(c, puppetType.Spawn(c, puppet{}), link)
			}
			c.Stop()
		}
		insist = func(_ *puppet, c *actor.Context) {
			if busy && !over && links < enough {
				do.Send(c, actor.Self[puppet](c), insist)
			}
		}
		inside(t, sys, func(c *actor.Context) {
			do.Send(c, puppetType.Spawn(c, puppet{}), insist)
			do.Send(c, puppetType.Spawn(c, puppet{}), func(*puppet, *actor.Context) { over = true })
			do.Send(c, puppetType.Spawn(c, puppet{}), link)
		})
		quiet(t, sys)
		if links >= enough {
			t.Errorf("%d links of a chain went before one that was there first", links)
		}
	}
}
