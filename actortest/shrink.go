package actortest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// An order that was found at random interrupts workers in a hundred places, most of which have
// nothing to do with the failure. So the choices of the failing run are recorded, and as many as
// possible are removed: without a choice the running worker goes on. This is delta debugging
// (Zeller and Hildebrandt, 2002) over the interruptions. But removing a choice changes the meaning
// of later choices, so the search gets stuck at choices that only work together. Then all orders
// with few choices are tried as long as there is time, first orders with none and one: most
// ordering bugs need one or two (Musuvathi and Qadeer, 2007).

const (
	defaultShrink     = 2 * time.Second
	maxShrinkRuns     = 3000 // runs; on most machines reached before the time limit
	exhaustiveChoices = 2    // all orders with that many are tried
)

// WithShrink sets how much real time [Run] and [RunFails] spend to find a simpler order that fails
// in the same way: 2 s by default, and at most 3,000 runs. The failure and the replay command then
// belong to the simpler order. With 0 the order is printed as it was found. WithShrink panics if d
// is negative.
//
// A failure counts as the same if its first line is the same, apart from numbers.
func WithShrink(d time.Duration) Option {
	if d < 0 {
		panic("gallop: actortest: WithShrink(" + d.String() + "): want at least 0")
	}
	return func(c *config) { c.shrink = d }
}

// record records a choice by its rank, and reports whether it interrupts the running worker.
func (o *outcome) record(ready []int, current, chosen int) (turned bool) {
	rank := rankOf(ready, current, chosen)
	o.ranks, o.widths = append(o.ranks, int32(rank)), append(o.widths, int32(len(ready)))
	return rank != 0
}

// rankOf is the inverse of ranked.
func rankOf(ready []int, current, chosen int) int {
	at := slices.Index(ready, chosen)
	switch was := slices.Index(ready, current); {
	case was < 0 || at > was:
		return at
	case at == was:
		return 0
	}
	return at + 1
}

// choices returns the positions of the choices that interrupt the running worker.
func choices(ranks []int32) (at []int) {
	for i, rank := range ranks {
		if rank != 0 {
			at = append(at, i)
		}
	}
	return at
}

// onlyChoices returns a path that makes only the choices at these positions.
func onlyChoices(ranks []int32, at []int, chance uint64) *recordedPath {
	r := &recordedPath{seed: chance}
	next := 0
	for _, i := range at {
		r.forks = append(r.forks, departure{i - next, int(ranks[i])})
		next = i + 1
	}
	return r
}

// shrinking is the search for a simpler order.
type shrinking struct {
	c           *config
	t           testing.TB
	seed        uint64
	sameFailure func(*outcome) bool
	deadline    time.Time
	runs        int

	best     *outcome // the simplest so far
	kept     []int    // positions of its choices
	original *outcome
}

var numberPattern = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+`)

// failureClass returns the first line of a failure without its numbers.
func failureClass(o *outcome) string {
	if len(o.failures) == 0 {
		return ""
	}
	first, _, _ := strings.Cut(o.failures[0], "\n")
	return numberPattern.ReplaceAllString(first, "#")
}

// simplify searches for a simpler order than that of out, which has failed and repeats itself. It
// returns nil if there is none.
func (c *config) simplify(t testing.TB, p plan, out *outcome) *shrinking {
	if c.shrink == 0 || out.failedOutside || out.exited || t.Failed() {
		// a failure of the test itself cannot be undone
		return nil
	}
	class := failureClass(out)
	now := time.Now()
	s := &shrinking{c: c, t: t, seed: p.systemSeed(), deadline: now.Add(c.shrink), original: out}
	// a *testing.T
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := limited.Deadline(); ok && end.Sub(now)/2 < c.shrink {
			s.deadline = now.Add(end.Sub(now) / 2)
		}
	}
	s.sameFailure = func(o *outcome) bool {
		return o.failed() && !o.failedOutside && !o.exited &&
			(c.match == nil && failureClass(o) == class || c.match != nil &&
				c.match.MatchString(o.text()))
	}
	s.best, s.kept = out, choices(out.ranks)
	if len(s.kept) == 0 || !s.try(s.kept) {
		return nil
	}
	was := s.kept
	s.minimize()
	for few := 0; few <= exhaustiveChoices &&
		few <= min(len(s.kept), max(len(s.kept)-1, 1)); few++ {
		s.tryAll(few, nil, nil)
	}
	if len(s.kept) == len(was) && s.best.failedAt == out.failedAt {
		return nil
	}
	return s
}

// tryAll tries all orders with at most few more choices than those at the given positions, each
// later than these, and keeps the best. ranks are the choices made so far.
func (s *shrinking) tryAll(few int, at []int, ranks []int32) {
	if !s.continues() {
		return
	}
	s.runs++
	out := s.c.setup.run(onlyChoices(ranks, at, s.seed), false)
	if s.t.Failed() {
		return
	}
	if s.sameFailure(out) && s.better(out) {
		s.best, s.kept = out, choices(out.ranks)
	}
	if few == 0 || len(at)+few > len(s.kept) {
		return
	}
	first := 0
	if len(at) > 0 {
		first = at[len(at)-1] + 1
	}
	for i := first; i < len(out.ranks); i++ {
		for rank := int32(1); rank < out.widths[i]; rank++ {
			with := append(slices.Clone(out.ranks[:i]), rank)
			s.tryAll(few-1, append(slices.Clone(at), i), with)
		}
	}
}

// better reports whether a run has fewer choices than the best or, with as many, fails sooner.
func (s *shrinking) better(out *outcome) bool {
	n := len(choices(out.ranks))
	return n < len(s.kept) || n == len(s.kept) && out.failedAt < s.best.failedAt
}

// try runs an order with these of the best one's choices, and keeps it if it fails in the same
// way.
func (s *shrinking) try(at []int) bool {
	s.runs++
	out := s.c.setup.run(onlyChoices(s.best.ranks, at, s.seed), false)
	if s.t.Failed() || !s.sameFailure(out) {
		return false
	}
	s.best, s.kept = out, choices(out.ranks)
	return true
}

func (s *shrinking) continues() bool {
	return s.runs < maxShrinkRuns && time.Now().Before(s.deadline) && !s.t.Failed()
}

// minimize removes choices, first in large parts.
func (s *shrinking) minimize() {
	for parts := 1; parts <= len(s.kept) && s.continues(); {
		if s.reduce(parts) {
			parts = max(parts-1, 1)
			continue
		}
		if parts == len(s.kept) {
			break
		}
		parts = min(2*parts, len(s.kept))
	}
}

// reduce removes one of so many parts of the choices, the last part first: choices after the
// failure have no effect.
func (s *shrinking) reduce(parts int) bool {
	n := len(s.kept)
	for i := parts - 1; i >= 0 && s.continues(); i-- {
		rest := slices.Concat(s.kept[:n*i/parts], s.kept[n*(i+1)/parts:])
		if s.tryFewer(rest) {
			return true
		}
	}
	return false
}

// tryFewer tries an order, and keeps it only if it has fewer choices than the best: after a choice
// is removed the run diverges, and the later ones may mean something else.
func (s *shrinking) tryFewer(at []int) bool {
	best, was := s.best, s.kept
	if s.try(at) && len(s.kept) < len(was) {
		return true
	}
	s.best, s.kept = best, was
	return false
}

// String returns the note for the log.
func (s *shrinking) String() string {
	return fmt.Sprintf("made simpler in %d runs: %d choices to %d, %d events to %d", s.runs,
		len(choices(s.original.ranks)), len(s.kept), s.c.shownUntilFailure(s.original),
		s.c.shownUntilFailure(s.best))
}
