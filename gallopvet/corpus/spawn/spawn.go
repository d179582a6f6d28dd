// Package spawn is a tree of actors whose leaves are counted, after the spawn benchmark of
// protoactor-go.
package spawn

import (
	"context"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// request asks for the sum of the leaves below.
type request struct {
	num, size, div int
	answer         actor.Handler[int]
}

// node waits for the sums of its children.
type node struct {
	left, sum int
	answer    actor.Handler[int]
}

func (s *node) ask(c *actor.Context, q request) {
	if q.size == 1 {
		q.answer.Send(c, q.num)
		c.Stop()
		return
	}
	s.left, s.answer = q.div, q.answer
	me := add.To(actor.Self[node](c))
	for i := range q.div {
		size := q.size / q.div
		ask.Send(c, nodeType.SpawnChild(c, node{}), request{q.num + i*size, size, q.div, me})
	}
}

func (s *node) add(c *actor.Context, n int) {
	s.sum += n
	if s.left--; s.left == 0 {
		s.answer.Send(c, s.sum)
		c.Stop()
	}
}

var (
	nodeType = actor.NewType[node]("node")
	ask      = actor.Declare[request](nodeType, "ask")
	add      = actor.Declare[int](nodeType, "add")
	_        = nodeType.Table(ask.Handle((*node).ask), add.Handle((*node).add))
)

// Sum adds the numbers below size, in a tree in which each node has div children.
func Sum(ctx context.Context, size, div int) (int, error) {
	sys := actor.Start()
	defer sys.Stop()
	got := make(chan int, 1)
	ask.Send(sys, nodeType.Spawn(sys, node{}), request{0, size, div, bridge.ToChan(sys, got)})
	select {
	case n := <-got:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
