package group_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/supervise"
)

// testWorker is a member of a pool that starts its members. A negative number makes it panic.
type testWorker struct {
	start int // number of the start, over all hands
	log   *[]jobLog
}

// jobLog is a number that a hand has lifted.
type jobLog struct {
	start int
	id    uint64
	n     int
	ref   actor.Ref[testWorker]
}

func (h *testWorker) handle(c *actor.Context, n int) {
	if n < 0 {
		panic(fmt.Sprint("cannot lift ", n))
	}
	*h.log = append(*h.log, jobLog{h.start, c.ActorID(), n, actor.Self[testWorker](c)})
}

func (h *testWorker) do(c *actor.Context, f func(*actor.Context)) { f(c) }

var (
	testWorkerType = actor.NewType[testWorker]("hand")
	handleJob      = actor.Declare[int](testWorkerType, "lift")
	testWorkerDo   = actor.Declare[func(*actor.Context)](testWorkerType, "do")
	_              = testWorkerType.Table(handleJob.Handle((*testWorker).handle),
		testWorkerDo.Handle((*testWorker).do))
)

// testCrew makes a crew of hands that write into log.
func testCrew(log *[]jobLog) group.MemberSpec[testWorker] {
	starts := 0
	return group.MemberSpec[testWorker]{Type: testWorkerType, Init: func(h *testWorker) {
		starts++
		h.start, h.log = starts, log
	}, Backoff: supervise.Backoff{First: 100 * time.Millisecond}}
}

// ids returns how often each actor is in a log.
func ids(log []jobLog) map[uint64]int {
	n := map[uint64]int{}
	for _, l := range log {
		n[l.id]++
	}
	return n
}

// atNoTime starts a deterministic system whose time the test moves.
func atNoTime(t testing.TB, seed uint64,
	opts ...actor.Option) (*actor.System, func(time.Duration)) {
	clock := actor.NewVirtualClock(time.Time{})
	sys := start(t, append(opts, actor.WithDeterministic(seed), actor.WithClock(clock),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))...)
	return sys, func(d time.Duration) {
		t.Helper()
		if err := clock.Advance(soon(t), d); err != nil {
			t.Fatal(err)
		}
	}
}

func sendAll(t testing.TB, sys *actor.System, p actor.Handler[int], from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		p.Send(sys, i)
	}
	quiet(t, sys)
}

// TestStartPool_Restarts: "A member that fails, or ends by itself, is restarted in place, with a
// new state, after a back-off. Until then the policy passes over it".
func TestStartPool_Restarts(t *testing.T) {
	for name, policy := range map[string]group.Policy[int]{
		"round robin": group.RoundRobin[int](), "least loaded": group.LeastLoaded[int](),
		"random": group.Random[int](),
	} {
		var log []jobLog
		sys, advance := atNoTime(t, 1)
		p := group.NewPoolOf(policy, 3, handleJob, testCrew(&log)).Start(sys)
		sendAll(t, sys, p, -1, 0)
		sendAll(t, sys, p, 0, 20)
		if len(log) != 20 || len(ids(log)) != 2 {
			t.Fatalf("%s: while one is down: %v", name, log)
		}
		advance(100 * time.Millisecond)
		log = nil
		sendAll(t, sys, p, 0, 30)
		if len(log) != 30 || len(ids(log)) != 3 ||
			!slices.ContainsFunc(log, func(l jobLog) bool { return l.start == 4 }) {
			t.Fatalf("%s: after the restart: %v", name, log)
		}
		count(t, p.Len, 3)
	}
}

// TestStartPool_HashWaits: "only Hash queues messages for it", in order; the messages of others are
// not held up. "A member that the pool has started keeps its keys when it is restarted or
// replaced."
func TestStartPool_HashWaits(t *testing.T) {
	var log []jobLog
	sys, advance := atNoTime(t, 1)
	p := group.NewPoolOf(group.Hash(func(n int) uint64 { return uint64(n & 15) }), 4,
		handleJob, testCrew(&log)).Start(sys)
	sendAll(t, sys, p, 0, 64)
	of := map[int]uint64{}
	for _, l := range log {
		if who, known := of[l.n&15]; known && who != l.id {
			t.Fatalf("key %d is %d's and %d's", l.n&15, who, l.id)
		}
		of[l.n&15] = l.id
	}
	victim := of[15]
	sendAll(t, sys, p, -1, 0) // of key 15
	log = nil
	sendAll(t, sys, p, 0, 64)
	if ids(log)[victim] != 0 || len(ids(log)) != 3 {
		t.Fatalf("while %d is down: %v", victim, log)
	}
	advance(time.Second)
	if len(log) != 64 {
		t.Fatalf("%d of 64", len(log))
	}
	last := map[int]int{}
	for _, l := range log {
		if l.id != of[l.n&15] {
			t.Errorf("%d has gone to %d instead of %d", l.n, l.id, of[l.n&15])
		}
		if l.n < last[l.n&15] {
			t.Errorf("%d comes late", l.n)
		}
		last[l.n&15] = l.n
	}
}

// TestStartPool_Replaces: "A member that was ended by order is replaced by a new one at once, and
// no message is lost in between", even if it is the only one: only its own mail is lost with it.
// With Hash the successor has the keys of its predecessor.
func TestStartPool_Replaces(t *testing.T) {
	perSeed := map[int]bool{}
	for seed := range uint64(60) {
		var log []jobLog
		var dead letters
		sys, _ := atNoTime(t, seed, dead.option())
		p := group.NewPoolOf(group.Hash(func(n int) uint64 { return uint64(n & 3) }),
			1+int(seed%3), handleJob, group.MemberSpec[testWorker]{
				Type: testWorkerType, Init: func(h *testWorker) { h.log = &log }}).Start(sys)
		killer := sinkType.Spawn(sys, sink{})
		for i := range 40 {
			p.Send(sys, i)
			do.Send(sys, killer, func(_ *sink, c *actor.Context) {
				if len(log) > 0 && i%4 == 0 {
					actor.Kill(c, log[len(log)-1].ref)
				}
			})
		}
		quiet(t, sys)
		for _, d := range dead.all {
			if d.Type != "hand" || d.Behaviour != "lift" {
				t.Fatalf("seed %d: dead letter %+v", seed, d)
			}
		}
		if len(log)+len(dead.all) != 40 {
			t.Fatalf("seed %d: %d ran, %d dead letters, of 40", seed, len(log), len(dead.all))
		}
		perSeed[len(ids(log))] = true
		dead.all, log = nil, nil
		sendAll(t, sys, p, 0, 40)
		of := map[int]uint64{}
		for _, l := range log {
			if who, known := of[l.n&3]; known && who != l.id {
				t.Fatalf("seed %d: key %d has two members", seed, l.n&3)
			}
			of[l.n&3] = l.id
		}
		if len(log) != 40 {
			t.Fatalf("seed %d: %d of 40 ran", seed, len(log))
		}
		sys.Stop()
	}
	if len(perSeed) < 5 {
		t.Errorf("members were hardly replaced: %v", perSeed)
	}
}

// TestStartPool_Limit: "With one more the pool ends; the reason is a *EscalationError". "The zero
// Intensity sets no limit": a pool goes on for ever, at longer and longer intervals.
func TestStartPool_Limit(t *testing.T) {
	var log []jobLog
	sys, advance := atNoTime(t, 1)
	crew := testCrew(&log)
	endless := group.NewPoolOf(group.RoundRobin[int](), 1, handleJob, crew).Start(sys)
	crew.Intensity = supervise.Intensity{Restarts: 3, Within: time.Minute}
	limited := group.NewPoolOf(group.RoundRobin[int](), 1, handleJob, crew).Start(sys)
	for i := range 100 {
		for _, p := range []group.Pool[int]{endless, limited} {
			if i < 3 || p == endless {
				p.Send(sys, -1)
				quiet(t, sys)
			}
		}
		advance(30 * time.Second)
	}
	if endless.Status() == actor.StatusEnded {
		t.Error("the pool without a limit has ended")
	}
	if limited.Status() == actor.StatusEnded {
		t.Fatal("three failures were allowed")
	}
	for range 4 { // at once: within a minute
		limited.Send(sys, -1)
		quiet(t, sys)
		advance(time.Second)
	}
	down, err := actor.Join(soon(t), limited.Any())
	if err != nil || !errors.Is(down.Reason, supervise.ErrIntensity) ||
		!errors.Is(down.Reason, actor.ErrPanicked) {
		t.Errorf("the limited pool has ended with %v, %v", down.Reason, err)
	}
}

// TestStartPool_Backoff: the Backoff of package supervise is that of the members: it doubles up to
// Max, has a random part, and begins anew when a member has been up for ResetAfter.
func TestStartPool_Backoff(t *testing.T) {
	var log []jobLog
	sys, advance := atNoTime(t, 1)
	crew := testCrew(&log)
	crew.Backoff = supervise.Backoff{First: time.Second, Max: 4 * time.Second, Jitter: 0.25}
	p := group.NewPoolOf(group.RoundRobin[int](), 1, handleJob, crew).Start(sys)
	failure := func(want time.Duration) {
		t.Helper()
		sendAll(t, sys, p, -1, 0)
		before := len(log)
		p.Send(sys, 1)
		advance(want*3/4 - time.Millisecond)
		if len(log) != before {
			t.Fatalf("restarted before %v", want*3/4)
		}
		advance(want/4 + 2*time.Millisecond)
		if len(log) != before+1 {
			t.Fatalf("not restarted after %v", want)
		}
	}
	for _, want := range []time.Duration{1, 2, 4, 4} {
		failure(want * time.Second)
	}
	advance(4 * time.Second)
	failure(time.Second)
}

// TestStartPool_BackPressure: members that do not keep up mute the pool, although it looks after
// them: so a pool holds its feeders back.
func TestStartPool_BackPressure(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	at, stay := make(chan struct{}), make(chan struct{})
	p := group.NewPoolOf(group.RoundRobin[func(*sink, *actor.Context)](), 1, narrowDo,
		group.MemberSpec[sink]{Type: narrowType}).Start(sys)
	p.Send(sys, func(*sink, *actor.Context) { close(at); <-stay })
	<-at
	for end := time.Now().Add(hangTimeout); p.Status() != actor.StatusOverloaded; runtime.Gosched() {
		p.Send(sys, func(*sink, *actor.Context) {})
		if time.Now().After(end) {
			t.Fatal("the pool was not muted")
		}
	}
	close(stay)
	quiet(t, sys)
}

// TestStartPool_Resize: "it starts more, or drains the youngest", whose mail runs, in every order.
func TestStartPool_Resize(t *testing.T) {
	for seed := range uint64(30) {
		var log []jobLog
		var dead letters
		sys, _ := atNoTime(t, seed, dead.option())
		p := group.NewPoolOf(group.RoundRobin[int](), 2, handleJob, testCrew(&log)).Start(sys)
		for _, n := range []int{5, 1, 3} {
			p.Resize(sys, n)
			quiet(t, sys)
			count(t, p.Len, n)
			log = nil
			for i := range 30 {
				p.Send(sys, i)
			}
			p.Resize(sys, 1)
			p.Resize(sys, n)
			quiet(t, sys)
			if len(log) != 30 || len(ids(log)) != n || len(dead.all) != 0 {
				t.Fatalf("seed %d, %d members: %v, dead letters %v", seed, n, ids(log), dead.all)
			}
		}
		sys.Stop()
	}
}

// TestStartPool_Down: "A member that is down until its pool restarts it counts as Ended" for a
// policy, so one that is only overloaded comes before it.
func TestStartPool_Down(t *testing.T) {
	var log []jobLog
	var stood []actor.Status
	sys, advance := atNoTime(t, 1)
	p := group.NewPoolOf(group.PolicyOf(func() func(int, group.Members) int {
		return func(_ int, among group.Members) int {
			stood = append(stood, among.Status(0))
			return 0
		}
	}), 2, handleJob, testCrew(&log)).Start(sys)
	sendAll(t, sys, p, -1, 0)
	sendAll(t, sys, p, 1, 2)
	advance(time.Second)
	sendAll(t, sys, p, 2, 3)
	if n := len(stood); stood[n-2] != actor.StatusEnded || stood[n-1] != actor.StatusIdle ||
		len(log) != 2 {
		t.Errorf("it stood %v", stood)
	}
}

// TestStartPool_Ends: "They are children of the pool: when it ends they are stopped, and when it is
// drained they are drained."
func TestStartPool_Ends(t *testing.T) {
	for name, end := range map[string]func(context.Context, actor.Target) error{
		"stop": actor.StopWait, "drain": actor.DrainWait,
	} {
		for seed := range uint64(20) {
			var log []jobLog
			var dead letters
			sys, _ := atNoTime(t, seed, dead.option())
			p := group.NewPoolOf(group.RoundRobin[int](), 3, handleJob, testCrew(&log)).Start(sys)
			for i := range 30 {
				p.Send(sys, i)
			}
			if err := end(soon(t), p.Any()); err != nil {
				t.Fatal(err)
			}
			if len(log)+len(dead.all) != 30 || name == "drain" && len(log) != 30 {
				t.Fatalf("%s, seed %d: %d ran, %d dead letters", name, seed, len(log),
					len(dead.all))
			}
			for _, l := range log {
				if l.ref.Status() != actor.StatusEnded {
					t.Fatalf("%s: a member goes on", name)
				}
			}
			sys.Stop()
		}
	}
}

// TestStartPool_Conserves: every message that the pool was given runs or becomes a dead letter of
// the member that had it, in every order, while members fail and are killed.
func TestStartPool_Conserves(t *testing.T) {
	for name, policy := range map[string]group.Policy[int]{
		"round robin": group.RoundRobin[int](), "least loaded": group.LeastLoaded[int](),
		"random": group.Random[int](),
		"hash":   group.Hash(func(n int) uint64 { return uint64(n) }),
	} {
		for seed := range uint64(40) {
			var log []jobLog
			var dead letters
			sys, advance := atNoTime(t, seed, dead.option())
			p := group.NewPoolOf(policy, 3, handleJob, testCrew(&log)).Start(sys)
			killer := sinkType.Spawn(sys, sink{})
			failures := 0
			for i := range 60 {
				n := i
				if i%20 == 7 {
					n = -i
					failures++
				}
				p.Send(sys, n)
				do.Send(sys, killer, func(_ *sink, c *actor.Context) {
					if i%15 == 9 && len(log) > 0 {
						actor.Kill(c, log[len(log)-1].ref)
					}
				})
			}
			advance(time.Hour)
			lost := 0
			for _, d := range dead.all {
				if d.Type != "hand" {
					t.Fatalf("%s, seed %d: dead letter %+v", name, seed, d)
				}
				if d.Message.(int) < 0 {
					failures--
				} else {
					lost++
				}
			}
			if len(log)+lost+3 != 60 || failures < 0 {
				t.Fatalf("%s, seed %d: %d ran, %d lost", name, seed, len(log), lost)
			}
			sys.Stop()
		}
	}
}

// TestMisuse_OfCrews: the panics that the comments promise.
func TestMisuse_OfCrews(t *testing.T) {
	sys := start(t)
	ok, open := group.MemberSpec[testWorker]{Type: testWorkerType}, actor.NewType[testWorker]("open")
	loose := actor.Declare[int](open, "loose")
	made := group.NewPoolOf(group.RoundRobin[int](), 1, handleJob, ok)
	try := func(n int, change func(*group.MemberSpec[testWorker])) func() {
		return func() {
			crew := ok
			change(&crew)
			group.NewPoolOf(group.RoundRobin[int](), n, handleJob, crew).Start(sys)
		}
	}
	nothing := func(*group.MemberSpec[testWorker]) {}
	for words, f := range map[string]func(){
		"NewPoolOf: 0 members": try(0, nothing),
		"with a MemberSpec without a Type": try(1,
			func(w *group.MemberSpec[testWorker]) { w.Type = nil }),
		"a negative time in a Backoff": try(1,
			func(w *group.MemberSpec[testWorker]) { w.Backoff.Max = -1 }),
		"an Intensity of 3 in 0s": try(1,
			func(w *group.MemberSpec[testWorker]) { w.Intensity.Restarts = 3 }),
		"open.loose has no method": try(1,
			func(w *group.MemberSpec[testWorker]) { w.Type = open }),
		"NewPoolOf with a zero Policy": func() {
			group.NewPoolOf(group.Policy[int]{}, 1, handleJob, ok).Start(sys)
		},
		"NewPoolOf with a Behaviour that was not": func() {
			group.NewPoolOf(group.RoundRobin[int](), 1, actor.Behaviour[testWorker, int]{}, ok).Start(sys)
		},
		"a Behaviour that was not declared for": func() {
			group.NewPoolOf(group.RoundRobin[int](), 1, loose, ok).Start(sys)
		},
		"NewPool with a zero Policy": func() { group.NewPool(group.Policy[int]{}) },
		"Resize: 0 members": func() {
			group.NewPool(group.RoundRobin[int]()).Start(sys).Resize(sys, 0)
		},
		"Resize of a Pool that does not start its members": func() {
			group.NewPool(group.RoundRobin[int]()).Resize(sys, 1)
		},
		"Join of a Pool that starts its members": func() { made.Join(sys, &double{}) },
		"Leave of a Pool that starts its":        func() { made.Leave(sys, &double{}) },
		"PolicyOf with a nil function":           func() { group.PolicyOf[int](nil) },
		"PolicyOf returned nil": func() {
			group.NewPool(group.PolicyOf(func() func(int, group.Members) int { return nil })).Start(sys)
		},
	} {
		panics(t, words, f)
	}
}

// TestStartPool_Log: failures of members are logged, the first, second, fourth and so on of a minute,
// with a path that begins with the pool's if it is the child of a supervisor; and that a pool ends
// over them.
func TestStartPool_Log(t *testing.T) {
	var out bytes.Buffer // its run is over when the test reads
	var log []jobLog
	sys, advance := atNoTime(t, 1, actor.WithLogger(slog.New(slog.NewTextHandler(&out, nil))))
	crew := testCrew(&log)
	crew.Intensity = supervise.Intensity{Restarts: 4, Within: time.Minute}
	pool := group.NewPoolOf(group.RoundRobin[int](), 1, handleJob, crew)
	supervise.Start(sys, supervise.Spec{Name: "app", Children: []supervise.Child{pool.Child("hands")}})
	quiet(t, sys)
	for range 5 {
		pool.Send(sys, -1)
		quiet(t, sys)
		advance(5 * time.Second)
	}
	falls, ends := 0, 0
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, `level=WARN msg="gallop: child failed, and backs off" `) &&
			strings.Contains(line, "child=app/hands/members/1 child_type=hand ") {
			falls++
		} else if strings.Contains(line, `level=ERROR msg="gallop: supervisor gave up" `) &&
			strings.Contains(line, "child=app/hands/members ") {
			ends++
		}
	}
	if falls != 3 || ends != 1 {
		t.Errorf("%d falls and %d ends in the log, want 3 and 1:\n%s", falls, ends, out.String())
	}
}

// TestStartPool_LogIsNotFlooded: the falls of all members of a pool are counted together for that.
func TestStartPool_LogIsNotFlooded(t *testing.T) {
	var out bytes.Buffer // its run is over when the test reads
	var log []jobLog
	sys, _ := atNoTime(t, 1, actor.WithLogger(slog.New(slog.NewTextHandler(&out, nil))))
	crew := testCrew(&log)
	pool := group.NewPoolOf(group.RoundRobin[int](), 100, handleJob, crew).Start(sys)
	for range 100 {
		pool.Send(sys, -1)
	}
	quiet(t, sys)
	if n := strings.Count(out.String(), "child failed, and backs off"); n != 7 {
		t.Errorf("%d lines about 100 falls, want 7:\n%s", n, out.String())
	}
}

// TestStartPool_ResizeKeepsMail: a bad job in a member that leaves costs no good one behind it,
// whether the member falls before the pool is resized or after that, also if its mailbox is bounded.
func TestStartPool_ResizeKeepsMail(t *testing.T) {
	narrow := actor.NewType[testWorker]("narrow", actor.WithBound(4, actor.OverflowMute))
	narrowJob := actor.Declare[int](narrow, "lift")
	narrow.Table(narrowJob.Handle((*testWorker).handle))
	const jobs = 40
	for name, tt := range map[string]struct {
		bounded     bool
		backoff     supervise.Backoff
		fallsBefore bool
	}{
		"At once":  {false, supervise.NoBackoff, false},
		"Bounded":  {true, supervise.NoBackoff, false},
		"Back-off": {false, supervise.Backoff{First: time.Second}, false},
		"Is down":  {false, supervise.Backoff{First: time.Second}, true},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				var log []jobLog
				sys, advance := atNoTime(t, seed)
				crew := testCrew(&log)
				crew.Backoff = tt.backoff
				var pool group.Pool[int]
				if tt.bounded {
					crew.Type = narrow
					pool = group.NewPoolOf(group.RoundRobin[int](), 2, narrowJob, crew).Start(sys)
				} else {
					pool = group.NewPoolOf(group.RoundRobin[int](), 2, handleJob, crew).Start(sys)
				}
				for i := range jobs {
					if i >= 2 && i < 6 {
						pool.Send(sys, -1)
					}
					pool.Send(sys, i)
				}
				if tt.fallsBefore {
					quiet(t, sys)
				}
				pool.Resize(sys, 1)
				quiet(t, sys)
				advance(time.Minute)
				quiet(t, sys)
				if len(log) != jobs {
					t.Errorf("seed %d: %d of %d jobs have run", seed, len(log), jobs)
				}
				count(t, pool.Len, 1)
				st := sys.Stats()
				if st.Spawned-st.Stopped != 3 {
					t.Errorf("seed %d: %d actors, want the pool, its supervisor and a member", seed,
						st.Spawned-st.Stopped)
				}
			}
		})
	}
}

// TestStartPool_CrewEnds: "If the supervisor is ended by order, the pool fails". A pool that is ended
// itself ends normally, although its crew ends before it. An interceptor cannot refuse the message.
func TestStartPool_CrewEnds(t *testing.T) {
	for how, end := range map[string]func(actor.Sender, actor.Target){
		"stop": actor.Stop, "drain": actor.Drain, "kill": actor.Kill,
	} {
		for kind, make := range map[string]func(sys *actor.System) (supervise.Child, func() actor.AnyRef){
			"Pool": func(sys *actor.System) (supervise.Child, func() actor.AnyRef) {
				p := group.NewPoolOf(group.RoundRobin[int](), 2, handleJob, testCrew(new([]jobLog)))
				return p.Child("x"), p.Any
			},
			"AskPool": func(sys *actor.System) (supervise.Child, func() actor.AnyRef) {
				p := group.NewAskPoolOf(group.RoundRobin[int](), 2, question,
					group.MemberSpec[oracle]{Type: oracleType})
				return p.Child("x"), p.Any
			},
		} {
			sys, _ := atNoTime(t, 1, actor.WithInterceptor(actor.Interceptor{
				Before: func(*actor.Context, *actor.Invocation) error { return errors.New("no") }}))
			child, ref := make(sys)
			var failed []string
			supervise.Start(sys, supervise.Spec{Name: "app", Children: []supervise.Child{child},
				OnEvent: func(e supervise.Event) {
					if e.Kind == supervise.ChildFailed {
						failed = append(failed, e.Reason.Error())
					}
				}})
			quiet(t, sys)
			crew := crewOf(t, sys)
			first := ref()
			end(sys, crew)
			quiet(t, sys)
			if want := "gallop: group: the supervisor of the members has ended"; len(failed) != 1 ||
				failed[0] != want || ref() != first || crewOf(t, sys) == crew {
				t.Errorf("%s of the crew of a %s: failures %v", how, kind, failed)
			}
			end(sys, first)
			down, err := actor.Join(soon(t), first)
			if normal := actor.IsNormal(down.Reason); err != nil || normal != (how != "kill") ||
				errors.Is(down.Reason, group.ErrCrewEnded) {
				t.Errorf("%s of a %s: %v, %v", how, kind, down.Reason, err)
			}
			sys.Stop()
		}
	}
}

// crewOf returns the only supervisor of members in a system.
func crewOf(t *testing.T, sys *actor.System) (crew supervise.Supervisor) {
	t.Helper()
	for _, ref := range kernel.Supervisors.Of(kernel.SystemOf(sys)) {
		var s supervise.Supervisor
		setRef(&s.Ref, ref)
		if n, err := supervise.Tree(soon(t), s); err != nil || n.Name == "members" {
			crew = s
		}
	}
	return crew
}

// setRef stores a ref whose type of state has no name here.
func setRef[S any](to *actor.Ref[S], ref kernel.AnyRef) { *to = actor.Ref[S](ref) }
