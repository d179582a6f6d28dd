package actor_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// The swarm is many small systems, each with a random mixture of workloads from one seed. In each
// of them every message that was sent ran or became a dead letter, nothing runs after its end, the
// counters of the system agree, and the system becomes quiet.

// swarm is one of these systems, with its counts.
type swarm struct {
	sys    *actor.System
	seed   uint64
	names  []string // of the workloads
	budget atomic.Int64

	sent, ran, dead, asked, answered atomic.Int64
	crashed, late, restarts          atomic.Int64
	moved, broken                    atomic.Int64
	alien                            atomic.Pointer[actor.PanicReport] // a panic of the runtime's own

	mu   sync.Mutex
	bees []actor.Ref[bee]
}

// bee is an actor of a swarm.
type bee struct {
	s     *swarm
	next  actor.Ref[bee]
	ended bool
	owes  []actor.Deferred[int]
}

// task is a message to a bee: a function, and its arguments.
type task struct {
	do   func(*bee, *actor.Context, *rand.Rand, task)
	left int // hops, or levels
	seed uint64
}

var (
	beeFell    = actor.Declare[actor.ChildDown](beeType, "fell")
	beeType    = actor.NewType[bee]("bee")
	beeDo      = actor.Declare[task](beeType, "do")
	beeAsk     = actor.DeclareAsk[int, int](beeType, "ask")
	beePromise = actor.DeclareAsk[int, int](beeType, "owe")
	beeHear    = actor.Declare[actor.Result[int]](beeType, "hear")
)

// The table is filled here because the methods name the behaviours.
func init() {
	beeType.Table(beeDo.Handle((*bee).Do), beeAsk.Handle((*bee).Ask), beeHear.Handle((*bee).Hear),
		beePromise.Handle((*bee).Promise), beeFell.Handle((*bee).Fell))
}

func (b *bee) count() {
	b.s.ran.Add(1)
	if b.ended {
		b.s.late.Add(1)
	}
}

func (b *bee) Do(c *actor.Context, m task) {
	b.count()
	m.do(b, c, rand.New(rand.NewPCG(m.seed, b.s.seed)), m)
}

func (b *bee) Ask(_ *actor.Context, n int) (int, error)   { b.count(); return n + 1, nil }
func (b *bee) Hear(_ *actor.Context, _ actor.Result[int]) { b.count(); b.s.answered.Add(1) }
func (s *swarm) spend() bool                              { return s.budget.Add(-1) >= 0 }
func (s *swarm) send(from actor.Sender, to actor.Ref[bee], m task) {
	if !to.IsZero() && s.spend() { // a sink has no next bee
		s.sent.Add(1)
		beeDo.Send(from, to, m)
	}
}

// ask counts the request and the reply.
func (s *swarm) ask(c *actor.Context, to actor.Ref[bee]) { s.askWith(c, beeAsk, to) }

func (s *swarm) askWith(c *actor.Context, b actor.AskBehaviour[bee, int, int], to actor.Ref[bee]) {
	if !to.IsZero() && s.spend() {
		s.sent.Add(2)
		s.asked.Add(1)
		actor.AskTo(c, b, to, 1, beeHear)
	}
}

func (s *swarm) spawn(from actor.Sender, next actor.Ref[bee]) actor.Ref[bee] {
	b := beeType.Spawn(from, bee{s: s, next: next})
	s.know(b)
	return b
}

func (s *swarm) know(b actor.Ref[bee]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bees = append(s.bees, b)
}

// any returns a bee by chance. It may have ended.
func (s *swarm) any(r *rand.Rand) actor.Ref[bee] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bees[r.IntN(len(s.bees))]
}

// hatch makes the system of a seed.
func hatch(seed uint64, budget int) *swarm {
	r := rand.New(rand.NewPCG(seed, 0))
	s := &swarm{seed: seed}
	s.budget.Store(int64(budget))
	s.sys = actor.Start(actor.WithWorkers(1+r.IntN(4)), actor.WithBatch([]int{1, 5, 100}[r.IntN(3)]),
		actor.WithRandSeed(seed),
		actor.WithLogger(silent), actor.WithHooks(actor.Hooks{DeadLetter: s.noteDead}), actor.WithHooks(
			actor.Hooks{Panic: s.hurt}))
	sink := s.spawn(s.sys, actor.Ref[bee]{})
	for range 1 + r.IntN(12) {
		name := workloadNames[r.IntN(len(workloadNames))]
		s.names = append(s.names, name)
		s.send(s.sys, s.spawn(s.sys, sink), task{workloads[name], 1 + r.IntN(8), r.Uint64()})
	}
	// It is not one of the names, so that the seeds of old bugs keep their meaning.
	if r.IntN(2) == 0 {
		s.names = append(s.names, "defers")
		s.send(s.sys, s.spawn(s.sys, sink), task{defers, 1 + r.IntN(8), r.Uint64()})
	}
	return s
}

// goroutines starts n goroutines that send until the budget is spent or the system refuses.
func (s *swarm) goroutines(n int) *sync.WaitGroup {
	wg := new(sync.WaitGroup)
	for g := range n {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(s.seed, uint64(g)+1))
			for range 200 {
				if !s.spend() {
					return
				}
				m := task{rest, 0, 0}
				if err := beeDo.TrySend(s.sys, s.any(r), m); err == nil {
					s.sent.Add(1)
				} else if errors.Is(err, actor.ErrSystemStopped) {
					return
				}
			}
		})
	}
	return wg
}

// run brings the swarm to an end, in one of several ways, and reports faults.
func (s *swarm) run() error {
	r := rand.New(rand.NewPCG(s.seed, 1<<32))
	outside := s.goroutines(r.IntN(3))
	how := r.IntN(3)
	done := make(chan error, 1)
	go func() {
		switch how {
		case 0:
			outside.Wait()
			done <- s.sys.Run()
		case 1:
			done <- s.sys.Run()
		default:
			for s.budget.Load() > 500 && s.sys.Stats().Turns == 0 {
				runtime.Gosched()
			}
			s.sys.Stop()
			done <- nil
		}
	}()
	if err := s.watch(done); err != nil {
		return err
	}
	outside.Wait()
	s.sys.Stop()
	return s.audit()
}

// audit compares the counts.
func (s *swarm) audit() error {
	st := s.sys.Stats()
	sent, ran, dead := s.sent.Load(), s.ran.Load(), s.dead.Load()
	switch p := s.alien.Load(); {
	case p != nil:
		return fmt.Errorf("%s#%d has panicked in %s: %v\n%s", p.Type, p.ActorID, p.Behaviour, p.Value,
			p.Stack)
	case sent != ran+dead:
		return fmt.Errorf("%d sent, but %d ran + %d dead = %d: %+v", sent, ran, dead, ran+dead, st)
	case uint64(ran) != st.Messages || uint64(dead) != st.DeadLetters:
		return fmt.Errorf("%d ran and %d are dead; the system says %+v", ran, dead, st)
	case uint64(s.crashed.Load()) != st.Panics:
		return fmt.Errorf("%d crashed; the system says %+v", s.crashed.Load(), st)
	case s.broken.Load() != 0:
		return fmt.Errorf("%d crates arrived with another hash", s.broken.Load())
	case s.late.Load() != 0:
		return fmt.Errorf("%d behaviours of actors that had ended", s.late.Load())
	case st.Mutes != st.Unmutes:
		return fmt.Errorf("%d muted and %d let go", st.Mutes, st.Unmutes)
	}
	return nil
}

// watch waits for the end, and gives up when nothing has run for long.
func (s *swarm) watch(done <-chan error) error {
	for last, same := int64(-1), 0; same < 3; same++ { // a jump of the clock counts once
		select {
		case err := <-done:
			return err
		case <-time.After(testLimit / 3):
			if now := s.ran.Load() + s.dead.Load(); now != last {
				last, same = now, 0
			}
		}
	}
	return errors.New("no progress: " + s.picture())
}

// picture describes the state of a swarm that makes no progress.
func (s *swarm) picture() string {
	st := s.sys.Stats()
	stacks := make([]byte, 1<<20)
	return fmt.Sprintf("%d sent, %d ran, %d dead, %d muted and %d let go; workers %+v\n%s",
		s.sent.Load(), s.ran.Load(), s.dead.Load(), st.Mutes, st.Unmutes, st.Workers,
		stacks[:runtime.Stack(stacks, true)])
}

// record writes a file from which a failure can be repeated.
func (s *swarm) record(t *testing.T, budget int, err error) {
	dir := os.Getenv("GALLOP_BATCHES")
	if dir == "" {
		return
	}
	text := fmt.Sprintf("seed %d\nbudget %d\nworkloads %q\n%s %s/%s, %d processors\n\n%v\n",
		s.seed, budget, s.names, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(
			0), err)
	name := filepath.Join(dir, fmt.Sprintf("swarm-%d.txt", s.seed))
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Error(err)
	}
}

// swarmTime returns how long the swarm goes on: the duration GALLOP_SOAK, or 0 for a number of
// rounds.
func swarmTime(t *testing.T) time.Duration {
	text := os.Getenv("GALLOP_SOAK")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	must(t, err)
	return d
}

// TestSwarm: "Each runs exactly once or becomes a dead letter", over mixtures of the workloads in
// swarm_work_test.go. GALLOP_SWARM repeats one seed. With GALLOP_BATCHES, failures are written to
// that directory.
func TestSwarm(t *testing.T) {
	rounds, budget, first := nightly(60, 20_000), 4000, uint64(1)
	if text := os.Getenv("GALLOP_SWARM"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		must(t, err)
		rounds, first = 1, n
	}
	blobs := heap.Blobs().Live
	t.Cleanup(func() { actor.BlobsAreCollected(t, blobs) })
	begin, length := time.Now(), swarmTime(t)
	if length > 0 {
		rounds = 0 // by the clock only
	}
	var messages, faults, restarts, regions int64
	seed := first
	for ; seed < first+uint64(rounds) || time.Since(begin) < length; seed++ {
		s := hatch(seed, budget)
		if err := s.run(); err != nil {
			s.record(t, budget, err)
			t.Fatalf("%v\nworkloads %q\nagain: GALLOP_SWARM=%d go test -run '^TestSwarm$' ./actor", err,
				s.names, seed)
		}
		messages += s.sent.Load()
		faults += s.crashed.Load()
		restarts += s.restarts.Load()
		regions += s.moved.Load()
	}
	t.Logf("%d seeds, %d messages, %d faults, %d restarts, %d regions moved, none lost or doubled",
		seed-first, messages, faults, restarts, regions)
}

// TestSwarm_SeedsOfBugs: seeds that once showed a bug.
func TestSwarm_SeedsOfBugs(t *testing.T) {
	blobs := heap.Blobs().Live
	t.Cleanup(func() { actor.BlobsAreCollected(t, blobs) })
	for _, c := range []struct {
		seed uint64
		bug  string
	}{
		{36022, "an actor that was down ran its mail, on an empty state, when its system stopped"},
	} {
		for range nightly(30, 3000) {
			if err := hatch(c.seed, 4000).run(); err != nil {
				t.Fatalf("%s: %v", c.bug, err)
			}
		}
	}
}
