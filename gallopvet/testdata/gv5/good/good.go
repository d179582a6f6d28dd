// Package good has what GV5 must not report.
package good

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

type counter struct {
	n    int
	next actor.Ref[counter]
	sys  *actor.System
}

func (s *counter) Add(c *actor.Context, by int) {
	if s.next.IsZero() {
		return
	}
	add.Send(c, s.next, by)
	go c.System().Stop() // in a goroutine it may wait
	actor.After(c, time.Second, add, 1)
	actor.Yield(c, add, 1)
}

// Either yields once, on each path.
func (s *counter) Either(c *actor.Context, by int) {
	if by > 0 {
		actor.Yield(c, add, by)
	} else {
		actor.Yield(c, add, -by)
	}
}

// Pipe waits elsewhere.
func (s *counter) Pipe(c *actor.Context, _ struct{}) {
	other := s.next
	actor.Pipe(c, done, func(ctx context.Context) (int, error) {
		return 0, actor.StopWait(ctx, other)
	})
}

func (s *counter) Done(c *actor.Context, _ actor.Result[int]) {}

func (s *counter) Get(c *actor.Context, q int) (int, error) {
	if s.n == 0 {
		return get.Stash(c, q)
	}
	return s.n, nil
}

func (s *counter) Ask(c *actor.Context, q int) (int, error) {
	return get.Ask(c.Context(), s.next, q)
}

var (
	countType = actor.NewType[counter]("count")
	add       = actor.Declare[int](countType, "add")
	either    = actor.Declare[int](countType, "either")
	pipe      = actor.Declare[struct{}](countType, "pipe")
	done      = actor.Declare[actor.Result[int]](countType, "done")
	get       = actor.DeclareAsk[int, int](countType, "get")
	ask       = actor.DeclareAsk[int, int](countType, "ask")
	_         = countType.Table(add.Handle((*counter).Add), either.Handle((*counter).Either))
	_         = countType.Table(pipe.Handle((*counter).Pipe), done.Handle((*counter).Done))
	_         = countType.Table(get.Handle((*counter).Get), ask.Handle((*counter).Ask))
	loud      = countType.Variant(add.Handle((*counter).Either))
)

// Exported behaviours may get their methods elsewhere.
var (
	OpenType = actor.NewType[counter]("open")
	Open     = actor.Declare[int](OpenType, "open")
)

// helped gets its method in a function.
var helped = actor.Declare[int](countType, "helped")

func table(b actor.Behaviour[counter, int]) { countType.Table(b.Handle((*counter).Add)) }

func init() { table(helped) }

type node struct {
	value int
	next  heap.Ptr[node]
	text  heap.String
}

// Outside may wait.
func Outside() {
	sys := actor.Start(actor.WithWorkers(2), actor.WithLongTurn(time.Second))
	var r actor.Ref[counter]
	if r.IsZero() {
		r = countType.Spawn(sys, counter{})
	}
	add.Send(sys, r, 1)
	_ = sys.Wait(context.Background())
	var a heap.Arena
	heap.New[node](&a)
	heap.MakeSlice[int](&a, 0)
	first := actor.NewType[counter]("first")
	one := actor.Declare[int](first, "one")
	first.Table(one.Handle((*counter).Add))
	second := actor.NewType[counter]("second")
	two := actor.Declare[int](second, "one")
	second.Table(two.Handle((*counter).Add))
	one.Send(sys, first.Spawn(sys, counter{}), 1)
	two.Send(sys, second.Spawn(sys, counter{}), 1)
	defer sys.Stop()
}

// What an array holds is not known before it is instantiated, and an empty one holds nothing.
func admit[T any](a *heap.Arena) {
	heap.New[[2]T](a)
	heap.New[struct{ a [2][2]T }](a)
	heap.New[struct {
		n    int
		none [0]*int
	}](a)
}

var _ = admit[int]
