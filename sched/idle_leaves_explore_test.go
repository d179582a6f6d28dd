//go:build gallop_explore

package sched

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// inLeaves makes newHouse put the bits of its workers into leaves, as if there were more than
// oneWordWorkers. Set by TestLeaves alone, which is not parallel.
var inLeaves bool

// TestLeaves explores the scenarios of sleeping, stopping, quiescence, hand-over and the governor
// with leaves below the idle word.
//
// Its mutants are leaves/… and idle/… of internal/mutants/park.json.
func TestLeaves(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every scenario of the idle word once more") // the second ring has the long form
	}
	inLeaves = true
	defer func() { inLeaves = false }()
	for name, scenario := range map[string]func(*testing.T){
		"SleepNoInjectionOverlooked": TestSleepNoInjectionOverlooked,
		"SleepNoLocalWorkOverlooked": TestSleepNoLocalWorkOverlooked,
		"NoWorkBesideASleeper":       TestBug_K8_NoWorkBesideASleeper,
		"TokenReachesTheChosen":      TestBug_K3_TokenReachesTheChosen,
		"LastSearcherLooksAgain":     TestBug_K9_LastSearcherLooksAgain,
		"HandedSomethingElse":        TestBug_K9_HandedSomethingElse,
		"StopEndsEverythingOnce":     TestStopEndsEverythingOnce,
		"StopWhileFallingAsleep":     TestBug_K6_StopWhileFallingAsleep,
		"QuietNotBeforeTheOtherTask": TestQuietNotBeforeTheOtherTask,
		"QuietEndsSending":           TestQuietEndsSending,
		"QuietWaitsForHolds":         TestQuietWaitsForHolds,
		"StopWhileTheEndIsNear":      TestBug_K7_StopWhileTheEndIsNear,
		"Handover":                   TestHandover_SlotsNeverVacantBesideWork,
		"HandoverQuickReturn":        TestHandover_QuickReturn,
		"HandoverStop":               TestHandover_StopExplored,
		"TokenReachesTheHolder":      TestBug_K3_TokenReachesTheHolder,
		"GovernorOverlooksNothing":   TestGovernorOverlooksNothing,
		"GovernorKeepsOneAwake":      TestGovernorKeepsOneAwake,
		"GovernorLiftWakes":          TestGovernorLiftWakes,
		"GovernorAndStop":            TestGovernorAndStop,
	} {
		t.Run(name, scenario)
	}
}

// dormitory is an idle word with leaves of one bit, and who is owed a token.
type dormitory struct {
	p      *explore.Program
	w      idleWord
	tokens []seam.Int32
	awake  []bool
	stop   seam.Bool
}

// newDormitory makes so many workers, all of them awake.
func newDormitory(p *explore.Program, workers int) *dormitory {
	d := &dormitory{p: p, tokens: make([]seam.Int32, workers), awake: make([]bool, workers)}
	d.w.initLeaves(workers, 0)
	for range workers {
		i, _ := d.w.wake(false)
		d.awake[i] = true
	}
	p.After(d.tally)
	return d
}

// tally checks that root, leaves, tokens and workers agree.
func (d *dormitory) tally() error {
	asleep := 0
	for i, awake := range d.awake {
		if !awake {
			asleep++
		}
		if d.w.peekBit(i) == awake || d.tokens[i].Load() != 0 {
			return fmt.Errorf("worker %d, awake: %v, bit: %v, tokens: %d", i, awake, d.w.peekBit(i),
				d.tokens[i].Load())
		}
	}
	if d.w.sleepers() != asleep {
		return fmt.Errorf("%d of %d sleepers in the root", d.w.sleepers(), asleep)
	}
	return nil
}

func (d *dormitory) grant(i int) {
	if d.tokens[i].Add(1) != 1 {
		d.p.Errorf("worker %d has two tokens", i)
	}
}

// wake wakes a sleeper, if there is one.
func (d *dormitory) wake() {
	if i, r := d.w.wake(false); r == wokeOne {
		d.grant(i)
	}
}

// park waits for a token.
func (d *dormitory) park(i int) {
	d.p.Await(func() bool { return d.tokens[i].Load() == 1 })
	d.tokens[i].Store(0)
	d.awake[i] = true
}

// clear clears a worker's own bit, and takes its token if there is to be one.
func (d *dormitory) clear(i int, clearBit func(int) (int, bool)) {
	d.awake[i] = false
	if cleared, ok := clearBit(i); ok && cleared == i {
		d.awake[i] = true
		return
	} else if ok {
		d.grant(cleared)
	}
	d.park(i)
}

// lieDown announces that i sleeps, and takes that back.
func (d *dormitory) lieDown(i int) {
	d.w.announce(i, false)
	d.clear(i, d.w.retract)
}

// TestLeavesOfTheWord: root and leaves agree, each cleared bit is one token, and a worker that is
// told to take its token gets one, in every order with at most two preemptions.
func TestLeavesOfTheWord(t *testing.T) {
	for name, scenario := range map[string]func(*explore.Program){
		"retract": func(p *explore.Program) {
			d := newDormitory(p, 2)
			p.Go(func() { d.lieDown(0) })
			p.Go(func() { d.lieDown(1) })
			p.Go(d.wake)
		},
		"sleep": func(p *explore.Program) {
			d := newDormitory(p, 3)
			p.Go(func() { d.lieDown(0) })
			for i := 1; i < 3; i++ {
				p.Daemon(func() {
					d.w.announce(i, false)
					d.awake[i] = false
					d.park(i)
				})
			}
			p.Go(d.wake)
			p.Go(d.wake)
		},
		"retire": func(p *explore.Program) {
			d := newDormitory(p, 2)
			p.Daemon(func() {
				if d.w.retire(0) {
					d.awake[0] = false
					d.park(0)
				}
			})
			p.Daemon(func() {
				d.w.announce(1, false)
				d.awake[1] = false
				d.park(1)
			})
			d.w.limit.Store(1)
			p.Go(func() {
				d.w.limit.Store(2)
				d.wake()
			})
		},
		"stop": func(p *explore.Program) {
			d := newDormitory(p, 2)
			for i := range 2 {
				p.Go(func() {
					if d.w.announce(i, false); d.stop.Load() {
						d.clear(i, d.w.wakeForStop)
					} else {
						d.awake[i] = false
						d.park(i)
					}
				})
			}
			p.Go(func() {
				d.stop.Store(true)
				for i := range 2 {
					if cleared, ok := d.w.wakeForStop(i); ok {
						d.grant(cleared)
					}
				}
			})
			p.Go(d.wake)
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := explore.Config{Strategy: explore.Bounded(2, 0)}
			if res := explore.Run(t, cfg, scenario); !res.Exhausted {
				t.Error(res)
			}
		})
	}
}
