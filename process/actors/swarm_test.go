package actors_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// swarm is a system of actors and processes that send, ask, link, fail and kill by chance. In every
// case, each sent message has run or become a dead letter, and the system becomes quiet. Half of
// the processes mute the actors that send to them. These send to none of their kind, or two with
// full mailboxes could wait for each other.
type swarm struct {
	t      *testing.T
	sys    *actor.System
	procs  *process.System
	budget atomic.Int64

	sent, ran, dead, asked, answered atomic.Int64

	// Of a foul swarm: see swarm_misdeeds_test.go.
	mu       sync.Mutex
	fate     map[uint64]string
	ids      atomic.Uint64
	deeds    []string
	tree     supervise.Supervisor
	seed     uint64
	foul     atomic.Bool
	slips    atomic.Uint64
	pool     group.Pool[sting]
	topic    group.Topic[sting]
	registry group.Registry[any, int]

	bees  [8]atomic.Pointer[actor.Ref[bee]]
	wasps [2 * bounded]atomic.Pointer[process.Ref[sting]]
}

// bounded is how many processes have a mailbox with a bound or watermarks: the first ones.
const bounded = 4

// bee returns an actor of the swarm. One that has ended may be replaced.
func (s *swarm) bee(r *rand.Rand, from actor.Sender) actor.Ref[bee] {
	at := &s.bees[r.IntN(len(s.bees))]
	if b := at.Load(); b != nil && (b.Status() != actor.StatusEnded || r.IntN(2) == 0) {
		return *b
	}
	b := beeType.Spawn(from, bee{})
	at.Store(&b)
	return b
}

// wasp returns a process of the swarm, one of those from the given one on.
func (s *swarm) wasp(r *rand.Rand, env process.Env, first int) process.Ref[sting] {
	i := first + r.IntN(len(s.wasps)-first)
	at := &s.wasps[i]
	if w := at.Load(); w != nil {
		if _, over := w.Result(); !over || r.IntN(2) == 0 {
			return *w
		}
	}
	var w process.Ref[sting]
	switch {
	case i >= bounded:
		w = process.Spawn(env, func(self *process.Self[sting]) { s.fly(self, 0) })
	case i%2 == 0:
		w = process.Spawn(env, func(self *process.Self[sting]) { s.fly(self, bounded) },
			process.WithBound(1))
	default:
		w = process.Spawn(env, func(self *process.Self[sting]) { s.fly(self, bounded) },
			process.WithWatermarks(3, 1))
	}
	at.Store(&w)
	return w
}

// sting is a message of the swarm, to an actor or a process.
type sting struct {
	s    *swarm
	seed uint64
	back process.ReplyTo[int] // of a request to a process
	id   uint64               // of one that is counted
	mark bool                 // news of an end, which the runtime sends
	asks bool
}

type bee struct{ seat int }

var (
	beeType = actor.NewType[bee]("bee", actor.WithKeep(func(*bee) { beeKept() }))
	beeDo   = actor.Declare[sting](beeType, "do")
	beeAsk  = actor.DeclareAsk[sting, int](beeType, "ask")
	beeHear = actor.Declare[actor.Result[int]](beeType, "hear")
	beeDown = actor.Declare[actor.Down](beeType, "down")
	beeExit = actor.Declare[actor.Exit](beeType, "exit")
)

var beeKept func()

func init() {
	beeType.Table(
		beeDo.Handle(func(_ *bee, c *actor.Context, m sting) { m.s.beeDoes(c, m) }),
		beeAsk.Handle(func(_ *bee, c *actor.Context, m sting) (int, error) {
			m.s.beeDoes(c, m)
			return 1, nil
		}),
		beeDown.Handle(func(*bee, *actor.Context, actor.Down) {}),
		beeExit.Handle(func(*bee, *actor.Context, actor.Exit) {}),
		beeHear.Handle(func(_ *bee, c *actor.Context, _ actor.Result[int]) {
			swarmOf(c.System()).answered.Add(1)
		}),
	)
	beeKept = func() { swarms.Load().misbehave(4) }
	beeType.OnStart((*bee).started)
	beeType.OnStop(func(*bee, *actor.Context, error) { swarms.Load().misbehave(10) })
}

// beeDoes runs a message that an actor has been sent. The marked ones are not counted.
func (s *swarm) beeDoes(c *actor.Context, m sting) {
	if m.mark {
		return
	}
	s.ran.Add(1)
	s.met(m, "ran")
	s.act(c, actors.Env(c), c, nil, 0, m.seed)
	s.foulBee(c, m.seed)
}

var swarms atomic.Pointer[swarm]

func swarmOf(*actor.System) *swarm { return swarms.Load() }

// fly is a process of the swarm, which sends to those from the given one on. It ends by chance, for
// good reasons and for bad ones.
func (s *swarm) fly(self *process.Self[sting], first int) {
	from := actors.Sender(self)
	for {
		m := self.Receive()
		if m.mark {
			continue
		}
		s.ran.Add(1)
		s.met(m, "ran in process")
		r := rand.New(rand.NewPCG(m.seed, 1))
		if m.asks && r.IntN(4) > 0 {
			m.back.Reply(self, 1)
		}
		switch r.IntN(40) {
		case 3, 4, 5, 6:
			s.misdeed(self, r)
		case 0:
			panic("planted")
		case 1:
			self.Exit(errPlanted)
		case 2:
			return
		}
		s.act(from, self, nil, self, first, m.seed)
		s.foulWasp(self, m.seed)
	}
}

// misdeed does a forbidden thing, or gives others a function that fails. The process may end for
// it; no message is lost, and no other process suffers.
func (s *swarm) misdeed(self *process.Self[sting], r *rand.Rand) {
	fails := []func(){func() { panic("planted") }, runtime.Goexit, func() { self.Sleep(1) },
		func() { runtime.LockOSThread() }, func() { self.ReceiveWithin(0, func(sting) bool { return false }) }, func() {}}[r.IntN(6)]
	none := func() sting { fails(); return sting{s: s, mark: true} }
	other := s.wasps[r.IntN(len(s.wasps))].Load()
	defer func() {
		if r.IntN(2) == 0 {
			_ = recover()
		}
	}()
	switch r.IntN(11) {
	case 0:
		self.Blocking(fails)
	case 1:
		self.ReceiveWithin(0, func(sting) bool { fails(); return false })
	case 2:
		process.TrySelect(self, self.Receives(nil, func(sting) bool { fails(); return false }))
	case 3:
		process.TrySelect(self, process.When(&process.Event{}, func() bool { fails(); return true }))
	case 4:
		if other != nil {
			self.Watch(other.Process, func(process.Down) sting { return none() })
		}
	case 5:
		if other != nil {
			self.Link(other.Process)
			self.TrapExit(func(process.Exit) sting { return none() })
		}
	case 6:
		if other != nil {
			self.Link(other.Process)
			self.Unlink(other.Process)
		}
	case 7:
		if b := s.bees[r.IntN(len(s.bees))].Load(); b != nil {
			actors.Watch(self, *b, func(actor.Down) sting { return none() })
		}
	case 8:
		one := process.RecvFrom(process.NewChan[int](0), nil, nil)
		process.Select(self, one, one)
	case 9:
		runtime.LockOSThread()
		self.Yield()
	case 10:
		new(process.Once).Do(self, fails)
	}
}

// send counts a message that is sent next, and keeps how.
func (s *swarm) send(m *sting, how string) {
	m.id = uint64(s.sent.Add(1)) + s.ids.Add(1)<<32
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fate == nil {
		s.fate = map[uint64]string{}
	}
	s.fate[m.id] = how
}

// met records the fate of a message.
func (s *swarm) met(m sting, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fate[m.id] += "; " + what
}

// act does one or two things by chance: in a behaviour, whose Context is c, or in a process.
func (s *swarm) act(from actor.Sender, env process.Env, c *actor.Context,
	self *process.Self[sting], first int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 2))
	for range 1 + r.IntN(3) {
		if s.budget.Add(-1) < 0 {
			return
		}
		b, w := s.bee(r, from), s.wasp(r, env, first)
		m := sting{s: s, seed: r.Uint64()}
		switch what := r.IntN(20); {
		case what < 7:
			s.send(&m, fmt.Sprint("do to ", b))
			beeDo.Send(from, b, m)
		case what < 14:
			s.sting(env, w, m)
		case what < 16 && self != nil:
			s.send(&m, fmt.Sprint("Call of ", b))
			s.asked.Add(1)
			_, _ = actors.Call(self, beeAsk, b, m)
			s.answered.Add(1)
		case what < 16:
			s.asked.Add(1)
			actors.AskTo(c, w, func(back process.ReplyTo[int]) sting {
				s.send(&m, "AskTo") // not if the process has ended: then none is made
				m.back, m.asks = back, true
				return m
			}, beeHear, actor.Within(1000))
		case what == 16 && self != nil:
			actors.Link(self, b)
		case what == 16:
			actor.Link(c, actors.Ref(c, w.Process))
		case what == 17 && r.IntN(4) == 0:
			w.Kill(env)
		case what == 18 && r.IntN(8) == 0:
			actor.Stop(from, b)
		case what == 19:
			w.Cancel(env, errPlanted)
		}
	}
}

// sting sends to a process. One that is unwound while it waits for room has sent nothing.
func (s *swarm) sting(env process.Env, w process.Ref[sting], m sting) {
	s.send(&m, fmt.Sprint("to process ", w))
	over := false
	defer func() {
		if !over {
			s.met(m, "unsent")
			s.sent.Add(-1)
		}
	}()
	w.Send(env, m)
	over = true
}

// noteDead counts sent messages that will not run. Messages of the runtime are not counted, here or
// as sent.
func (s *swarm) noteDead(l actor.DeadLetter) {
	if m, ours := l.Message.(sting); ours && !m.mark {
		s.dead.Add(1)
		s.met(m, "dead: "+fmt.Sprintf("%T", l.Reason)+l.Behaviour)
	}
}

// run lets the swarm fly, and returns how many actors were muted.
func (s *swarm) run(t *testing.T, seed uint64, foul bool, o actor.Option) (mutes uint64) {
	s.t, s.seed = t, seed
	opts := []actor.Option{o, quietLogger, actor.WithHooks(actor.Hooks{DeadLetter: s.noteDead})}
	if foul {
		opts = append(s.foulOptions(), o)
	}
	s.sys = actor.Start(opts...)
	defer s.sys.Stop()
	swarms.Store(s)
	logOf[s.sys] = &logs{}
	defer delete(logOf, s.sys)
	s.procs = actors.Join(s.sys)
	s.budget.Store(3000)
	r := rand.New(rand.NewPCG(seed, 3))
	if foul {
		s.foulBegin(r)
		s.foul.Store(true)
	}
	for range 20 {
		one, two := sting{s: s, seed: r.Uint64()}, sting{s: s, seed: r.Uint64()}
		s.send(&one, "from outside")
		beeDo.Send(s.sys, s.bee(r, s.sys), one)
		s.send(&two, "from outside, to a process")
		s.wasp(r, s.procs, 0).Send(s.procs, two)
	}
	quiet(t, s.sys)
	if foul {
		s.foulEnd(t)
		quiet(t, s.sys)
	}
	st := s.sys.Stats()
	equal(t, "muted still", st.Mutes-st.Unmutes, uint64(0))
	var tree string
	if foul {
		tree = fmt.Sprint(s.sys.Why())
		for i := range s.bees {
			if b := s.bees[i].Load(); b != nil {
				tree += fmt.Sprint("; ", *b, " ", b.Status())
			}
		}
	}
	s.sys.Stop() // messages left in mailboxes of processes become dead letters
	if sent, ran, dead := s.sent.Load(), s.ran.Load(), s.dead.Load(); sent != ran+dead {
		t.Errorf("seed %d: %d sent, %d ran and %d dead", seed, sent, ran, dead)
		t.Log(tree)
		for _, d := range s.deeds {
			t.Log(d)
		}
		for id, f := range s.fate {
			if strings.Count(strings.ReplaceAll(f, "; unsent", ""), ";") != 1 && !strings.Contains(f, "unsent") {
				t.Logf("%d: %s", id, f)
			}
		}
	}
	return st.Mutes
}

// swarmSeeds returns the first seed, and how many there are. GALLOP_SWARM=7 repeats one;
// GALLOP_SWARM=0-9999 runs many, of which none need mute.
func swarmSeeds(t *testing.T) (first, n uint64) {
	var last uint64
	switch found, _ := fmt.Sscanf(os.Getenv("GALLOP_SWARM"), "%d-%d", &first, &last); {
	case found == 2 && last >= first:
		return first, last - first + 1
	case found == 1:
		return first, 1
	case testing.Short():
		return 0, 12
	}
	return 0, 60
}

// TestSwarm: conservation, with processes and actors in one system.
func TestSwarm(t *testing.T) {
	first, seeds := swarmSeeds(t)
	mutes := uint64(0)
	for seed := first; seed < first+seeds; seed++ {
		o := []actor.Option{actor.WithWorkers(1), actor.WithWorkers(2), actor.WithWorkers(4),
			actor.WithDeterministic(seed + 1)}[seed%4]
		foul := seed%8 >= 4 // every second seed of each kind of run
		t.Run(fmt.Sprint(seed), func(t *testing.T) { mutes += new(swarm).run(t, seed, foul, o) })
	}
	if mutes == 0 && seeds > 1 {
		t.Error("no actor was muted")
	}
}
