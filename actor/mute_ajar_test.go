package actor_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/invariant"
)

// leeway is the number of messages that a muted actor takes, unless its type has a high watermark.
const leeway = 10_000

// TestMute_Bystanders: an actor that is only muted does not mute its own senders. x has sent to a
// slow actor and is muted for it. bob then says something in a room of which x is a member too, a
// hundred times. bob hears his own words each time, and x runs them after it was unmuted.
func TestMute_Bystanders(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	slow := overload(t, sys)
	x := slow.mute(t, sys)
	fast, bob := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	heard := make(chan struct{})
	pass := func(_ *puppet, c *actor.Context) {
		count.Send(c, x, 1)
		do.Send(c, bob, func(*puppet, *actor.Context) { heard <- struct{}{} })
	}
	for range 100 {
		do.Send(sys, bob, func(_ *puppet, c *actor.Context) { do.Send(c, fast, pass) })
		receive(t, "bob to hear himself", heard)
	}
	equal(t, "x is muted", actor.Muted(x), true)
	equal(t, "mutes", sys.Stats().Mutes, 1)
	slow.release()
	allUnmuted(t, sys)
	heardByX, err := value.Ask(soon(t), x, struct{}{})
	must(t, err)
	equal(t, "x has heard", heardByX, 100)
}

// standstill is a muted actor, with the number of messages that it takes while it is muted.
type standstill struct {
	*overloaded // the actor for which it is muted
	ref         actor.Ref[puppet]
	do          actor.Behaviour[puppet, deed]
	count       actor.Behaviour[puppet, int]
	most        int
}

// standsQuiet calls f with an actor that is muted for a stuck actor. The first has a type without
// options, the second a type with watermarks.
func standsQuiet(t *testing.T, f func(t *testing.T, sys *actor.System, s *standstill)) {
	for name, opts := range map[string][]actor.TypeOption{"plain": nil,
		"watermarks": {actor.WithWatermarks(7, 2)}} {
		t.Run(name, func(t *testing.T) {
			typ := actor.NewType[puppet]("still", opts...)
			s := &standstill{do: actor.Declare[deed](typ, "do"), count: actor.Declare[int](typ, "count"),
				most: leeway}
			if typ.Table(s.do.Handle((*puppet).Do), s.count.Handle((*puppet).Count)); opts != nil {
				s.most = 7
			}
			sys := start(t, actor.WithWorkers(2))
			o := overload(t, sys)
			s.ref = typ.Spawn(sys, puppet{})
			s.do.Send(sys, s.ref, func(_ *puppet, c *actor.Context) { slowDo.Send(c, o.ref, noop) })
			awaitMuted(t, s.ref)
			s.overloaded = o
			f(t, sys, s)
			s.release()
			allUnmuted(t, sys)
		})
	}
}

// sendEach sends n messages from r, each in a behaviour of its own. Each behaviour is sent after
// the last one has run, because a sender with much mail is overloaded, and never muted.
func (s *standstill) sendEach(t *testing.T, sys *actor.System, r actor.Ref[puppet], n int) {
	t.Helper()
	done := make(chan struct{})
	for range n {
		do.Send(sys, r, func(_ *puppet, c *actor.Context) {
			s.count.Send(c, s.ref, 1)
			done <- struct{}{}
		})
		receive(t, "the sender to go on", done)
	}
}

// TestMute_Watermark: a muted actor mutes its senders after 10,000 messages, or after as many as
// the high watermark of its type says. The number is exact. The last message is delivered, and
// senders that come later are muted at once.
func TestMute_Watermark(t *testing.T) {
	standsQuiet(t, func(t *testing.T, sys *actor.System, s *standstill) {
		sender, other := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
		s.sendEach(t, sys, sender, s.most-2)
		s.sendEach(t, sys, other, 1)
		equal(t, "mutes", sys.Stats().Mutes, 1)
		s.sendEach(t, sys, other, 1)
		awaitMuted(t, other)
		s.sendEach(t, sys, sender, 1)
		awaitMuted(t, sender)
		equal(t, "mutes", sys.Stats().Mutes, 3)
		equal(t, "counted", actor.Crowd(s.ref), s.most)
		total := make(chan int, 1)
		s.do.Send(sys, s.ref, func(p *puppet, _ *actor.Context) { total <- p.n })
		s.release()
		equal(t, "messages run", receive(t, "the last", total), s.most+1)
	})
}

// TestMute_WatermarkCountsActors: messages from other actors of the system are counted, including
// those of actors that are never muted. Messages from outside, and from the actor itself, are not.
func TestMute_WatermarkCountsActors(t *testing.T) {
	standsQuiet(t, func(t *testing.T, sys *actor.System, s *standstill) {
		for range 10 {
			s.count.Send(sys, s.ref, 1)
			must(t, s.count.TrySend(sys, s.ref, 1))
		}
		equal(t, "counted of those from outside", actor.Crowd(s.ref), 0)
		under := press(t, sys) // "never muted itself meanwhile"
		s.sendEach(t, sys, under, s.most)
		equal(t, "counted", actor.Crowd(s.ref), s.most)
		s.sendEach(t, sys, under, 10)
		equal(t, "mutes", sys.Stats().Mutes, 1)
		sender := puppetType.Spawn(sys, puppet{})
		s.sendEach(t, sys, sender, 1)
		awaitMuted(t, sender)
		done := make(chan struct{})
		do.Send(sys, under, func(_ *puppet, c *actor.Context) { c.ReleasePressure(); close(done) })
		receive(t, "the release", done)
	})
}

// TestMute_TrySendBelowTheWatermark: TrySend and SendWait succeed while an actor "is muted and
// below the watermark", from inside and from outside. From the watermark on TrySend is refused, and
// SendWait waits.
func TestMute_TrySendBelowTheWatermark(t *testing.T) {
	standsQuiet(t, func(t *testing.T, sys *actor.System, s *standstill) {
		must(t, s.count.SendWait(soon(t), s.ref, 1))
		must(t, s.count.TrySend(sys, s.ref, 1))
		inside(t, sys, func(c *actor.Context) {
			for i := range s.most - 1 {
				if err := s.count.TrySend(c, s.ref, 1); err != nil {
					t.Fatalf("message %d: %v", i, err)
				}
			}
			wants(t, s.count.TrySend(c, s.ref, 1), actor.ErrOverloaded)
		})
		wants(t, s.count.TrySend(sys, s.ref, 1), actor.ErrOverloaded)
		errs := make(chan error, 1)
		go func() { errs <- s.count.SendWait(soon(t), s.ref, 1) }()
		eventually(t, "it waits", func() bool { return actor.Waiting(s.ref) == 1 })
		equal(t, "mutes", sys.Stats().Mutes, 1)
		s.release()
		must(t, receive(t, "SendWait", errs))
	})
}

// TestMute_CrowdedIsOverloaded: an actor whose mailbox has passed the watermark while it was muted
// is overloaded when it is unmuted, and its gate stays shut until it has run all its mail. It is
// not muted again before that, and its waiting senders go on after that.
func TestMute_CrowdedIsOverloaded(t *testing.T) {
	const mail = 500
	sys := start(t, actor.WithWorkers(2), actor.Leeway(mail))
	first, second := overload(t, sys), press(t, sys)
	x := first.mute(t, sys)
	var ran, seen atomic.Int64
	step := func(_ *puppet, c *actor.Context) {
		count.Send(c, second, 1) // would mute it again if it could be muted
		ran.Add(1)
	}
	s := puppetType.Spawn(sys, puppet{})
	do.Send(sys, s, func(_ *puppet, c *actor.Context) {
		for range mail {
			do.Send(c, x, step)
		}
	})
	awaitMuted(t, s)
	do.Send(sys, s, func(*puppet, *actor.Context) { seen.Store(ran.Load()) })
	first.release()
	eventually(t, "the sender to go on", func() bool { return !actor.Muted(s) && seen.Load() != 0 })
	equal(t, "run when the sender goes on", seen.Load(), mail)
	do.Send(sys, second, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	allUnmuted(t, sys)
}

// TestMute_BoundedThoughMutedAgain: an actor is muted again and again, and runs one message each
// time. It takes no more messages than the watermark: "The owner sets the count back only when
// little mail is left."
func TestMute_BoundedThoughMutedAgain(t *testing.T) {
	const most, each, rounds = 400, 150, 60
	sys := start(t, actor.WithWorkers(2), actor.Leeway(most), actor.DeadlockEvery(time.Hour))
	p, s := press(t, sys), puppetType.Spawn(sys, puppet{})
	x := muteOn(t, sys, func(c *actor.Context) { count.Send(c, p, 1) })
	var sent, ran atomic.Int64
	var highest int64 // of x
	step := func(_ *puppet, c *actor.Context) {
		highest = max(highest, sent.Load()-ran.Load())
		ran.Add(1)
		count.Send(c, p, 1)
	}
	for range rounds {
		if !actor.Muted(s) {
			begun := sent.Load()
			do.Send(sys, s, func(_ *puppet, c *actor.Context) {
				for range each {
					do.Send(c, x, step)
				}
				sent.Add(each)
			})
			eventually(t, "it has sent", func() bool {
				return sent.Load() != begun || actor.Muted(s)
			})
		}
		mutes := sys.Stats().Mutes
		done := make(chan struct{})
		do.Send(sys, p, func(_ *puppet, c *actor.Context) {
			c.ReleasePressure()
			c.ApplyPressure()
			close(done)
		})
		receive(t, "p to let it go", done)
		// It may run all its mail on another worker while p applies no pressure.
		eventually(t, "it is muted again, or has run all", func() bool {
			return sys.Stats().Mutes > mutes || actor.Muted(x) || ran.Load() == sent.Load()
		})
	}
	do.Send(sys, p, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	allUnmuted(t, sys)
	equal(t, "messages run", ran.Load(), sent.Load())
	if highest > most+5*each { // while its gate is open, messages are not counted
		t.Errorf("%d messages waited, want at most the watermark and a few behaviours", highest)
	}
}

// TestMute_BoundIsTheWatermark: a muted actor with a bound takes mail until its queue is full, and
// then mutes its senders.
func TestMute_BoundIsTheWatermark(t *testing.T) {
	const limit = 20
	k := newBounded("twenty", limit, actor.OverflowMute)
	sys := start(t, actor.WithWorkers(2))
	o := overload(t, sys)
	r := k.typ.Spawn(sys, puppet{})
	k.do.Send(sys, r, func(_ *puppet, c *actor.Context) { slowDo.Send(c, o.ref, noop) })
	awaitMuted(t, r)
	equal(t, "it stands", r.Status(), actor.StatusOverloaded)
	s := puppetType.Spawn(sys, puppet{})
	done := make(chan struct{})
	for range limit {
		do.Send(sys, s, func(_ *puppet, c *actor.Context) { k.do.Send(c, r, noop); done <- struct{}{} })
		receive(t, "the sender to go on", done)
	}
	awaitMuted(t, s)
	wants(t, k.do.TrySend(sys, r, noop), actor.ErrOverloaded)
	o.release()
	allUnmuted(t, sys)
}

// relay passes its messages on. The last relay of a chain works on them instead. Each relay counts.
type relay struct {
	to actor.Ref[relay]
	// Messages sent to it, and messages that it has sent. The last relay has no out.
	in, out *atomic.Int64
	most    *atomic.Int64 // the largest number of messages that have waited for it
	ran     int64
	left    int // the source drives itself
	work    uint64
}

func (r *relay) Pass(c *actor.Context, n int) {
	r.ran++
	r.most.Store(max(r.most.Load(), r.in.Load()-r.ran))
	if r.out != nil {
		relayPass.Send(c, r.to, n)
		r.out.Add(1)
		return
	}
	for range 200 {
		r.work = r.work*6364136223846793005 + uint64(n)
	}
}

// Drive sends n messages, and goes on in another behaviour until none is left.
func (r *relay) Drive(c *actor.Context, n int) {
	n = min(n, r.left)
	for range n {
		relayPass.Send(c, r.to, 1)
	}
	r.out.Add(int64(n))
	if r.left -= n; r.left > 0 {
		relayDrive.Send(c, actor.Self[relay](c), n)
	}
}

var (
	relayType  = actor.NewType[relay]("relay")
	relayPass  = actor.Declare[int](relayType, "pass")
	relayDrive = actor.Declare[int](relayType, "drive")
	_          = relayType.Table(relayPass.Handle((*relay).Pass), relayDrive.Handle((*relay).Drive))
)

// floodChain sends a flood through a chain of actors to a slow actor. It returns the largest number
// of messages that have waited for each actor, in the order of the chain.
func floodChain(t *testing.T, sys *actor.System, length, flood, burst int) (most []int64) {
	t.Helper()
	counts := make([]struct{ sent, most atomic.Int64 }, length)
	var to actor.Ref[relay]
	for i := length - 1; i >= 0; i-- {
		r := relay{to: to, in: &counts[i].sent, most: &counts[i].most}
		if i < length-1 {
			r.out = &counts[i+1].sent
		}
		to = relayType.Spawn(sys, r)
	}
	relayDrive.Send(sys, relayType.Spawn(sys, relay{to: to, out: &counts[0].sent, left: flood}), burst)
	quiet(t, sys)
	if st := sys.Stats(); st.Mutes == 0 || st.Mutes != st.Unmutes {
		t.Errorf("%d mutes, %d unmutes", st.Mutes, st.Unmutes)
	}
	for i := range counts {
		equal(t, fmt.Sprintf("sent to %d", i), counts[i].sent.Load(), int64(flood))
		most = append(most, counts[i].most.Load())
	}
	return most
}

// TestMute_ChainIsBounded: "Chains push back to the source". In a flood through a chain of actors
// to a slow one, the number of messages in any mailbox stays below the watermark plus the messages
// of a few turns. It does not depend on the lengths of the chain and the flood.
func TestMute_ChainIsBounded(t *testing.T) {
	const length, burst = 5, 1000
	for seed := range uint64(nightly(3, 100)) {
		sys := start(t, actor.WithDeterministic(seed))
		for i, most := range floodChain(t, sys, length, scaled(50_000), burst) {
			if most > leeway+10*burst {
				t.Errorf("seed %d: %d messages waited for number %d", seed, most, i)
			}
		}
	}
}

// TestMute_ChainHeap: "A flood stays bounded in memory": 2 million messages through a chain, on
// real workers.
func TestMute_ChainHeap(t *testing.T) {
	flood := scaled(2_000_000)
	if invariant.On {
		flood /= 10
	}
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		before := heapNow()
		most := floodChain(t, sys, 4, flood, 1000)
		after := heapNow()
		t.Logf("waited: %d; %d mutes; heap %d kB → %d kB", most, sys.Stats().Mutes, before>>10, after>>10)
		if waited := slices.Max(most); figures && waited > mostQueued(1, flood) {
			t.Errorf("%d waited", waited)
		}
		if figures && after > before && after-before > 32<<20 {
			t.Errorf("the heap grew by %d kB", (after-before)>>10)
		}
	})
}

func heapNow() uint64 {
	runtime.GC()
	runtime.GC() // the memory that the pools release survives the first collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
