package explore

import (
	"fmt"
	"math/rand/v2"
)

// Strategy describes which schedules to run. It is a value without state; each
// exploration starts it anew. The zero value is not usable.
type Strategy struct {
	name  string
	start func() picker
}

// String is the strategy's name and parameters.
func (s Strategy) String() string { return s.name }

// picker is a strategy at work.
type picker interface {
	begin() bool // whether there is another schedule; it starts now
	// A thread out of c.enabled, which has two or more; -1 if lost.
	pick(c choice) int
	end()            // the schedule is over
	exhausted() bool // whether every schedule of the strategy's space was run
}

// choice is one decision.
type choice struct {
	enabled set
	current int // the thread that ran last and could go on, or -1
	step    int // position in the trace
}

// stay is the choice that preempts no thread.
func (c choice) stay() int {
	if c.current >= 0 {
		return c.current
	}
	return c.enabled.first()
}

// ranked is the thread at the given rank: stay first, then by age.
func (c choice) ranked(rank int) int {
	stay := c.stay()
	if rank == 0 {
		return stay
	}
	return c.enabled.without(stay).nth(rank - 1)
}

// newRand is a generator for one strategy; stream keeps strategies apart.
func newRand(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// counted is the part that strategies with a number of schedules share.
type counted struct{ left int }

func (c *counted) begin() bool     { c.left--; return c.left >= 0 }
func (c *counted) end()            {}
func (c *counted) exhausted() bool { return false }

// Random picks each step's thread with equal chances, in n schedules.
func Random(seed uint64, n int) Strategy {
	return Strategy{fmt.Sprintf("random(seed %d)", seed), func() picker {
		return &random{counted{n}, newRand(seed, 1)}
	}}
}

type random struct {
	counted
	rng *rand.Rand
}

func (r *random) pick(c choice) int { return c.enabled.nth(r.rng.IntN(c.enabled.size())) }

// Fuzz is one schedule, chosen by the bytes: each decision takes one, of which
// zero preempts none; when they are used up no thread is preempted any more. For
// testing.F, one exploration per input.
func Fuzz(data []byte) Strategy {
	return Strategy{fmt.Sprintf("fuzz(%d bytes)", len(data)), func() picker {
		return &fuzz{counted{1}, data}
	}}
}

type fuzz struct {
	counted
	data []byte
}

func (f *fuzz) pick(c choice) int {
	if len(f.data) == 0 {
		return c.stay()
	}
	b := int(f.data[0])
	f.data = f.data[1:]
	return c.ranked(b % c.enabled.size())
}

// Replay is one schedule, that of the trace of a failure. A replay string's name
// (up to the colon) may be left in place. After the end of the trace no thread is
// preempted. It panics on a string that is no trace.
func Replay(trace string) Strategy {
	steps, err := decode(trace)
	if err != nil {
		panic("gallop: explore: " + err.Error())
	}
	return Strategy{"replay", func() picker { return &replay{counted{1}, steps} }}
}

type replay struct {
	counted
	steps []byte
}

// pick follows the trace; a thread that is not enabled there means divergence.
func (r *replay) pick(c choice) int {
	if c.step >= len(r.steps) {
		return c.stay()
	}
	return int(r.steps[c.step])
}
