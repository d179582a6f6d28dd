package main

type messageRoot struct {
	growth
	c        crew
	visited  int
	children []node
	out      chan<- uint64
}

func (r *messageRoot) do(self node, m msg) {
	switch m.op {
	case opStart:
		r.asking = 1
		r.grant()
		r.children = messageBear(r.c, self, self, r.effort())
	case opTake:
		if r.grant() {
			m.from.send(self, msg{op: opTake, x: r.effort()})
		} else if r.asking == 0 {
			for _, n := range r.children {
				n.send(self, msg{op: opNext})
			}
		}
	case opDone:
		if r.visited++; r.visited == r.size {
			r.out <- uint64(r.visited)
		}
	}
}

type messageTreeNode struct {
	c        crew
	root     node
	effort   int
	children []node
}

func messageBear(c crew, self, root node, effort int) []node {
	children := make([]node, uctChildren)
	for i := range children {
		children[i] = c.spawn(2, func(node) behaviour {
			return (&messageTreeNode{c: c, root: root, effort: effort}).do
		})
		children[i].send(self, msg{op: opStart})
	}
	return children
}

func (n *messageTreeNode) do(self node, m msg) {
	switch m.op {
	case opStart:
		busy(uctAsking)
		n.root.send(self, msg{op: opTake, from: self})
	case opTake:
		n.children = messageBear(n.c, self, n.root, m.x)
	case opNext:
		busy(n.effort)
		for _, child := range n.children {
			child.send(self, msg{op: opNext})
		}
		n.root.send(self, msg{op: opDone})
	}
}

func uctMessage(c crew, n int) uint64 {
	out := make(chan uint64, 1)
	n = n / uctChildren * uctChildren
	c.spawn(2*n, func(node) behaviour {
		return (&messageRoot{growth: newGrowth(n), c: c, out: out}).do
	}).send(nil, msg{op: opStart})
	return <-out
}
