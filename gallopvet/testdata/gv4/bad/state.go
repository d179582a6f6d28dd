package bad

import (
	"context"
	"sync"
	"time"

	"cases/step"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

type tally struct {
	n     int
	name  string
	words []string
	done  bool
}

var leaked *tally

func (s *tally) meet() {
	step.Meet(0)
	s.n++
	s.name = "renamed"
	s.words = append(s.words[:0], "word")
	step.Meet(0)
}

// Read is read in a goroutine.
func (s *tally) Read(*actor.Context, struct{}) {
	go func() {
		step.Meet(1)
		_ = s.n // want `GV4: a goroutine reads the state of the actor \(tally.n\), which behaviours write \(line \d+\): the two may race`
		step.Meet(1)
	}()
	s.meet()
}

// Write is written in a goroutine, and read by the next behaviour.
func (s *tally) Write(*actor.Context, struct{}) {
	go func() {
		step.Meet(1)
		s.n = 2 // want `a goroutine writes the state of the actor \(tally.n\), which behaviours use`
		step.Meet(1)
	}()
	s.meet()
}

// Loop is a method that runs in a goroutine.
func (s *tally) Loop(*actor.Context, struct{}) {
	go s.loop()
	s.meet()
}

func (s *tally) loop() {
	step.Meet(1)
	if s.name == "" { // want `a goroutine reads the state of the actor \(tally.name\), which behaviours write`
		return
	}
	step.Meet(1)
}

// Group is a goroutine of a group.
func (s *tally) Group(c *actor.Context, _ struct{}) {
	var g sync.WaitGroup
	g.Go(func() {
		step.Meet(1)
		s.name = "" // want `a function that Go runs elsewhere writes the state of the actor \(tally.name\)`
		step.Meet(1)
	})
	s.meet()
	c.Blocking(g.Wait)
}

// Timer is a function of a timer.
func (s *tally) Timer(*actor.Context, struct{}) {
	time.AfterFunc(0, func() {
		step.Meet(1)
		_ = s.words[0] // want `a function that AfterFunc runs elsewhere reads the state of the actor \(tally.words\)`
		step.Meet(1)
	})
	s.meet()
}

// Pipe reads in a function of Pipe.
func (s *tally) Pipe(c *actor.Context, _ struct{}) {
	actor.Pipe(c, tallied, func(context.Context) (int, error) {
		step.Meet(1)
		n := s.n // want `a function that Pipe runs elsewhere reads the state of the actor \(tally.n\)`
		step.Meet(1)
		return n, nil
	})
	s.meet()
}

func (s *tally) Tallied(*actor.Context, actor.Result[int]) {}

// Child makes a child, whose init function runs in the child's turn.
func (s *tally) Child(c *actor.Context, _ struct{}) {
	supervise.StartUnder(c, supervise.Spec{Name: "family", Children: []supervise.Child{
		supervise.Worker[tally]{Name: "child", Type: tallyType, Init: func(child *tally) {
			step.Meet(1)
			child.n = s.n // want `a function that runs elsewhere reads the state of the actor \(tally.n\)`
			step.Meet(1)
		}},
	}})
	s.meet()
}

// Leak puts the state into a package-level variable.
func (s *tally) Leak(*actor.Context, struct{}) {
	leaked = s // want `the state of the running actor is put into leaked`
	go func() {
		step.Meet(1)
		leaked.n++
		step.Meet(1)
	}()
	s.meet()
}

// Post sends the state itself.
func (s *tally) Post(c *actor.Context, _ struct{}) {
	got.Send(c, tallyType.Spawn(c, tally{}), s) // want `s leads to the state of the running actor, which another actor gets with this message`
	s.meet()
}

func (*tally) Got(_ *actor.Context, other *tally) {
	step.Meet(1)
	_ = other.n
	step.Meet(1)
}

var (
	tallyType = actor.NewType[tally]("tally")
	reads     = actor.Declare[struct{}](tallyType, "reads")
	writes    = actor.Declare[struct{}](tallyType, "writes")
	loops     = actor.Declare[struct{}](tallyType, "loops")
	groups    = actor.Declare[struct{}](tallyType, "groups")
	timers    = actor.Declare[struct{}](tallyType, "timers")
	pipes     = actor.Declare[struct{}](tallyType, "pipes")
	children  = actor.Declare[struct{}](tallyType, "children")
	leaks     = actor.Declare[struct{}](tallyType, "leaks")
	posts     = actor.Declare[struct{}](tallyType, "posts")
	tallied   = actor.Declare[actor.Result[int]](tallyType, "tallied")
	got       = actor.Declare[*tally](tallyType, "got")
	_         = tallyType.Table(
		reads.Handle((*tally).Read), writes.Handle((*tally).Write), loops.Handle((*tally).Loop),
		groups.Handle((*tally).Group), timers.Handle((*tally).Timer), pipes.Handle((*tally).Pipe),
		children.Handle((*tally).Child), leaks.Handle((*tally).Leak), posts.Handle((*tally).Post),
		tallied.Handle((*tally).Tallied), got.Handle((*tally).Got),
	)
)

func init() {
	for name, b := range map[string]actor.Behaviour[tally, struct{}]{
		"reads": reads, "writes": writes, "loops": loops, "groups": groups, "timers": timers,
		"pipes": pipes, "children": children, "leaks": leaks, "posts": posts,
	} {
		step.Case("gv4/"+name, step.Race, func() {
			sys := step.Start()
			b.Send(sys, tallyType.Spawn(sys, tally{name: "first", words: []string{"a"}}), struct{}{})
			_ = sys.Run()
		})
	}
}
