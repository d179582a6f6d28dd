package actor_test

import (
	"errors"
	"math/rand/v2"
	"runtime"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// This file has the workloads of a swarm.

// workloads are the parts of a mixture. Each begins with a message to a new actor.
var workloads = map[string]func(*bee, *actor.Context, *rand.Rand, task){
	"tree": func(b *bee, c *actor.Context, r *rand.Rand, m task) {
		for range 2 + r.IntN(2) {
			if m.left > 0 {
				b.s.send(c, b.s.spawn(c, b.next), task{m.do, m.left - 1, r.Uint64()})
			}
		}
	},
	"flood": func(b *bee, c *actor.Context, r *rand.Rand, m task) {
		for range 150 { // more than a batch: their receiver is overloaded
			b.s.send(c, b.next, task{rest, 0, 0})
		}
		b.s.send(c, actor.Self[bee](c), task{m.do, m.left, r.Uint64()})
	},
	"ring": func(b *bee, c *actor.Context, r *rand.Rand, m task) {
		if m.left > 0 {
			b.s.send(c, b.s.any(r), task{m.do, m.left - 1, r.Uint64()})
		}
	},
	"asks": func(b *bee, c *actor.Context, r *rand.Rand, m task) {
		b.s.ask(c, b.s.any(r))
		b.s.ask(c, b.next)
		if m.left > 0 {
			b.s.send(c, actor.Self[bee](c), task{m.do, m.left - 1, r.Uint64()})
		}
	},
	// All actors send to one, and it sends to all.
	"star": func(b *bee, c *actor.Context, r *rand.Rand, m task) {
		for range 20 {
			b.s.send(c, b.s.any(r), task{func(b *bee, c *actor.Context, _ *rand.Rand, _ task) {
				b.s.send(c, b.next, task{rest, 0, 0})
			}, 0, r.Uint64()})
		}
	},
	"stops": func(b *bee, c *actor.Context, r *rand.Rand, m task) {
		switch victim := b.s.any(r); r.IntN(3) {
		case 0:
			actor.Stop(c, victim)
		case 1:
			actor.Kill(c, victim)
		default:
			b.ended = true
			c.Stop()
		}
		b.s.send(c, b.s.spawn(c, b.next), task{m.do, m.left - 1, r.Uint64()})
	},
	"panics": func(b *bee, c *actor.Context, r *rand.Rand, m task) {
		b.s.send(c, b.s.spawn(c, b.next), task{m.do, m.left - 1, r.Uint64()})
		b.s.crashed.Add(1)
		b.ended = true
		if r.IntN(2) == 0 {
			panic("bee")
		}
		runtime.Goexit()
	},
	"mesh":    mesh(nil),
	"cyclic":  cyclic,
	"regions": shipping,
	"storm":   storm,
	"blocks": func(b *bee, c *actor.Context, r *rand.Rand, m task) {
		c.Blocking(runtime.Gosched)
		b.s.send(c, b.s.any(r), task{m.do, m.left - 1, r.Uint64()})
	},
}

func rest(*bee, *actor.Context, *rand.Rand, task) {}

// workloadNames are the keys in an order that does not change. A new name is added at the end.
var workloadNames = []string{"tree", "flood", "ring", "asks", "star", "stops", "panics", "blocks",
	"mesh", "cyclic", "regions", "storm"}

// mesh makes actors that all send to each other.
func mesh(all []actor.Ref[bee]) func(*bee, *actor.Context, *rand.Rand, task) {
	return func(b *bee, c *actor.Context, r *rand.Rand, m task) {
		all := all
		for len(all) < 6 {
			all = append(all, b.s.spawn(c, b.next))
		}
		for _, to := range all {
			if m.left > 0 {
				b.s.send(c, to, task{mesh(all), m.left - 1, r.Uint64()})
			}
		}
	}
}

// cyclic makes a ring of actors. Each floods the next, so that all are overloaded and each waits
// for another. The ring must get out of this by itself.
func cyclic(b *bee, c *actor.Context, r *rand.Rand, m task) {
	ring := make([]actor.Ref[bee], 3+r.IntN(4))
	for i := range ring {
		ring[i] = b.s.spawn(c, b.next)
	}
	for i, to := range ring {
		b.s.send(c, to, task{around(ring, i), m.left, r.Uint64()})
	}
}

func around(ring []actor.Ref[bee], at int) func(*bee, *actor.Context, *rand.Rand, task) {
	return func(b *bee, c *actor.Context, r *rand.Rand, m task) {
		next := (at + 1) % len(ring)
		for range 120 { // more than a batch
			b.s.send(c, ring[next], task{rest, 0, 0})
		}
		if m.left > 0 {
			b.s.send(c, ring[next], task{around(ring, next), m.left - 1, r.Uint64()})
		}
	}
}

// storm makes children that fall as soon as they are up, under a supervisor that restarts most of
// them.
func storm(b *bee, c *actor.Context, r *rand.Rand, m task) {
	for range 1 + r.IntN(3) {
		s, next := b.s, b.next
		child := actor.SpawnSupervised(c, beeType, func(k *bee) { *k = bee{s: s, next: next} }, beeFell)
		s.know(child)
		for range m.left {
			s.send(c, child, task{fall, 0, r.Uint64()})
			s.send(c, child, task{rest, 0, 0})
		}
	}
	b.s.send(c, b.s.spawn(c, b.next), task{m.do, m.left - 1, r.Uint64()})
}

// defers makes deferred replies. They are given in another order, by another life, by another
// actor, or never. Some bring a mark back.
func defers(b *bee, c *actor.Context, r *rand.Rand, m task) {
	s, next := b.s, b.next
	for _, to := range []actor.Ref[bee]{actor.Self[bee](c), s.any(r), s.any(r),
		actor.SpawnSupervised(c, beeType, func(k *bee) {
			*k = bee{s: s, next: next}
		}, beeFell)} {
		for range 3 {
			if r.IntN(3) == 0 {
				s.askMarked(c, r, to)
			} else {
				s.askWith(c, beePromise, to)
			}
			s.send(c, to, task{pay, 0, r.Uint64()})
			if r.IntN(4) == 0 {
				s.send(c, to, task{hand, 0, r.Uint64()})
			}
		}
		if r.IntN(8) == 0 {
			s.send(c, to, task{fall, 0, r.Uint64()})
		}
	}
	if m.left > 0 {
		s.send(c, s.spawn(c, b.next), task{m.do, m.left - 1, r.Uint64()})
	}
}

// Promise defers the reply.
func (b *bee) Promise(c *actor.Context, _ int) (int, error) {
	b.count()
	b.owes = append(b.owes, actor.Defer(c, beePromise))
	return 0, nil
}

// pay gives one of the deferred replies.
func pay(b *bee, c *actor.Context, r *rand.Rand, _ task) {
	if n := len(b.owes); n > 0 {
		i := r.IntN(n)
		b.owes[i].Reply(c, n, nil)
		b.owes[i], b.owes = b.owes[n-1], b.owes[:n-1]
	}
}

// fall ends the life of a supervised actor in one of several ways.
func fall(b *bee, c *actor.Context, r *rand.Rand, _ task) {
	b.ended = true
	switch r.IntN(4) {
	case 0:
		c.Stop()
	case 1:
		c.Exit(errors.New("bee"))
	case 2:
		b.s.crashed.Add(1)
		runtime.Goexit()
	default:
		b.s.crashed.Add(1)
		panic("bee")
	}
}

// Fell decides on a child. The runtime sends the message, and does not count it as sent, so Fell
// counts it.
func (b *bee) Fell(c *actor.Context, f actor.ChildDown) {
	b.s.sent.Add(1)
	b.count()
	switch {
	case f.Final:
	case b.s.spend() && f.ActorID%5 != 0:
		b.s.restarts.Add(1)
		actor.Restart(c, f.Ref)
	default:
		actor.Stop(c, f.Ref)
	}
}

// noteDead counts a dead letter. If the runtime sent it, noteDead also counts it as sent.
func (s *swarm) noteDead(l actor.DeadLetter) {
	s.dead.Add(1)
	if _, ok := l.Message.(actor.ChildDown); ok {
		s.sent.Add(1)
	}
}

// hurt records a panic that no bee has caused on purpose.
func (s *swarm) hurt(p actor.PanicReport) {
	if !p.Goexit && p.Value != "bee" {
		s.alien.Store(&p)
	}
}

// A carrier keeps a list in its arena. A crate has a list that moves.
type (
	carrier struct {
		s    *swarm
		kept heap.Ptr[link]
	}
	crate struct {
		list heap.Region[link]
		note heap.Parcel
		sum  uint64 // of both
		left int
		to   [3]actor.Ref[carrier]
	}
	link struct {
		next heap.Ptr[link]
		v    uint64
	}
)

var (
	carrierType = actor.NewType[carrier]("carrier")
	carryCrate  = actor.Declare[crate](carrierType, "carry")
)

func init() { carrierType.Table(carryCrate.Handle((*carrier).Carry)) }

// shipping makes actors pass regions and shared texts on to each other. Their hash must stay the
// same.
func shipping(b *bee, c *actor.Context, r *rand.Rand, m task) {
	var to [3]actor.Ref[carrier]
	for i := range to {
		to[i] = carrierType.Spawn(c, carrier{s: b.s})
	}
	for range 1 + r.IntN(4) {
		b.s.ship(c, crate{left: 5 * m.left, to: to}, 1+r.IntN(100), r)
	}
	if m.left > 0 {
		b.s.send(c, actor.Self[bee](c), task{m.do, m.left - 1, r.Uint64()})
	}
}

const crateNote = "a text that is longer than what is copied, and so it is shared by all who " +
	"have it, until the last lets go"

// ship fills a crate with a list and a text, and sends it.
func (s *swarm) ship(c *actor.Context, g crate, length int, r *rand.Rand) {
	if !s.spend() {
		return
	}
	g.list, g.sum = heap.NewRegion[link](), uint64(len(crateNote))
	var top heap.Ptr[link]
	for range length {
		n := heap.New[link](g.list.Arena())
		*n.Deref(g.list.Arena()) = link{top, r.Uint64()}
		g.sum = g.sum*31 + n.Deref(g.list.Arena()).v
		top = n
	}
	g.list.SetRoot(top)
	g.list, g.note = g.list.Move(), heap.NewParcel(crateNote)
	s.sent.Add(1)
	carryCrate.Send(c, g.to[r.IntN(len(g.to))], g)
}

// Carry checks that the crate is complete, and sends the same contents on as a region of its own.
func (k *carrier) Carry(c *actor.Context, g crate) {
	k.s.ran.Add(1)
	a := c.Heap()
	k.kept = g.list.Join(a)
	var values []uint64
	for p := k.kept; !p.IsZero(); p = p.Deref(a).next {
		values = append(values, p.Deref(a).v)
	}
	sum := uint64(len(g.note.Unpack(a).Deref(a)))
	for i := range values {
		sum = sum*31 + values[len(values)-1-i]
	}
	if sum != g.sum {
		k.s.broken.Add(1)
	}
	k.s.moved.Add(1)
	if g.left > 0 {
		r := rand.New(rand.NewPCG(g.sum, k.s.seed))
		k.s.ship(c, crate{left: g.left - 1, to: g.to}, 1+r.IntN(100), r)
	}
}
