package actortest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Strategy chooses the orders in which a scenario is run. No strategy finds every bug, so [Run]
// takes turns among several.
type Strategy struct {
	name  string
	plans func(seed uint64) plans
}

// String returns the strategy's name in the form that replay strings use.
func (s Strategy) String() string { return s.name }

// plans returns a new plan for each run, and nil when there are no more.
type plans func() plan

// plan makes the scheduling choices of one run.
type plan interface {
	choose(ready []int, current int) int
	systemSeed() uint64 // the system's seed
	String() string     // the replay string
}

// Random chooses each time among all workers that can run, with equal probability.
func Random() Strategy {
	return Strategy{"random", func(seed uint64) plans {
		return func() plan {
			seed++
			return newRandom(seed - 1)
		}
	}}
}

type random struct {
	seed uint64
	pcg  *rand.PCG
}

func newRandom(seed uint64) *random { return &random{seed, rand.NewPCG(seed, 1)} }

func (r *random) choose(ready []int, _ int) int {
	return ready[r.pcg.Uint64()%uint64(len(ready))]
}

func (r *random) systemSeed() uint64 { return r.seed }

func (r *random) String() string { return fmt.Sprintf("random-%d", r.seed) }

// PCT is probabilistic concurrency testing (Burckhardt and others, 2010). Workers have random
// priorities, and the worker with the highest priority runs. At depth-1 random moments the running
// worker gets the lowest priority. PCT finds bugs that need few things to happen in an unlikely
// order and everything else in a usual one. It panics if depth is not from 1 to 65,536.
func PCT(depth int) Strategy {
	if depth < 1 || depth > maxDepth {
		panic(fmt.Sprintf("gallop: actortest: PCT(%d): want 1 to %d", depth, maxDepth))
	}
	return Strategy{fmt.Sprintf("pct%d", depth), func(seed uint64) plans {
		length := uint64(100)
		var last *pct
		return func() plan {
			if last != nil {
				length = max(length, last.steps)
			}
			last = newPCT(depth, seed, length)
			seed++
			return last
		}
	}}
}

// maxDepth bounds the memory that a replay string can ask for: each change point takes some.
const maxDepth = 1 << 16

type pct struct {
	depth        int
	seed, length uint64
	pcg          *rand.PCG
	changePoints map[uint64]bool
	steps        uint64
	priority     map[int]uint64
	lowest       uint64
}

func newPCT(depth int, seed, length uint64) *pct {
	p := &pct{depth: depth, seed: seed, length: max(length, 1), pcg: rand.NewPCG(seed, 2),
		lowest: 1 << 32}
	p.changePoints, p.priority = map[uint64]bool{}, map[int]uint64{}
	for range depth - 1 {
		p.changePoints[1+p.pcg.Uint64()%p.length] = true
	}
	return p
}

func (p *pct) choose(ready []int, _ int) int {
	p.steps++
	top := p.highest(ready)
	if p.changePoints[p.steps] {
		p.lowest--
		p.priority[top] = p.lowest
		top = p.highest(ready)
	}
	return top
}

func (p *pct) highest(ready []int) int {
	best := ready[0]
	for _, id := range ready {
		if p.priorityOf(id) > p.priorityOf(best) {
			best = id
		}
	}
	return best
}

// priorityOf returns the priority of a worker. It is drawn at the first call, above all lowered
// ones.
func (p *pct) priorityOf(id int) uint64 {
	if p.priority[id] == 0 {
		p.priority[id] = p.pcg.Uint64() | 1<<33
	}
	return p.priority[id]
}

func (p *pct) systemSeed() uint64 { return p.seed }

func (p *pct) String() string { return fmt.Sprintf("pct%d-%d-%d", p.depth, p.seed, p.length) }

// Exhaustive tries, one after the other, every order with at most that many interruptions: moments
// at which a worker is interrupted that could go on. When all orders were run, none of them fails.
//
// Exhaustive is not random: [actor.Context.Rand], and the OneIn of a [Fault], draw the same in
// every order. It panics if interruptions is negative.
func Exhaustive(interruptions int) Strategy {
	if interruptions < 0 {
		panic(fmt.Sprintf("gallop: actortest: Exhaustive(%d): want at least 0", interruptions))
	}
	return Strategy{fmt.Sprintf("exhaustive%d", interruptions), func(uint64) plans {
		e := &exhaustive{limit: interruptions}
		return func() plan {
			if !e.next() {
				return nil
			}
			return e
		}
	}}
}

// exhaustive is a depth-first search. For every choice, path has the branch that was taken and the
// last one.
type exhaustive struct {
	limit   int
	path    []branch
	depth   int
	used    int // interruptions so far
	started bool
}

type branch struct{ taken, last int } // ranks: 0 is no interruption

// next goes to the next path, and reports whether there is one.
func (e *exhaustive) next() bool {
	e.depth, e.used = 0, 0
	if !e.started {
		e.started = true
		return true
	}
	for i := len(e.path) - 1; i >= 0; i-- {
		if b := &e.path[i]; b.taken < b.last {
			b.taken++
			e.path = e.path[:i+1]
			return true
		}
	}
	return false
}

func (e *exhaustive) choose(ready []int, current int) int {
	if e.depth == len(e.path) {
		b := branch{last: len(ready) - 1}
		if current >= 0 && e.used >= e.limit {
			b.last = 0
		}
		e.path = append(e.path, b)
	}
	b := e.path[e.depth]
	e.depth++
	if current >= 0 && b.taken > 0 {
		e.used++
	}
	return choiceOfRank(ready, current, b.taken)
}

// choiceOfRank returns the worker of a rank: rank 0 is the running one, then come the others by
// number. If there is no such rank, because the scenario does not repeat itself, it is the last.
func choiceOfRank(ready []int, current, rank int) int {
	rank = min(rank, len(ready)-1)
	if current < 0 {
		return ready[rank]
	}
	if rank == 0 {
		return current
	}
	for _, id := range ready {
		if id != current {
			if rank--; rank == 0 {
				return id
			}
		}
	}
	return current
}

func (*exhaustive) systemSeed() uint64 { return 0 }

// String returns, for each interruption, the number of choices without one before it, and the rank
// that is chosen.
func (e *exhaustive) String() string {
	var b strings.Builder
	b.WriteString("path")
	same := 0
	for _, br := range e.path[:min(e.depth, len(e.path))] {
		if br.taken == 0 {
			same++
			continue
		}
		fmt.Fprintf(&b, "-%d.%d", same, br.taken)
		same = 0
	}
	return b.String()
}

// parse makes a plan from a replay string.
func parse(replay string) (plan, error) {
	name, rest, _ := strings.Cut(replay, "-")
	bad := fmt.Errorf("gallop: actortest: %q is no replay string", replay)
	if chance, ok := strings.CutPrefix(name, "path"); ok {
		return parsePath(replay, chance, bad)
	}
	var n []uint64
	for _, s := range strings.Split(rest, "-") {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return nil, bad
		}
		n = append(n, v)
	}
	var p plan
	depth, err := strconv.Atoi(strings.TrimPrefix(name, "pct"))
	switch {
	case name == "random" && len(n) == 1:
		p = newRandom(n[0])
	case err == nil && depth > 0 && depth <= maxDepth && len(n) == 2:
		p = newPCT(depth, n[0], n[1])
	}
	if p == nil || p.String() != replay { // no run prints this form
		return nil, bad
	}
	return p, nil
}

// recordedPath is an order in the form of its replay string: the interruptions only, so that it
// takes no more memory than the string. An order of another strategy can be recorded too, with its
// seed.
type recordedPath struct {
	forks []departure
	seed  uint64
	at    int // index of the next departure
	same  int // choices without an interruption since the last departure
}

// departure is a number of choices without an interruption, and then the rank of one with.
type departure struct{ same, rank int }

func (r *recordedPath) choose(ready []int, current int) int {
	switch {
	case r.at == len(r.forks):
		return choiceOfRank(ready, current, 0)
	case r.same < r.forks[r.at].same:
		r.same++
		return choiceOfRank(ready, current, 0)
	}
	r.at, r.same = r.at+1, 0
	return choiceOfRank(ready, current, r.forks[r.at-1].rank)
}

func (r *recordedPath) systemSeed() uint64 { return r.seed }

// String returns the form of exhaustive, with the seed.
func (r *recordedPath) String() string {
	var b strings.Builder
	b.WriteString("path")
	if r.seed != 0 {
		b.WriteString(strconv.FormatUint(r.seed, 10))
	}
	for _, f := range r.forks {
		fmt.Fprintf(&b, "-%d.%d", f.same, f.rank)
	}
	return b.String()
}

func parsePath(replay, chance string, bad error) (plan, error) {
	r := &recordedPath{}
	if chance != "" {
		var err error
		if r.seed, err = strconv.ParseUint(chance, 10, 64); err != nil {
			return nil, bad
		}
	}
	for _, s := range strings.Split(replay, "-")[1:] {
		same, rank, _ := strings.Cut(s, ".")
		f, err := departure{}, error(nil)
		if f.same, err = strconv.Atoi(same); err != nil || f.same < 0 {
			return nil, bad
		}
		if f.rank, err = strconv.Atoi(rank); err != nil || f.rank < 1 {
			return nil, bad
		}
		r.forks = append(r.forks, f)
	}
	if r.String() != replay {
		return nil, bad
	}
	return r, nil
}
