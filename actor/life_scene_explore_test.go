//go:build gallop_explore

package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
)

// scene is a stage with a child, on whose life the operations act, and with the actors around it.
//
//	super ──supervises──▶ child ──parent of──▶ a pup of each life, and those of its acts
//	                       ▲ ▲
//	      linked, monitor  │ │  by the acts
//	               peer ───┘ └─── friend
type scene struct {
	stage
	super, child, peer, friend Ref[player]
	heir                       Ref[player] // the actor that has got the child's name

	// The events so far. Only one thread of a scene runs at a time, so plain memory is enough.
	said, ran, dead    []int // words
	sentActs, lostActs int
	panics             int
	replies            chan Result[int]
	asked              int
	watches            []Monitor
	downs              map[Monitor][]error
	ties               int // links of friend and child
	exits              map[*kernel.Cell][]error
	falls, finals      int
	begun, stopped     int // OnStart and OnStop of the child
	pups               []pup
	named              []error // errors of the attempts to give the child's name to another actor
}

// pup is a child of the child.
type pup struct {
	r    Ref[player]
	life int
}

const childName = "child"

// player is the state of every actor of a scene.
type player struct {
	s       *scene
	isChild bool
}

type act = func(*player, *Context)

var (
	playerType = NewType[player]("player")
	playerSay  = Declare[int](playerType, "say")
	playerAct  = Declare[act](playerType, "act")
	playerExit = Declare[Exit](playerType, "exit")
	playerDown = Declare[Down](playerType, "down")
	playerFell = Declare[ChildDown](playerType, "fell")
	playerAsk  = DeclareAsk[int, int](playerType, "ask")
	_          = playerType.Table(playerSay.Handle((*player).say), playerAct.Handle((*player).act),
		playerExit.Handle((*player).exit),
		playerDown.Handle((*player).down), playerFell.Handle((*player).fell),
		playerAsk.Handle((*player).answer))
)

// The behaviours spawn actors of the type, so this is not in its declaration.
func init() { playerType.OnStart((*player).start).OnStop((*player).stop) }

// start checks that a life begins after the last one has ended.
func (a *player) start(c *Context) error {
	if s := a.s; a.isChild {
		if s.begun != s.stopped {
			s.p.Errorf("life %d begins when %d have ended", s.begun+1, s.stopped)
		}
		s.begun++
		s.bear(c)
	}
	return nil
}

// stop checks that children have ended before their parent.
func (a *player) stop(_ *Context, _ error) {
	if s := a.s; a.isChild {
		if s.stopped++; s.begun != s.stopped {
			s.p.Errorf("life %d ends when %d have begun", s.stopped, s.begun)
		}
		s.noPups("OnStop")
	}
}

func (a *player) say(_ *Context, n int)                 { a.s.ran = append(a.s.ran, n) }
func (a *player) act(c *Context, f act)                 { f(a, c) }
func (a *player) answer(_ *Context, n int) (int, error) { return 2 * n, nil }

func (a *player) exit(c *Context, e Exit) {
	a.s.exits[c.kernel().Self] = append(a.s.exits[c.kernel().Self], e.Reason)
	a.s.noPups("Exit")
	a.s.nameless("Exit")
}

func (a *player) down(_ *Context, d Down) {
	a.s.downs[d.Monitor] = append(a.s.downs[d.Monitor], d.Reason)
	a.s.noPups("Down")
	a.s.nameless("Down")
}

// fell restarts the child whenever it can be restarted.
func (a *player) fell(c *Context, f ChildDown) {
	if f.Final {
		a.s.finals++
		a.s.noPups("ChildDown")
		a.s.nameless("ChildDown")
		return
	}
	a.s.falls++
	Restart(c, f.Ref)
}

// bear spawns a child of the child, in its turn.
func (s *scene) bear(c *Context) {
	s.pups = append(s.pups, pup{playerType.SpawnChild(c, player{s: s}), s.begun})
}

// noPups checks that news of the child's end comes after the ends of its children.
func (s *scene) noPups(news string) {
	for _, k := range s.pups {
		if !k.r.target().System.Closed() {
			s.p.Errorf("%s before a child of life %d has ended", news, k.life)
		}
	}
}

// nameless checks that code that has learned of the child's end finds its name free.
func (s *scene) nameless(news string) {
	if v, _ := s.sys.kernel().Names.M.Load(childName); v == s.child.target() {
		s.p.Errorf("%s, and it still has its name", news)
	}
}

// newScene makes a scene: the child is up, has its name, a pup, a link to peer, a monitor of
// peer's, and two words in its mailbox.
func newScene(p *explore.Program) *scene {
	s := &scene{replies: make(chan Result[int], 2), downs: map[Monitor][]error{},
		exits: map[*kernel.Cell][]error{}}
	infoOf(playerType).OwnedIn() // made at its first use, which would otherwise be in a thread
	s.stage = newStage(p, WithHooks(Hooks{Panic: func(PanicReport) {
		s.panics++
	}}), WithHooks(Hooks{DeadLetter: s.deadLetter}))
	s.super, s.peer, s.friend = s.spawn(), s.spawn(), s.spawn()
	s.act(s.super, func(_ *player, c *Context) {
		s.child = SpawnSupervised(c, playerType, func(a *player) { *a = player{s, true} }, playerFell)
	})
	s.tidyUp()
	s.act(s.child, func(_ *player, c *Context) { _ = c.Register(childName) })
	s.act(s.friend, func(_ *player, c *Context) { TrapExit(c, playerExit) })
	s.act(s.peer, func(_ *player, c *Context) {
		TrapExit(c, playerExit)
		Link(c, s.child)
		s.watch(c)
	})
	s.tidyUp()
	s.word(1)
	s.word(2)
	return s
}

func (s *scene) spawn() Ref[player] { return playerType.Spawn(s.sys, player{s: s}) }

// word sends the child one word.
func (s *scene) word(n int) {
	s.said = append(s.said, n)
	playerSay.Send(s.sys, s.child, n)
}

// act makes an actor do something.
func (s *scene) act(who Ref[player], f act) {
	s.sentActs++
	playerAct.Send(s.sys, who, func(a *player, c *Context) {
		s.sentActs--
		f(a, c)
	})
}

// watch makes the running actor watch the child.
func (s *scene) watch(c *Context) { s.watches = append(s.watches, Watch(c, s.child, playerDown)) }

func (s *scene) deadLetter(d DeadLetter) {
	switch d.Behaviour {
	case "say":
		s.dead = append(s.dead, d.Message.(int))
	case "act":
		s.lostActs++
	}
	if d.ActorID == s.child.target().ID {
		s.nameless("a dead letter")
	}
}

// lifeOp is an operation of another actor on the child, in a thread of its own. i tells two
// operations of the same kind apart.
type lifeOp struct {
	name  string
	do    func(s *scene, i int)
	ends  error // the child ends with this reason; nil: it does not end
	anew  bool  // it gets a new life, if it does not end
	falls bool  // it is a fall, of which the supervisor may be told
}

var lifeOps = []lifeOp{
	{name: "spawn", do: func(s *scene, _ int) {
		s.act(s.child, func(_ *player, c *Context) { s.bear(c) })
	}},
	{name: "send", do: func(s *scene, i int) { s.word(10*i + 1); s.word(10*i + 2) }},
	{name: "ask", do: func(s *scene, i int) {
		s.asked++
		askInto(context.Background(), playerAsk, s.child, i, s.replies)
	}},
	{name: "link", do: (*scene).tie},
	{name: "monitor", do: func(s *scene, _ int) {
		s.act(s.friend, func(_ *player, c *Context) { s.watch(c) })
	}},
	{name: "stop", do: func(s *scene, _ int) { Stop(s.sys, s.child) }, ends: ErrShutdown},
	{name: "drain", do: func(s *scene, _ int) { Drain(s.sys, s.child) }, ends: ErrShutdown},
	{name: "kill", do: func(s *scene, _ int) { Kill(s.sys, s.child) }, ends: ErrKilled},
	{name: "panic", do: (*scene).hurt, anew: true, falls: true},
	{name: "suspend", do: func(s *scene, _ int) { Suspend(s.sys, s.child) }, anew: true, falls: true},
	{name: "restart", do: func(s *scene, _ int) { Restart(s.sys, s.child) }, anew: true},
	{name: "name", do: (*scene).christen},
}

// tie links friend to the child, or the child to friend.
func (s *scene) tie(i int) {
	who, to := s.friend, s.child
	if i == 2 {
		who, to = to, who
	}
	s.act(who, func(_ *player, c *Context) { s.ties++; Link(c, to) })
}

func (s *scene) hurt(int) { s.act(s.child, func(*player, *Context) { panic("on purpose") }) }

// christen gives the child's name to another actor, if it is free.
func (s *scene) christen(int) {
	over := s.child.Status() == StatusEnded
	r, err := playerType.SpawnNamed(s.sys, childName, player{s: s})
	if err == nil {
		s.heir = r
	} else if over && s.heir == (Ref[player]{}) {
		s.p.Errorf("the name of the dead: %v", err)
	}
	s.named = append(s.named, err)
}

// lifePair is the scenario of two operations on the child.
func lifePair(a, b lifeOp) func(*explore.Program) {
	return func(p *explore.Program) {
		s := newScene(p)
		p.Go(func() { a.do(s, 1) })
		p.Go(func() { b.do(s, 2) })
		s.man()
		p.After(func() error { return s.judge(a, b) })
	}
}

// close ends all actors that are left, and the system.
func (s *scene) close() error {
	s.sys.kernel().Sched.WakeAll()
	Stop(s.sys, s.super)
	s.tidyUp()
	for _, r := range []Ref[player]{s.peer, s.friend, s.heir} {
		if r.target() != nil {
			Stop(s.sys, r)
		}
	}
	s.tidyUp()
	if err := s.resting(); err != nil {
		return err
	}
	return s.sys.Shutdown(context.Background())
}
