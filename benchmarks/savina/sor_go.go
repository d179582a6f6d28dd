package main

import "math"

// sorPlain shares the cells of one colour out among the processors.
func sorPlain(n int) uint64 {
	g := sorInitial(n)
	for range sorIterations {
		for _, red := range []bool{false, true} {
			inParallel(n, func(row int) { sorRow(g, row, n, red) })
		}
	}
	sum := uint64(0)
	for _, v := range g {
		sum += sorRound(v)
	}
	return sum
}

func sorRow(g []float64, row, n int, red bool) {
	for i := row * n; i < (row+1)*n; i++ {
		if sorRed(i, n) != red {
			continue
		}
		sum, count := 0.0, 0
		add := func(ok bool, j int) {
			if ok {
				sum += g[j]
				count++
			}
		}
		add(i >= n, i-n)
		add(i%n > 0, i-1)
		add(i%n < n-1, i+1)
		add(i < n*(n-1), i+n)
		g[i] = sorNext(g[i], sum, count)
	}
}

type messageCell struct {
	sorCell
	red        bool
	neighbours []messageLink
	total      node
}

type messageLink struct {
	to    node
	index int
}

func (c *messageCell) do(self node, m msg) {
	if m.op == opStart {
		c.neighbours = m.data.([]messageLink)
		if c.red {
			c.tell(self)
		}
		return
	}
	if !c.take(m.x, math.Float64frombits(uint64(m.y))) {
		return
	}
	if !c.red || c.iter < sorIterations {
		c.tell(self)
	}
	if c.iter == sorIterations {
		c.total.send(self, msg{x: int(sorRound(c.value))})
	}
}

func (c *messageCell) tell(self node) {
	for _, l := range c.neighbours {
		l.to.send(self, msg{op: opTake, x: l.index, y: int(math.Float64bits(c.value))})
	}
}

func sorMessage(c crew, n int) uint64 {
	total, out := messageTally(c, n*n)
	all, values := make([]node, n*n), sorInitial(n)
	for i := range all {
		cell := sorCell{value: values[i], of: len(sorNeighbours(i, n))}
		all[i] = c.spawn(8, func(node) behaviour {
			return (&messageCell{sorCell: cell, red: sorRed(i, n), total: total}).do
		})
	}
	for _, red := range []bool{false, true} {
		for i, a := range all {
			if sorRed(i, n) == red {
				var links []messageLink
				for _, j := range sorNeighbours(i, n) {
					links = append(links, messageLink{all[j], sorIndex(i, j, n)})
				}
				a.send(nil, msg{op: opStart, data: links})
			}
		}
	}
	return <-out
}
