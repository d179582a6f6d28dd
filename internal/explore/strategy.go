package explore

import (
	"fmt"
	"math/rand/v2"
)

// Strategy chooses the schedules to run. It is a value without state; each
// exploration starts from the beginning. The zero value is not usable.
type Strategy struct {
	name  string
	start func() picker
}

// String is the strategy's name and parameters.
func (s Strategy) String() string { return s.name }

// picker is a strategy in use by an exploration.
type picker interface {
	begin() bool // starts another schedule; false if there is none
	// A thread of c.enabled, which has two or more; -1 if the schedule does not repeat itself.
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

// newRand is a generator for one strategy. Each strategy has a stream of its own.
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

// Fuzz is one schedule, chosen by the bytes of data. Each decision takes a byte; a zero preempts no
// thread. After the last byte no thread is preempted any more. For testing.F, with one exploration
// per input.
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

// Replay is one schedule, given by the trace of a failure. The trace may be a whole replay string,
// with a name and a colon. After the end of the trace no thread is preempted. Replay panics on a
// string that is no trace.
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

// pick follows the trace. Program.pick fails the schedule if the thread is not enabled.
func (r *replay) pick(c choice) int {
	if c.step >= len(r.steps) {
		return c.stay()
	}
	return int(r.steps[c.step])
}
