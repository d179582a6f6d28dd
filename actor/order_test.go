package actor_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/actor"
)

// ordinal is the number of a message from one sender to one receiver.
type ordinal struct{ from, no int }

// inOrder is an actor that checks that the messages of each sender come in order.
type inOrder struct {
	t    *testing.T
	next map[int]int
	got  int
}

func (r *inOrder) Take(_ *actor.Context, m ordinal) {
	if r.next[m.from] != m.no {
		r.t.Errorf("message %d of sender %d came when %d was expected", m.no, m.from, r.next[m.from])
	}
	r.next[m.from] = m.no + 1
	r.got++
}

var (
	inOrderType = actor.NewType[inOrder]("in order")
	takeInOrder = actor.Declare[ordinal](inOrderType, "take")
	_           = inOrderType.Table(takeInOrder.Handle((*inOrder).Take))
)

// TestOrder_PerPair: "Messages from one sender to one receiver run in the order in
// which they were sent": actors and goroutines, some receivers overloaded.
func TestOrder_PerPair(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers), actor.WithBatch(7))
		const senders, receivers = 6, 3
		rounds := scaled(3000)
		var to []actor.Ref[inOrder]
		for range receivers {
			to = append(to, inOrderType.Spawn(sys, inOrder{t: t, next: map[int]int{}}))
		}
		var step deed
		step = func(p *puppet, c *actor.Context) {
			for range 5 {
				for _, r := range to {
					takeInOrder.Send(c, r, ordinal{int(c.ActorID()), p.n})
				}
				p.n++
			}
			if p.n < rounds {
				do.Send(c, actor.Self[puppet](c), step)
			}
		}
		var wg sync.WaitGroup
		for g := range senders {
			if g%2 == 0 {
				do.Send(sys, puppetType.Spawn(sys, puppet{}), step)
				continue
			}
			wg.Go(func() {
				for i := range rounds {
					for _, r := range to {
						takeInOrder.Send(sys, r, ordinal{-g, i})
					}
				}
			})
		}
		wg.Wait()
		quiet(t, sys)
		if got := sys.Stats().Messages; got < uint64(senders*receivers*rounds) {
			t.Errorf("%d messages ran, want at least %d", got, senders*receivers*rounds)
		}
	})
}

// TestOrder_Causal: "if A sends to B and then to C, B sees A's message before anything that C does
// in reaction", over one and over many hops, while B and the others have other mail and are stolen.
func TestOrder_Causal(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers), actor.WithBatch(3))
		const hops = 4
		rounds := scaled(5000)
		b := puppetType.Spawn(sys, puppet{})
		var c [hops]actor.Ref[puppet]
		for i := range c {
			c[i] = puppetType.Spawn(sys, puppet{})
		}
		var forward func(i, round int) deed
		forward = func(i, round int) deed {
			return func(_ *puppet, ctx *actor.Context) {
				if i < hops-1 {
					do.Send(ctx, c[i+1], forward(i+1, round))
				}
				do.Send(ctx, b, func(p *puppet, _ *actor.Context) {
					if p.n < round {
						t.Errorf("hop %d: what came of round %d was there before round %d itself", i, round, p.n+1)
					}
				})
			}
		}
		a := puppetType.Spawn(sys, puppet{})
		var round deed
		round = func(p *puppet, ctx *actor.Context) {
			p.n++
			n := p.n
			do.Send(ctx, b, func(p *puppet, _ *actor.Context) { p.n = n })
			do.Send(ctx, c[0], forward(0, n))
			if n < rounds {
				do.Send(ctx, actor.Self[puppet](ctx), round)
			}
		}
		do.Send(sys, a, round)
		quiet(t, sys)
		n, err := value.Ask(soon(t), b, struct{}{})
		must(t, err)
		equal(t, "rounds", n, rounds)
	})
}

// world is a random load that counts the messages sent and run.
type world struct {
	sys        *actor.System
	budget     atomic.Int64 // messages that may yet be sent
	sent, ran  atomic.Int64
	dead       atomic.Int64
	crashed    atomic.Int64
	panicked   atomic.Int64
	mu         sync.Mutex
	refs       []actor.Ref[walker]
	deadAsks   atomic.Int64
	violations atomic.Int64
}

// walker is an actor of a world.
type walker struct {
	w     *world
	ended bool
}

var (
	walkerType = actor.NewType[walker]("walker")
	walk       = actor.Declare[uint64](walkerType, "walk")
	walkText   = actor.Declare[string](walkerType, "text")
	walkAsk    = actor.DeclareAsk[uint64, uint64](walkerType, "ask")
	walkReply  = actor.Declare[actor.Result[uint64]](walkerType, "reply")
)

// The table is filled here because the methods name the behaviours.
func init() {
	walkerType.Table(walk.Handle((*walker).Walk), walkText.Handle((*walker).Text),
		walkAsk.Handle((*walker).Ask), walkReply.Handle((*walker).Reply))
}

func (w *world) pick(r *rand.Rand) actor.Ref[walker] {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refs[r.IntN(len(w.refs))]
}

func (w *world) spawn(from actor.Sender) actor.Ref[walker] {
	a := walkerType.Spawn(from, walker{w: w})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refs = append(w.refs, a)
	return a
}

// spend takes one message off the budget.
func (w *world) spend() bool { return w.budget.Add(-1) >= 0 }

func (a *walker) ran() {
	a.w.ran.Add(1)
	if a.ended {
		a.w.violations.Add(1) // the walker runs after it has ended
	}
}

func (a *walker) Walk(c *actor.Context, seed uint64) { a.ran(); a.act(c, seed) }
func (a *walker) Text(c *actor.Context, s string) {
	a.ran()
	a.act(c, uint64(len(s))*c.Rand().Uint64())
}
func (a *walker) Ask(c *actor.Context, seed uint64) (uint64, error) {
	a.ran()
	a.act(c, seed)
	return seed, nil
}
func (a *walker) Reply(c *actor.Context, r actor.Result[uint64]) { a.ran(); a.act(c, r.Value) }

// act does a few random things.
func (a *walker) act(c *actor.Context, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range r.IntN(4) {
		a.send(c, r)
	}
	switch r.IntN(60) {
	case 0:
		a.w.crashed.Add(1)
		a.ended = true
		panic("walker")
	case 1:
		a.w.crashed.Add(1)
		a.ended = true
		runtime.Goexit()
	case 2, 3:
		a.ended = true
		c.Stop()
	case 4:
		actor.Stop(c, a.w.pick(r))
	}
}

func (a *walker) send(c *actor.Context, r *rand.Rand) {
	w := a.w
	if !w.spend() {
		return
	}
	to, seed := w.pick(r), r.Uint64()
	if r.IntN(10) == 0 {
		to = w.spawn(c)
	}
	switch r.IntN(8) {
	case 0:
		w.sent.Add(2) // the request and its reply
		actor.AskTo(c, walkAsk, to, seed, walkReply)
	case 1:
		if walk.TrySend(c, to, seed) == nil {
			w.sent.Add(1)
		}
	case 2:
		w.sent.Add(1)
		walkText.Send(c, to, "text")
	default:
		w.sent.Add(1)
		walk.Send(c, to, seed)
	}
}

// outside sends from a goroutine until the system refuses or the budget is spent.
func (w *world) outside(t testing.TB, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 2))
	for w.spend() {
		to, seed := w.pick(r), r.Uint64()
		var err error
		switch r.IntN(6) {
		case 0:
			if err = walk.TrySend(w.sys, to, seed); err == nil {
				w.sent.Add(1)
			}
		case 1:
			if err = walk.SendWait(soon(t), to, seed); err == nil {
				w.sent.Add(1)
			}
		case 2:
			w.sent.Add(1)
			_, err = walkAsk.Ask(soon(t), to, seed)
		case 3:
			actor.Stop(w.sys, to)
			w.spawn(w.sys)
		default:
			w.sent.Add(1)
			walkText.Send(w.sys, to, "outside")
		}
		if errors.Is(err, actor.ErrSystemStopped) {
			return
		}
	}
}

// describe returns the report of a world that hangs.
func (w *world) describe(seed uint64) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	targets := make([]actor.Target, len(w.refs))
	for i, r := range w.refs {
		targets[i] = r
	}
	return fmt.Sprintf("seed %d hangs: %d to be sent, %d sent, %d ran, %d dead\n%s", seed, w.budget.Load(),
		w.sent.Load(), w.ran.Load(), w.dead.Load(), actor.Dump(w.sys, targets...))
}

// conserve runs a world with the given numbers to its end and compares the counts.
func conserve(t *testing.T, rt *rapid.T, workers, batch, actors, goroutines, budget int,
	how string, seed uint64) {
	w := &world{}
	w.budget.Store(int64(budget))
	w.sys = actor.Start(actor.WithWorkers(workers), actor.WithBatch(batch), actor.WithRandSeed(seed),
		actor.WithLogger(silent),
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) { w.dead.Add(1) }}),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) { w.panicked.Add(1) }}))
	defer w.sys.Stop()
	// A hang is described before the test's time is up: which goroutines wait for a permit, and at
	// which gate.
	watchdog := time.AfterFunc(testLimit, func() { panic(w.describe(seed)) })
	defer watchdog.Stop()
	for range actors {
		w.spawn(w.sys)
	}
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() { w.outside(t, seed+uint64(g)) })
	}
	switch how {
	case "Wait":
		wg.Wait()
		must(t, w.sys.Wait(soon(t)))
	case "Run":
		_ = w.sys.Run()
		wg.Wait()
	case "Shutdown":
		for w.budget.Load() > int64(budget/2) {
			runtime.Gosched()
		}
		must(t, w.sys.Shutdown(soon(t)))
		wg.Wait()
	case "Stop":
		for w.budget.Load() > int64(budget/2) {
			runtime.Gosched()
		}
		w.sys.Stop()
		wg.Wait()
	}
	st := w.sys.Stats()
	sent, ran, dead := w.sent.Load(), w.ran.Load(), w.dead.Load()
	if sent != ran+dead || uint64(ran) != st.Messages || uint64(dead) != st.DeadLetters ||
		w.crashed.Load() != w.panicked.Load() || uint64(w.crashed.Load()) != st.Panics ||
		w.violations.Load() != 0 ||
		st.Mutes != st.Unmutes {
		rt.Fatalf("seed %d: %d sent, %d ran + %d dead = %d; %d crashed, %d reported, %d ran after "+
			"their end; %+v",
			seed, sent, ran, dead, ran+dead, w.crashed.Load(), w.panicked.Load(), w.violations.Load(), st)
	}
}

// TestConservation: "A message runs exactly once or becomes a dead letter, which is
// counted and reported": actors that spawn, send, ask, stop and crash at random,
// senders outside, and every way to end. The seed is printed with a failure.
func TestConservation(t *testing.T) {
	for _, how := range []string{"Wait", "Run", "Shutdown", "Stop"} {
		t.Run(how, func(t *testing.T) {
			budget := scaled(3000)
			rapid.Check(t, func(rt *rapid.T) {
				conserve(t, rt,
					rapid.IntRange(1, 4).Draw(rt, "workers"),
					rapid.SampledFrom([]int{1, 2, 5, 100}).Draw(rt, "batch"),
					rapid.IntRange(1, 20).Draw(rt, "actors"),
					rapid.IntRange(1, 4).Draw(rt, "goroutines"),
					budget, how, rapid.Uint64().Draw(rt, "seed"))
			})
		})
	}
}

// TestConservation_Crash: a crash in the middle of a batch keeps the count exact: the messages that
// ran, the message that crashed, and a dead letter for each of the rest.
func TestConservation_Crash(t *testing.T) {
	for name, crash := range map[string]deed{
		"Panic":  func(*puppet, *actor.Context) { panic("middle") },
		"Goexit": func(*puppet, *actor.Context) { runtime.Goexit() },
		"Stop":   func(_ *puppet, c *actor.Context) { c.Stop() },
	} {
		for _, at := range []int{0, 1, 49, 98, 99} {
			t.Run(fmt.Sprintf("%s/%d", name, at), func(t *testing.T) {
				var dead letters
				sys := start(t, actor.WithWorkers(1), dead.option(), actor.WithBatch(60))
				r := puppetType.Spawn(sys, puppet{})
				inside(t, sys, func(c *actor.Context) { // all messages are there at once
					for i := range 100 {
						f := func(*puppet, *actor.Context) {}
						if i == at {
							f = crash
						}
						do.Send(c, r, f)
					}
				})
				quiet(t, sys)
				st := sys.Stats()
				equal(t, "messages run", st.Messages, uint64(at+1)+1)
				equal(t, "dead letters", dead.n.Load(), int64(99-at))
				equal(t, "stopped", st.Stopped, 1)
			})
		}
	}
}

// TestStop_RacesWithSends (TestBug_K23): actors are stopped while others send to them. Each message
// ran or is a dead letter, and asks are answered.
func TestStop_RacesWithSends(t *testing.T) {
	for round := range scaled(300) {
		var dead letters
		sys := start(t, actor.WithWorkers(1+round%3), dead.option())
		r := puppetType.Spawn(sys, puppet{})
		const senders, each = 3, 20
		var wg sync.WaitGroup
		var accepted, asked atomic.Int64
		for range senders {
			wg.Go(func() {
				for i := range each {
					switch i % 3 {
					case 0:
						if count.TrySend(sys, r, 1) == nil {
							accepted.Add(1)
						}
					case 1:
						count.Send(sys, r, 1)
						accepted.Add(1)
					default:
						_, err := value.Ask(soon(t), r, struct{}{})
						if err != nil && !errors.Is(err, actor.ErrStopped) {
							t.Error(err)
						}
						asked.Add(1)
					}
				}
			})
		}
		wg.Go(func() { actor.Stop(sys, r) })
		wg.Wait()
		quiet(t, sys)
		st := sys.Stats()
		if int64(st.Messages)+dead.n.Load() != accepted.Load()+asked.Load() {
			t.Fatalf("%d sent, %d asked; %d ran, %d dead", accepted.Load(), asked.Load(), st.Messages,
				dead.n.Load())
		}
		equal(t, "stopped", st.Stopped, 1)
		sys.Stop()
	}
}
