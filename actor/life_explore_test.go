//go:build gallop_explore

package actor

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
)

// judge checks the result when nothing is left to do, whichever operation came first.
func (s *scene) judge(a, b lifeOp) error {
	if err := s.resting(); err != nil {
		return err
	}
	over := s.child.target().System.Closed()
	ends := endings(a, b)
	if over != (len(ends) > 0) {
		return fmt.Errorf("the child has ended: %v", over)
	}
	checks := []error{s.wordsKept(over), s.answered(over, ends), s.stopsSeen(over, ends),
		s.linksAgree(over),
		s.namedRightly(over), s.livedRightly(over, a, b), s.pupsOf(over)}
	if err := errors.Join(checks...); err != nil {
		return err
	}
	if err := s.close(); err != nil {
		return fmt.Errorf("at the end: %w", err)
	}
	return s.nothingLeft(over, ends)
}

// endings returns the reasons for which the child may have ended. A child that is stopped after a
// fall ends for the reason of the fall.
func endings(ops ...lifeOp) (why []error) {
	for _, o := range ops {
		if o.ends != nil {
			why = append(why, o.ends)
		}
		if o.ends == ErrShutdown && (ops[0].name == "panic" || ops[1].name == "panic") {
			why = append(why, ErrPanicked)
		}
	}
	return why
}

// oneOf reports whether an error is one of a list.
func oneOf(err error, list []error) bool {
	return slices.ContainsFunc(list, func(e error) bool { return errors.Is(err, e) })
}

// wordsKept checks that each word has run once or become a dead letter once, that the words of one
// sender ran in order and none after a dead one, and that no word is dead if the child lives.
func (s *scene) wordsKept(over bool) error {
	slices.Sort(s.said)
	if got := slices.Sorted(slices.Values(slices.Concat(s.ran, s.dead))); !slices.Equal(got, s.said) {
		return fmt.Errorf("said %v, run %v, dead %v", s.said, s.ran, s.dead)
	}
	if s.sentActs != s.lostActs {
		return fmt.Errorf("%d acts have not run, %d are dead letters", s.sentActs, s.lostActs)
	}
	if len(s.dead)+s.lostActs > 0 && !over {
		return fmt.Errorf("words %v and %d acts are dead, and the child lives", s.dead, s.lostActs)
	}
	last := map[int]int{}
	for _, n := range slices.Concat(s.ran, slices.Sorted(slices.Values(s.dead))) {
		if n < last[n/10] {
			return fmt.Errorf("run %v, dead %v: out of order", s.ran, s.dead)
		}
		last[n/10] = n
	}
	return nil
}

// answered checks that each caller has one answer, and that it is a value if the child lives.
func (s *scene) answered(over bool, ends []error) error {
	if len(s.replies) != s.asked {
		return fmt.Errorf("%d asked, %d answered", s.asked, len(s.replies))
	}
	for range s.asked {
		r := <-s.replies
		switch {
		case r.Err == nil && r.Value%2 == 0 && r.Value > 0:
		case over && errors.Is(r.Err, ErrStopped) && oneOf(r.Err, ends):
		default:
			return fmt.Errorf("an caller got %v, %v", r.Value, r.Err)
		}
	}
	return nil
}

// stopsSeen checks that each monitor, each trapper and the supervisor was told once, with the
// reason, if the child has ended, and not before.
func (s *scene) stopsSeen(over bool, ends []error) error {
	want := 0
	if over {
		want = 1
	}
	var news []error
	for _, m := range s.watches {
		if news = append(news, s.downs[m]...); len(s.downs[m]) != want {
			return fmt.Errorf("a monitor was told %v; ended: %v", s.downs[m], over)
		}
	}
	for _, r := range []Ref[player]{s.peer, s.friend} {
		got := s.exits[r.target()]
		if linked := r == s.peer || s.ties > 0; linked && len(got) != want || !linked && len(got) != 0 {
			return fmt.Errorf("%v was told %v over its links; ended: %v", r, got, over)
		}
		news = append(news, got...)
	}
	for _, why := range news {
		if why != news[0] || !oneOf(why, ends) {
			return fmt.Errorf("the reasons are %v, want one of %v", news, ends)
		}
	}
	if s.finals > want {
		return fmt.Errorf("%d final words; ended: %v", s.finals, over)
	}
	return nil
}

// linksAgree checks that both sides of a link know the same.
func (s *scene) linksAgree(over bool) error {
	for _, r := range []Ref[player]{s.peer, s.friend} {
		own, its := linksBetween(r.target(), s.child.target()), linksBetween(s.child.target(), r.target())
		if linked := r == s.peer || s.ties > 0; (own > 0) != (linked && !over) || own != its {
			return fmt.Errorf("%v has %d links with the child, which has %d with it; ended: %v", r, own, its,
				over)
		}
	}
	return nil
}

func linksBetween(a, to *kernel.Cell) (n int) {
	for _, l := range kernel.LinksOf(a.Cold).All.Members() {
		if l.Other(a) == to {
			n++
		}
	}
	return n
}

// namedRightly checks that the child has its name while it lives. Later the name is free, or
// belongs to another actor.
func (s *scene) namedRightly(over bool) error {
	r, err := Lookup[player](s.sys, childName)
	switch {
	case !over && r == s.child:
	case over && s.heir.target() == nil && errors.Is(err, ErrNoName):
	case over && s.heir.target() != nil && r == s.heir:
	default:
		return fmt.Errorf("the name is %v's (%v); ended: %v", r, err, over)
	}
	for _, err := range s.named {
		if err != nil && !errors.Is(err, ErrNameTaken) {
			return err
		}
	}
	return nil
}

// livedRightly checks that each panic is a fall, and that each fall and each restart begins a new
// life. Operations that come while the child is on its way down may share the new life.
func (s *scene) livedRightly(over bool, a, b lifeOp) error {
	anew, falls, merge := 0, 0, false
	for _, o := range []lifeOp{a, b} {
		anew += one(o.anew)
		falls += one(o.falls)
		merge = merge || o.anew && o.name != "panic"
	}
	least := 1 + anew
	if merge {
		least = 2
	}
	switch {
	case over && s.begun <= 1+anew && s.begun-s.stopped <= 1:
	case !over && s.begun >= least && s.begun <= 1+anew && s.begun == s.stopped+1:
	default:
		return fmt.Errorf("%d lives began, %d ended; ended: %v", s.begun, s.stopped, over)
	}
	if s.falls > falls || s.falls < s.panics && !merge && !over {
		return fmt.Errorf("%d panics, %d falls", s.panics, s.falls)
	}
	return nil
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// pupsOf checks that the children of the present life live, and no others.
func (s *scene) pupsOf(over bool) error {
	for _, k := range s.pups {
		if lives := !over && k.life == s.begun; lives == k.r.target().System.Closed() {
			return fmt.Errorf("a child of life %d lives: %v, want %v", k.life, !lives, lives)
		}
	}
	return nil
}

// nothingLeft checks that all actors have ended, that each was told once, and that nothing is kept.
func (s *scene) nothingLeft(over bool, ends []error) error {
	if !over { // its supervisor has ended it
		ends = []error{ErrShutdown}
	}
	if err := errors.Join(s.stopsSeen(true, ends), s.linksAgree(true), s.pupsOf(true)); err != nil {
		return err
	}
	if err := s.allEnded(); err != nil {
		return err
	}
	if l := LeftoversOf(s.sys); l != (Leftovers{}) {
		return fmt.Errorf("left over: %+v", l)
	}
	return nil
}

// TestLife_Explored: every pair of operations on the life of an actor, each with itself too, at
// once, in a system whose turns are threads. Each message runs once or is a dead letter. Each
// caller is answered. Each monitor, link and supervisor is told once, with a reason that the pair
// allows, and after the children have ended; the name is free by then. A restart keeps mail, links
// and name. In the end nothing is queued, held or left.
//
// Mutants: internal/mutants/life_explored.json.
func TestLife_Explored(t *testing.T) {
	for i, a := range lifeOps {
		for _, b := range lifeOps[i:] {
			t.Run(a.name+"-"+b.name, func(t *testing.T) {
				explore.PortfolioOf(t, 1200, 250, lifePair(a, b))
			})
		}
	}
}
