package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
)

var errInterrupted = errors.New("interrupted")

// A turn is one run of the work on one side.
type turn struct {
	wall   time.Duration
	got    uint64
	allocs uint64
	stats  actor.Stats // of gallop's turns only
	// at the start of the system; surplus workers are not counted
	workers int
	err     error // why there is no count
}

// measure runs a scenario on both sides in turns, gallop first, so that other load of the machine
// affects both alike. An error means that the system did not start.
func measure(ctx context.Context, s scenario, opts options, bar *progress,
	channels baseline) (report, error) {
	rep := newReport(s, opts)
	rep.gogc = gogc()
	j := opts.job(s)
	var last time.Duration // time of the channels' last turn
	for i := range opts.rounds {
		bar.turn(s.name+" on gallop", opts.progressOf(i, 0), opts.progressOf(i, 1))
		t, err := gallopTurn(ctx, s, j, opts, bar)
		if err != nil {
			return rep, err
		}
		rep.peakKB = peakRSS()
		if rep.addGallop(t); rep.isOver() {
			break
		}
		if !opts.baseline {
			continue
		}
		bar.turn(s.name+" on channels", opts.progressOf(i, 1), opts.progressOf(i, 2))
		t = channels.turn(ctx, j, bar, last)
		last = t.wall
		if rep.addChannels(t); rep.isOver() {
			break
		}
	}
	return rep, nil
}

// progressOf is the share of all turns that are over when that many sides have had their turn in
// round i.
func (o options) progressOf(i, sides int) float64 {
	each := 1.0
	if o.baseline {
		each = 2
	}
	// of which an int may not hold twice
	return (float64(i)*each + float64(sides)) / (float64(o.rounds) * each)
}

// gallopTurn runs the work once on a system of its own.
func gallopTurn(ctx context.Context, s scenario, j job, opts options, bar *progress) (turn, error) {
	trouble := make(chan error, 1)
	sys, err := start(opts, trouble)
	if err != nil {
		return turn{}, err
	}
	defer sys.Stop()
	defer opts.page.show(sys)()
	t := timed(func() (uint64, error) {
		done := byMessages(func() uint64 { return sys.Stats().Messages }, s.messages(j.n))
		if s.uncounted {
			done = byTime(0)
		}
		return await(ctx, s.actors(ctx, sys, j), trouble, bar, done)
	})
	if t.err == nil {
		t.err = sys.Wait(ctx) // the last behaviours may still be returning
	}
	if t.err == nil {
		t.err = sys.Shutdown(ctx)
	}
	if ctx.Err() != nil {
		t.err = errInterrupted
	}
	sys.Stop()
	t.stats, t.workers = sys.Stats(), sys.Workers()
	return t, nil
}

// start starts a system that reports failures to trouble.
func start(opts options, trouble chan<- error) (sys *actor.System, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p) // the runtime panics for invalid options
		}
	}()
	set := append(watchOptions(trouble), actor.WithRandSeed(opts.seed))
	if opts.workers > 0 {
		set = append(set, actor.WithWorkers(opts.workers))
	}
	return actor.Start(set...), nil
}

// timed runs the work after a collection, so that no side pays for the other's garbage.
func timed(work func() (uint64, error)) (t turn) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	t.got, t.err = work()
	t.wall = time.Since(began)
	runtime.ReadMemStats(&after)
	t.allocs = after.Mallocs - before.Mallocs
	return t
}

// await waits for the count of a turn and keeps the progress line alive meanwhile.
func await[T any](ctx context.Context, out <-chan T, trouble <-chan error, bar *progress,
	done progressFunc) (got T, err error) {
	for {
		select {
		case got := <-out:
			return got, nil
		case err := <-trouble:
			return got, err
		case <-ctx.Done():
			return got, errInterrupted
		case <-bar.ticks:
			bar.draw(done)
		}
	}
}

// median returns the turn in the middle by time, all of whose figures belong together. Of an even
// number of turns two are in the middle: it returns the faster one, with the mean of both times.
func median(turns []turn) turn {
	sorted := slices.SortedFunc(slices.Values(turns),
		func(a, b turn) int { return cmp.Compare(a.wall, b.wall) })
	t, next := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	t.wall += (next.wall - t.wall) / 2
	return t
}
