package actor_test

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// These tests send streams of mail to actors of all kinds. They also check which messages one turn
// runs.

// delta is a system with streams, and its counts.
type delta struct {
	sys                 *actor.System
	rounds              int
	mouths              [6]atomic.Pointer[mouth] // where the streams end
	sink                actor.Ref[puppet]
	sent, ran, dead     atomic.Int64
	wrong               atomic.Int64
	first               atomic.Pointer[string] // the first fault
	replaced, childDown atomic.Int64
}

// mouth is one receiver. It is not the actor's state, so it survives the end of the actor.
type mouth struct {
	d     *delta
	class int
	send  func(c *actor.Context, m ordinal)
	kill  func(c *actor.Context)

	seen atomic.Int64 // messages that came, run or not

	next  map[int]int // by sender, the next number. Owner only, as all below
	got   int
	stash int // how many messages are still to be stashed
}

// The kinds of mouths.
const (
	mouthPlain = iota
	mouthStops
	mouthKilled
	mouthMuted
	mouthStashes
	mouthYields
	mouthRestarts
	mouthCounts
	mouthKinds
)

// estuary is the state of a mouth's actor, and of the supervisor of mouths that fall.
type estuary struct{ m *mouth }

// streamClass is a type of mouths.
type streamClass struct {
	typ  *actor.Type[estuary]
	take actor.Behaviour[estuary, ordinal]
	more actor.Behaviour[estuary, struct{}]
	fell actor.Behaviour[estuary, actor.ChildDown]
	bear actor.Behaviour[estuary, *mouth]
}

func newStreamClass(name string, opts ...actor.TypeOption) *streamClass {
	k := &streamClass{typ: actor.NewType[estuary](name, opts...)}
	k.take = actor.Declare[ordinal](k.typ, "take")
	k.more = actor.Declare[struct{}](k.typ, "more")
	k.fell = actor.Declare[actor.ChildDown](k.typ, "fell")
	k.bear = actor.Declare[*mouth](k.typ, "bear")
	k.typ.Table(
		k.take.Handle(func(s *estuary, c *actor.Context, m ordinal) { s.m.take(c, k, m) }),
		k.more.Handle(func(s *estuary, c *actor.Context, _ struct{}) { s.m.d.ran.Add(1) }),
		k.fell.Handle(func(_ *estuary, c *actor.Context, f actor.ChildDown) {
			if !f.Final {
				actor.Restart(c, f.Ref)
			}
		}),
		k.bear.Handle(func(_ *estuary, c *actor.Context, m *mouth) {
			m.is(k, actor.SpawnSupervised(c, k.typ, func(s *estuary) { s.m = m }, k.fell))
		}))
	return k
}

var (
	streamPlain  = newStreamClass("stream")
	streamCounts = newStreamClass("stream, counted", actor.WithWatermarks(20, 5))
)

// is makes r the actor of the mouth.
func (m *mouth) is(k *streamClass, r actor.Ref[estuary]) {
	m.send = func(c *actor.Context, o ordinal) { k.take.Send(c, r, o) }
	m.kill = func(c *actor.Context) { actor.Kill(c, r) }
}

// spawn makes a mouth with an actor. The actor of a supervised mouth is made later.
func (d *delta) spawn(from actor.Sender, class int) *mouth {
	m := &mouth{d: d, class: class, next: map[int]int{}}
	k := streamPlain
	if class == mouthCounts {
		k = streamCounts
	}
	m.is(k, k.typ.Spawn(from, estuary{m}))
	return m
}

// fault records a fault.
func (d *delta) fault(what string) {
	d.wrong.Add(1)
	d.first.CompareAndSwap(nil, &what)
}

// take handles a message of a mouth.
func (m *mouth) take(c *actor.Context, k *streamClass, o ordinal) {
	m.seen.Add(1)
	if m.stash > 0 { // for every message, so that the order is kept
		k.take.Stash(c, o)
		if m.stash--; m.stash == 0 {
			actor.UnstashAll(c)
		}
		return
	}
	d := m.d
	d.ran.Add(1)
	if m.next[o.from] != o.no {
		d.fault("a message was out of order")
	}
	m.next[o.from] = o.no + 1
	m.got++
	switch {
	case m.class == mouthStops && m.got == 200:
		c.Stop()
	case m.class == mouthMuted:
		d.sent.Add(1)
		slowDo.Send(c, d.sink, d.drain)
	case m.class == mouthStashes && m.got%50 == 0:
		m.stash = 5
	case m.class == mouthYields && m.got%3 == 0:
		d.sent.Add(1)
		actor.Yield(c, k.more, struct{}{})
	case m.class == mouthRestarts && m.got%100 == 0:
		d.childDown.Add(1)
		panic(onPurpose)
	}
}

func (d *delta) drain(*puppet, *actor.Context) { d.ran.Add(1) }

// source is an actor that sends to mouths and to itself.
type source struct {
	d        *delta
	id       int
	rounds   int
	r        *rand.Rand
	no       map[*mouth]int
	self     int // number of its messages to itself
	expected int // the next number of these
}

var (
	sourceType = actor.NewType[source]("source")
	sourceFlow = actor.Declare[struct{}](sourceType, "flow")
	sourceSelf = actor.Declare[int](sourceType, "self")
)

// The table is filled here because the methods name the behaviours.
func init() {
	sourceType.Table(sourceFlow.Handle((*source).Flow), sourceSelf.Handle((*source).Self))
}

// Flow runs one round.
func (s *source) Flow(c *actor.Context, _ struct{}) {
	d := s.d
	d.ran.Add(1)
	a, b := s.pick(), s.pick()
	switch s.r.IntN(4) {
	case 0: // all to one mouth
		for range s.r.IntN(30) {
			s.to(c, a)
		}
	case 1: // to two mouths
		for range s.r.IntN(10) {
			s.to(c, a)
			s.to(c, b)
			s.to(c, b)
		}
	case 2: // to itself, to one mouth in a stream, and to a third
		for range s.r.IntN(10) {
			s.toItself(c)
			s.to(c, a)
			s.to(c, a)
			s.to(c, b)
		}
	default:
		s.to(c, a)
		s.toItself(c)
	}
	if s.r.IntN(40) == 0 {
		s.replace(c, s.r.IntN(len(d.mouths)))
	}
	if s.rounds--; s.rounds > 0 {
		d.sent.Add(1)
		sourceFlow.Send(c, actor.Self[source](c), struct{}{})
	}
}

func (s *source) pick() *mouth { return s.d.mouths[s.r.IntN(len(s.d.mouths))].Load() }

func (s *source) to(c *actor.Context, m *mouth) {
	s.d.sent.Add(1)
	m.send(c, ordinal{s.id, s.no[m]})
	s.no[m]++
}

func (s *source) toItself(c *actor.Context) {
	s.d.sent.Add(1)
	sourceSelf.Send(c, actor.Self[source](c), s.self)
	s.self++
}

// Self handles a message of the source to itself.
func (s *source) Self(_ *actor.Context, no int) {
	s.d.ran.Add(1)
	if no != s.expected {
		s.d.fault("what one has sent to itself was out of order")
	}
	s.expected = no + 1
}

// replace puts another mouth in the place of a mouth that ends or has ended.
func (s *source) replace(c *actor.Context, i int) {
	d := s.d
	m := d.mouths[i].Load()
	if m.class == mouthStops || m.class == mouthKilled {
		d.mouths[i].Store(d.spawn(c, m.class))
		d.replaced.Add(1)
		if m.class == mouthKilled {
			m.kill(c)
		}
	}
}

// open starts the system of a delta, with mouths of the given kinds.
func (d *delta) open(t *testing.T, class func(i int) int, opts ...actor.Option) {
	d.sys = start(t, append(opts, actor.WithHooks(actor.Hooks{DeadLetter: func(l actor.DeadLetter) {
		if _, ok := l.Message.(actor.ChildDown); !ok {
			d.dead.Add(1)
		}
	}}), actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) {
		if p.Value != onPurpose {
			d.fault("a panic that was not on purpose: " + string(p.Stack))
		}
	}}))...)
	d.sink = slowType.Spawn(d.sys, puppet{})
	warden := streamPlain.typ.Spawn(d.sys, estuary{&mouth{d: d}})
	for i := range d.mouths {
		if class(i) != mouthRestarts {
			d.mouths[i].Store(d.spawn(d.sys, class(i)))
			continue
		}
		m := &mouth{d: d, class: mouthRestarts, next: map[int]int{}}
		streamPlain.bear.Send(d.sys, warden, m)
		quiet(t, d.sys)
		d.mouths[i].Store(m)
	}
}

// flow runs a delta to its end and audits it.
func (d *delta) flow(t *testing.T, seed uint64, opts ...actor.Option) {
	d.open(t, func(i int) int { return (i + int(seed)) % mouthKinds }, opts...)
	r := rand.New(rand.NewPCG(seed, 0))
	var all []actor.Ref[source]
	for id := range 5 {
		s := source{d: d, id: id, rounds: d.rounds, r: rand.New(rand.NewPCG(r.Uint64(), 1)),
			no: map[*mouth]int{}}
		all = append(all, sourceType.Spawn(d.sys, s))
	}
	d.sent.Add(int64(len(all)))
	for _, a := range all {
		sourceFlow.Send(d.sys, a, struct{}{})
	}
	quiet(t, d.sys)
	st := d.audit(t, seed)
	t.Logf("seed %d: %d sent, %d dead, %d replaced, %d fallen, %d mutes, %d steals", seed,
		d.sent.Load(), d.dead.Load(), d.replaced.Load(), d.childDown.Load(), st.Mutes, st.Steals)
	if d.replaced.Load() == 0 && d.rounds > 100 && seed%mouthKinds < 3 {
		t.Errorf("seed %d: nobody was replaced", seed)
	}
}

// audit ends a delta that is quiet. It checks that each message has run once, or was a dead letter
// once.
func (d *delta) audit(t *testing.T, seed uint64) actor.Stats {
	t.Helper()
	st := d.sys.Stats()
	d.sys.Stop() // the messages in a stash are dead letters then
	if sent, ran, dead := d.sent.Load(), d.ran.Load(), d.dead.Load(); sent != ran+dead ||
		d.wrong.Load() != 0 || st.Mutes != st.Unmutes {
		what := ""
		if p := d.first.Load(); p != nil {
			what = *p
		}
		t.Fatalf("seed %d: %d sent, %d ran + %d dead = %d; %d things are wrong, the first: %s; %+v",
			seed, sent, ran, dead, ran+dead, d.wrong.Load(), what, st)
	}
	return st
}

// TestStream_Conservation: five sources stream to themselves and to mouths that stop, are killed,
// muted or restarted, that stash, yield or count their mail. Each message runs once or is a dead
// letter, in the order of its sender.
func TestStream_Conservation(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		for seed := range uint64(mouthKinds) {
			d := &delta{rounds: scaled(3000)}
			d.flow(t, seed, actor.WithWorkers(workers), actor.WithBatch([]int{1, 7, 100}[seed%3]))
		}
	})
}

// TestStream_Collected: the same without recycled nodes, so that the GC frees each node after its
// mailbox has released it.
func TestStream_Collected(t *testing.T) {
	for seed := range uint64(mouthKinds) {
		d := &delta{rounds: scaled(500)}
		d.flow(t, seed, actor.WithDeterministic(seed+1), actor.WithBatch(7))
	}
}

// warm makes n actors that have run, in a system with one worker.
func warm(t *testing.T, n int) (sys *actor.System, all []actor.Ref[puppet]) {
	t.Helper()
	sys = start(t, actor.WithWorkers(1))
	for range n {
		a := puppetType.Spawn(sys, puppet{})
		do.Send(sys, a, func(*puppet, *actor.Context) {})
		all = append(all, a)
	}
	quiet(t, sys)
	return sys, all
}

// TestStream_SelfSendsTakeTurns: an actor that was just woken with a stream sends to itself. It
// runs these messages in another turn, and other actors have turns in between.
func TestStream_SelfSendsTakeTurns(t *testing.T) {
	const each = 5
	sys, all := warm(t, 2)
	var order []int
	inside(t, sys, func(c *actor.Context) {
		for i, a := range all {
			var again deed
			again = func(p *puppet, c *actor.Context) {
				order = append(order, i)
				if p.n++; p.n < each {
					do.Send(c, a, again)
				}
			}
			do.Send(c, a, again)
		}
	})
	quiet(t, sys)
	if want := slices.Repeat([]int{0, 1}, each); !slices.Equal(order, want) {
		t.Errorf("%v ran, want %v", order, want)
	}
}

// TestStream_TurnOfAllThatWaits: a turn runs all mail that was sent before it began. Actors that it
// wakes run after it.
func TestStream_TurnOfAllThatWaits(t *testing.T) {
	sys, all := warm(t, 3)
	a, b, other := all[0], all[1], all[2]
	var order []string
	say := func(s string) deed { return func(*puppet, *actor.Context) { order = append(order, s) } }
	inside(t, sys, func(c *actor.Context) {
		do.Send(c, a, func(_ *puppet, c *actor.Context) {
			order = append(order, "first")
			do.Send(c, other, say("another turn"))
		})
		do.Send(c, b, func(*puppet, *actor.Context) {})
		do.Send(c, a, say("later"))
		do.Send(c, a, say("later"))
	})
	quiet(t, sys)
	if want := []string{"first", "later", "later", "another turn"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}
