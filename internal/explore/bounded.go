package explore

import "fmt"

// Bounded runs every schedule with at most so many preemptions, depth first. It
// stops after max schedules; 0 means no maximum. A preemption takes the turn from
// a thread that could go on; giving way by waiting, spinning or ending is free.
// A negative number of preemptions means any number. Result.Exhausted reports whether all
// schedules were run: then the exploration is a proof up to that bound.
func Bounded(preemptions, max int) Strategy {
	return Strategy{fmt.Sprintf("bounded(%d preemptions)", preemptions), func() picker {
		return &bounded{limit: preemptions, max: max}
	}}
}

// bounded walks the tree of decisions. path is the present branch: the threads taken at its
// decisions, and the threads that remain to be taken there.
type bounded struct {
	limit, max int
	runs       int
	path       []branch
	depth      int // decisions of this schedule so far
	used       int // preemptions of this schedule so far
	complete   bool
}

type branch struct {
	choice choice // to detect a scenario that does not repeat itself
	taken  int
	todo   set
}

func (b *bounded) begin() bool {
	b.depth, b.used = 0, 0
	if b.runs > 0 && !b.advance() {
		b.complete = true
		return false
	}
	b.runs++
	return b.max <= 0 || b.runs <= b.max
}

func (b *bounded) end()            {}
func (b *bounded) exhausted() bool { return b.complete }

// advance moves to the next branch, at the deepest decision where a thread remains. It returns
// false if there is no such decision.
func (b *bounded) advance() bool {
	for i := len(b.path) - 1; i >= 0; i-- {
		if br := &b.path[i]; br.todo != 0 {
			br.taken = br.todo.first()
			br.todo = br.todo.without(br.taken)
			b.path = b.path[:i+1]
			return true
		}
	}
	return false
}

func (b *bounded) pick(c choice) int {
	if b.depth == len(b.path) {
		b.path = append(b.path, b.fork(c))
	}
	br := &b.path[b.depth]
	if br.choice != c {
		return -1
	}
	b.depth++
	if c.current >= 0 && br.taken != c.current {
		b.used++
	}
	return br.taken
}

// fork is a new decision, at which staying comes first.
func (b *bounded) fork(c choice) branch {
	br := branch{choice: c, taken: c.stay()}
	if free := c.current < 0; free || b.limit < 0 || b.used < b.limit {
		br.todo = c.enabled.without(br.taken)
	}
	return br
}
