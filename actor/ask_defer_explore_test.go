//go:build gallop_explore

package actor

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
)

// counterScene is a stage with two actors. The desk has put a reply off, and may hand it over to
// the heir.
type counterScene struct {
	stage
	desk, heir Ref[bench]
	d          Deferred[int]
	replies    chan Result[int]
	first      int // Replies that said they were the first
	gave       int // the value of the first Reply
}

type bench struct{ s *counterScene }

type benchAct = func(*counterScene, *Context)

var (
	benchType = NewType[bench]("bench")
	benchDo   = Declare[benchAct](benchType, "do")
	benchAsk  = DeclareAsk[int, int](benchType, "ask")
	_         = benchType.Table(benchDo.Handle(func(b *bench, c *Context, f benchAct) { f(b.s, c) }),
		benchAsk.Handle(func(b *bench, c *Context, _ int) (int, error) {
			b.s.d = Defer(c, benchAsk)
			return 0, nil
		}))
)

func newCounterScene(p *explore.Program) *counterScene {
	s := &counterScene{replies: make(chan Result[int], 1)}
	infoOf(benchType).OwnedIn() // the first call makes the table: not in the explored part
	s.stage = newStage(p)
	s.desk, s.heir = benchType.Spawn(s.sys, bench{s}), benchType.Spawn(s.sys, bench{s})
	askInto(context.Background(), benchAsk, s.desk, 1, s.replies)
	s.tidyUp()
	return s
}

func (s *counterScene) give(from Sender, v int) {
	if s.d.Reply(from, v, nil) {
		s.first++
		s.gave = v
	}
}

func (s *counterScene) at(r Ref[bench], f benchAct) { benchDo.Send(s.sys, r, f) }

var counterOps = []struct {
	name string
	do   func(s *counterScene, i int)
}{
	{"reply", func(s *counterScene, i int) { s.give(s.sys, i) }},
	{"owner replies", func(s *counterScene, i int) {
		s.at(s.desk, func(s *counterScene, c *Context) { s.give(c, i) })
	}},
	{"heir replies", func(s *counterScene, i int) {
		s.at(s.heir, func(s *counterScene, c *Context) { s.give(c, i) })
	}},
	{"hand over", func(s *counterScene, _ int) {
		s.at(s.desk, func(s *counterScene, c *Context) {
			if s.d.d.By.Load() == c.kernel().Self {
				s.d.HandOver(c, s.heir)
			}
		})
	}},
	{"hand back", func(s *counterScene, _ int) {
		s.at(s.heir, func(s *counterScene, c *Context) {
			if s.d.d.By.Load() == c.kernel().Self {
				s.d.HandOver(c, s.desk)
			}
		})
	}},
	{"owner ends", func(s *counterScene, _ int) { Stop(s.sys, s.desk) }},
	{"heir ends", func(s *counterScene, _ int) { Stop(s.sys, s.heir) }},
}

// judge checks the outcome. The caller has at most one, that of the first Reply. It has one if
// there was a Reply, or if the owner has ended. No list has a deferral that was given.
func (s *counterScene) judge() error {
	if err := s.resting(); err != nil {
		return err
	}
	d := s.d.d
	owner := d.By.Load()
	if s.first > 1 {
		return fmt.Errorf("%d were the first", s.first)
	}
	if want := s.first == 1 || owner.Ended(); want != (len(s.replies) == 1) {
		return fmt.Errorf("%d outcomes; replied: %v, the owner has ended: %v", len(s.replies),
			s.first == 1, owner.Ended())
	}
	listed := 0
	for _, r := range []Ref[bench]{s.desk, s.heir} {
		if x := r.target().Cold; x != nil && !r.target().Ended() {
			listed += kernel.DeferralsOf(x).All.Len()
		}
	}
	if open := d.State.Load() == kernel.DeferralOpen; open != (listed == 1) || listed > 1 {
		return fmt.Errorf("open: %v, and %d lists have it", open, listed)
	}
	if n := LeftOnStopList(s.sys); n != listed {
		return fmt.Errorf("%d wards, %d deferrals", n, listed)
	}
	if len(s.replies) == 1 {
		res := <-s.replies
		if s.first == 1 && (res.Err != nil || res.Value != s.gave) || s.first == 0 &&
			!errors.Is(res.Err, ErrStopped) {
			return fmt.Errorf("%v, %v; given: %d", res.Value, res.Err, s.gave)
		}
	}
	s.sys.kernel().Sched.WakeAll()
	Stop(s.sys, s.desk)
	Stop(s.sys, s.heir)
	s.tidyUp()
	return errors.Join(s.resting(), s.sys.Shutdown(context.Background()), s.allEnded())
}

// LeftOnStopList returns the number of actors on the stop list of a quiet system.
func LeftOnStopList(s *System) int { return s.kernel().StopList.All.Len() }

// TestDeferred_Explored: two concurrent operations on a reply that was put off, after a third one.
// "The caller gets at most one outcome … It gets at least one … No list keeps a deferral that was
// given."
//
// Mutants: internal/mutants/deferred.json.
func TestDeferred_Explored(t *testing.T) {
	for _, before := range []string{"", "hand over"} {
		for i, a := range counterOps {
			for _, b := range counterOps[i:] {
				t.Run(before+"-"+a.name+"-"+b.name, func(t *testing.T) {
					explore.PortfolioOf(t, 600, 150, func(p *explore.Program) {
						s := newCounterScene(p)
						if before != "" {
							counterOps[3].do(s, 0)
						}
						p.Go(func() { a.do(s, 1) })
						p.Go(func() { b.do(s, 2) })
						s.man()
						p.After(s.judge)
					})
				})
			}
		}
	}
}
