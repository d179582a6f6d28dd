package main

import "sync/atomic"

// barberPlain has the waiting room as a channel. A customer who finds it full is made to wait by
// Go, not by trying again.
func barberPlain(n int) uint64 {
	room := make(chan *int, roomSize)
	go func() {
		r := newRandom(2)
		for range n {
			room <- new(int)
			busy(r.below(cutEffort) + 10)
		}
		close(room)
	}()
	done, r := uint64(0), newRandom(1)
	for range room {
		busy(r.below(cutEffort) + 10)
		done++
	}
	return done
}

// messageRoom is the waiting room.
type messageRoom struct {
	waiting []node
	asleep  bool
	barber  node
}

func (r *messageRoom) do(self node, m msg) {
	switch {
	case m.op == opNext && len(r.waiting) == 0:
		r.asleep = true
		r.barber.send(self, msg{op: opStart, from: self})
	case m.op == opNext:
		r.barber.send(self, msg{op: opTake, from: r.waiting[0]})
		r.waiting = r.waiting[1:]
	case len(r.waiting) == roomSize:
		m.from.send(self, msg{op: opOther})
	default:
		r.waiting = append(r.waiting, m.from)
		if r.asleep {
			r.asleep = false
			self.send(self, msg{op: opNext})
		} else {
			m.from.send(self, msg{op: opNext})
		}
	}
}

// barberMessage has room in its channels for all customers' messages.
func barberMessage(c crew, n int) uint64 {
	out := make(chan uint64, 1)
	var room node
	b := c.spawn(n, func(node) behaviour {
		r := newRandom(1)
		return func(self node, m msg) {
			if m.op == opTake {
				m.from.send(self, msg{op: opStart})
				busy(r.below(cutEffort) + 10)
				m.from.send(self, msg{op: opDone})
				room.send(self, msg{op: opNext})
			}
		}
	})
	room = c.spawn(4*n, func(node) behaviour { return (&messageRoom{asleep: true, barber: b}).do })
	f := c.spawn(4*n, func(self node) behaviour { return messageFactory(c, self, room, n, out) })
	f.send(nil, msg{op: opStart})
	return <-out
}

func messageFactory(c crew, self, room node, n int, out chan<- uint64) behaviour {
	r, made, done := newRandom(2), 0, 0
	customer := func(me node, m msg) {
		if m.op == opOther || m.op == opDone {
			self.send(me, msg{op: m.op, from: me})
		}
	}
	return func(_ node, m msg) {
		switch m.op {
		case opStart:
			room.send(self, msg{op: opTake, from: c.spawn(4, func(node) behaviour { return customer })})
			busy(r.below(cutEffort) + 10)
			if made++; made < n {
				self.send(self, msg{op: opStart})
			}
		case opOther:
			room.send(self, msg{op: opTake, from: m.from})
		case opDone:
			if done++; done == n {
				out <- uint64(done)
			}
		}
	}
}

// uctPlain grows the tree level by level on this goroutine, with the asking shared out, and then
// traverses it on all processors.
func uctPlain(n int) uint64 {
	n = n / uctChildren * uctChildren
	g := newGrowth(n)
	g.asking = 1
	type level struct{ efforts []int }
	var all []level
	now := 1
	for now > 0 {
		var l level
		for range now {
			if g.grant() {
				e := g.effort()
				for range uctChildren {
					l.efforts = append(l.efforts, e)
				}
			}
		}
		inParallel(len(l.efforts), func(int) { busy(uctAsking) })
		now = len(l.efforts)
		all = append(all, l)
	}
	var visited atomic.Uint64
	for _, l := range all {
		inParallel(len(l.efforts), func(i int) { busy(l.efforts[i]) })
		visited.Add(uint64(len(l.efforts)))
	}
	return visited.Load()
}
