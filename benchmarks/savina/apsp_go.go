package main

import "sync"

// apspPlain has the rows shared out among the processors, with a barrier in every step.
func apspPlain(n int) uint64 {
	n = n / apspBlock * apspBlock
	d := distances(n)
	parts := processors()
	for k := range n {
		var wg sync.WaitGroup
		through := d[k*n:][:n]
		for p := range parts {
			wg.Go(func() {
				for i := p * n / parts; i < (p+1)*n/parts; i++ {
					relaxRow(d[i*n:][:n], through, d[i*n+k])
				}
			})
		}
		wg.Wait()
	}
	return sumDistances(d)
}

func relaxRow(row, through []int32, to int32) {
	for j, v := range row {
		row[j] = min(v, to+through[j])
	}
}

func apspMessage(c crew, n int) uint64 {
	n = n / apspBlock * apspBlock
	d, across := distances(n), n/apspBlock
	total, out := messageTally(c, across*across)
	all := make([]node, across*across)
	for i := range all {
		g := newGrid(d, n, i/across, i%across)
		all[i] = c.spawn(8*across, func(node) behaviour {
			return (&messageBlock{grid: g,
				total: total}).do
		})
	}
	for _, b := range all {
		b.send(nil, msg{op: opStart, data: all})
	}
	return <-out
}

type messageBlock struct {
	grid
	neighbours []node
	total      node
}

func (b *messageBlock) do(self node, m msg) {
	switch {
	case m.op == opStart:
		for i, n := range m.data.([]node) {
			if row, col := i/b.across, i%b.across; (row == b.row) != (col == b.col) {
				b.neighbours = append(b.neighbours, n)
			}
		}
		b.tell(self)
	case b.take(blockData{m.x, m.y, m.z, m.data.([]int32)}):
		b.compute()
		if b.step < b.steps {
			b.tell(self)
		} else {
			b.total.send(self, msg{x: int(sumDistances(b.data))})
		}
	}
}

func (b *messageBlock) tell(self node) {
	for _, n := range b.neighbours {
		n.send(self, msg{op: opTake, x: b.row, y: b.col, z: b.step, data: b.data})
	}
}
