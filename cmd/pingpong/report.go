package main

import (
	"errors"
	"fmt"
)

// A report holds all measurements of one scenario.
type report struct {
	scenario scenario
	// operations in a turn: the number asked for, and the number that fits the work
	asked, n int
	seed     uint64

	gallop, channels []turn // the turns that ended with a count
	cut              turn   // gallop's turn that did not
	peakKB           uint64 // of this process
	gogc             *uint64
	interrupted      bool
	err              error // the first thing that was wrong
}

func newReport(s scenario, opts options) report {
	return report{scenario: s, asked: opts.asked(s), n: opts.job(s).n, seed: opts.seed}
}

// addGallop adds a turn and checks it.
func (r *report) addGallop(t turn) {
	if t.err != nil {
		r.cut = t
		r.fail(t.err)
		return
	}
	r.gallop = append(r.gallop, t)
	r.checkCount("gallop", t)
	if st := t.stats; st.DeadLetters > 0 || st.Panics > 0 {
		r.fail(fmt.Errorf("%d dead letters and %d panics in a run that should have none",
			st.DeadLetters, st.Panics))
	}
}

func (r *report) addChannels(t turn) {
	if t.err != nil {
		r.fail(t.err)
		return
	}
	r.channels = append(r.channels, t)
	r.checkCount("the channels", t)
}

func (r *report) checkCount(who string, t turn) {
	if want := r.scenario.expected(r.n); t.got != want {
		r.fail(fmt.Errorf("%s counted %d, but %d is right", who, t.got, want))
	}
}

func (r *report) fail(err error) {
	if r.err == nil {
		r.err = err
		r.interrupted = errors.Is(err, errInterrupted)
	}
}

// isOver reports whether another turn would be of no use.
func (r *report) isOver() bool { return r.err != nil }

func (r *report) ok() bool { return r.err == nil }

// shown returns the turn whose figures are shown for gallop: the median, or, if no turn was
// completed, the turn that was cut short.
func (r *report) shown() turn {
	if len(r.gallop) == 0 {
		return r.cut
	}
	return median(r.gallop)
}

// nsPerOp is the median time of an operation, or 0 if there is none.
func (r *report) nsPerOp(turns []turn) float64 {
	if len(turns) == 0 {
		return 0
	}
	return float64(median(turns).wall.Nanoseconds()) / float64(r.n)
}

// ratio is how many times as fast as the channels gallop was, or 0 if that is unknown.
func (r *report) ratio() float64 {
	if len(r.gallop) == 0 || len(r.channels) == 0 {
		return 0
	}
	return r.nsPerOp(r.channels) / r.nsPerOp(r.gallop)
}

// allocsPerOp is the number of allocations per operation in the median turn, or nil
// if there is no complete turn.
func (r *report) allocsPerOp(turns []turn) *float64 {
	if len(turns) == 0 {
		return nil
	}
	return new(float64(median(turns).allocs) / float64(r.n))
}
