package main

import "math"

// A shape is a graph of nodes that send each other items. A node is an actor, a process with a
// mailbox or a goroutine with a channel: see runners.go.
type shape struct {
	name string
	// make returns the graph for so many items in flight. Its nodes are used for one run.
	make func(flight int) graph
}

// graph has node 0 as the gate: it lets items in, and takes them back. The gate does no work.
type graph struct {
	nodes []node
	// start is where the first items go, one each.
	start []int
	// out is how many items come back to the gate before it lets the first others in, or would.
	out int
	// each is how many come back for each call of the gate's next that lets others in.
	each int
	// stages is how many nodes work on an item; the share of the work that a node does is in nodes.
	stages int
	// width is how many nodes can work at a time.
	width float64
}

// node is one of a graph: it works for weight units, and then sends to the nodes that next returns.
type node struct {
	weight float64
	next   func() []int
	first  bool // it sends before it works
}

// to is the next of a node that always sends to the same ones.
func to(nodes ...int) func() []int { return func() []int { return nodes } }

var shapes = []shape{
	{"pipeline of 2", func(n int) graph { return pipeline(2, n) }},
	{"pipeline of 5", func(n int) graph { return pipeline(5, n) }},
	{"pipeline of 20", func(n int) graph { return pipeline(20, n) }},
	{"pipeline of 5 that sends first", sendsFirst},
	{"pool of 8", pool},
	{"scatter and gather", scatter},
	{"fork and join, uneven", fork},
	{"publish to so many", publish},
	{"ring of 20, tokens", ring},
	{"request and reply", requests},
}

// pipeline is a chain of k stages, with so many items in it.
func pipeline(k, flight int) graph {
	g := graph{nodes: make([]node, k+1), stages: k, out: flight, each: 1, width: float64(min(k, flight))}
	for i := range g.nodes {
		g.nodes[i] = node{weight: 1, next: to((i + 1) % (k + 1))}
	}
	g.nodes[0].weight = 0
	return g.filled(flight, 1)
}

// sendsFirst is a pipeline in which each stage passes an item on before it works on it, but for the
// last.
func sendsFirst(flight int) graph {
	const k = 5
	g := pipeline(k, flight)
	for i := 1; i < k; i++ {
		g.nodes[i].first = true
	}
	g.width = k
	return g
}

// filled has the gate let in so many items by one node.
func (g graph) filled(flight, by int) graph {
	for range flight {
		g.start = append(g.start, by)
	}
	return g
}

// pool is a gate that deals items out to eight workers, in turn.
func pool(flight int) graph {
	const k = 8
	g := graph{nodes: make([]node, k+1), stages: 1, out: flight, each: 1, width: float64(min(k, flight))}
	for i := 1; i <= k; i++ {
		g.nodes[i] = node{weight: 1, next: to(0)}
	}
	at := 0
	var turn [k][]int
	for i := range turn {
		turn[i] = []int{1 + i}
	}
	g.nodes[0].next = func() []int { at = (at + 1) % k; return turn[at] }
	for i := range flight {
		g.start = append(g.start, 1+i%k)
	}
	return g
}

// scatter is a gate that sends to all others at once, and waits until all have answered.
func scatter(flight int) graph {
	g := graph{stages: 1, out: flight, each: flight, width: float64(flight)}
	g.nodes = make([]node, flight+1)
	for i := 1; i <= flight; i++ {
		g.nodes[i] = node{weight: 1, next: to(0)}
		g.start = append(g.start, i)
	}
	g.nodes[0].next = whenAll(flight, g.start)
	return g
}

// whenAll returns all of them each time that it has been called n times.
func whenAll(n int, all []int) func() []int {
	back := 0
	return func() []int {
		if back++; back < n {
			return nil
		}
		back = 0
		return all
	}
}

// fork is a tree: a node passes its item on to two others, the second of which does twice the work
// of the first. Only leaves work, an average of one unit each.
func fork(flight int) graph {
	g := graph{nodes: []node{{}}, stages: 1, out: flight, each: flight}
	sum, heaviest := 0.0, 0.0
	var leaves []int
	var add func(leaves int, weight float64) int
	add = func(n int, weight float64) int {
		at := len(g.nodes)
		g.nodes = append(g.nodes, node{})
		if n == 1 {
			sum += weight
			g.nodes[at] = node{weight: weight, next: to(0)}
			leaves = append(leaves, at)
		} else {
			g.nodes[at].next = to(add(n/2, weight), add(n-n/2, math.Min(2*weight, 8)))
		}
		return at
	}
	root := add(flight, 1)
	for _, i := range leaves {
		g.nodes[i].weight *= float64(flight) / sum
		heaviest = math.Max(heaviest, g.nodes[i].weight)
	}
	g.width = float64(flight) / heaviest
	g.start = []int{root}
	g.nodes[0].next = whenAll(flight, g.start)
	return g
}

// publish is a publisher and so many subscribers, each of which works on every publication. Two are
// on their way at a time.
func publish(subscribers int) graph {
	g := graph{nodes: make([]node, subscribers+2), stages: 1, out: 2 * subscribers, each: subscribers,
		width: float64(subscribers)}
	all := make([]int, subscribers)
	for i := range all {
		all[i] = 2 + i
		g.nodes[all[i]] = node{weight: 1, next: to(0)}
	}
	g.nodes[1].next = to(all...)
	g.nodes[0].next = whenAll(subscribers, []int{1})
	return g.filled(2, 1)
}

// ring is twenty nodes in a circle, the gate among them, with so many tokens at places far apart.
func ring(flight int) graph {
	const k = 20
	g := pipeline(k, 0)
	g.out = flight
	for i := range flight {
		g.start = append(g.start, 1+(i*k/flight)%k)
	}
	g.width = float64(min(k, flight))
	return g
}

// requests is a server and clients that work as long as the server does for each of them. The
// clients are behind the gate, which so sees each request.
func requests(flight int) graph {
	g := graph{nodes: make([]node, flight+2), stages: 2, out: flight, each: 1, width: float64(min(2, flight))}
	at := 0
	g.nodes[1] = node{weight: 1, next: to(0)}
	clients := make([][]int, flight)
	for i := range clients {
		clients[i] = []int{2 + i}
		g.nodes[2+i] = node{weight: 1, next: to(1)}
	}
	g.nodes[0].next = func() []int { at = (at + 1) % flight; return clients[at] }
	return g.filled(flight, 1)
}
