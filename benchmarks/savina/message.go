package main

// messageTally is tally for the actor-shaped sides.
func messageTally(c crew, k int) (node, <-chan uint64) {
	out := make(chan uint64, 1)
	sum := uint64(0)
	return c.spawn(k, func(node) behaviour {
		return func(_ node, m msg) {
			sum += uint64(m.x)
			if k--; k == 0 {
				out <- sum
			}
		}
	}), out
}

// ops of messages, for all programs.
const (
	_ = iota
	opStart
	opTake
	opReply
	opDone
	opNext
	opShow
	opOther
)
