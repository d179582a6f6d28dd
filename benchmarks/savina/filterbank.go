package main

import "github.com/gallop-go/gallop/actor"

// Filter bank: a signal goes to eight channels, each a pipeline of a filter, a sampler that keeps
// one value in eight, one that puts zeros back, and a filter. The channels are added up.
var filterBank = program{
	name: "filterbank", about: "filter bank", n: 8000,
	gallop: filterGallop, plain: filterPlain, message: filterMessage,
}

const (
	filterChannels = 8
	filterTaps     = 2048
	filterChunk    = 256 // values that the source sends in one behaviour
)

// fir is a filter with so many taps.
type fir struct {
	taps, last []float64
	at         int
}

func newFIR(channel, which int) fir {
	r, t := newRandom(100*which+channel), make([]float64, filterTaps)
	for i := range t {
		t[i] = float64(r.below(1000)) / 1000
	}
	return fir{taps: t, last: make([]float64, filterTaps)}
}

// filter takes a value and returns the filtered one.
func (f *fir) filter(v float64) float64 {
	f.last[f.at] = v
	sum, rest := 0.0, f.last[f.at:]
	for i, x := range rest {
		sum += x * f.taps[i]
	}
	for i, x := range f.last[:f.at] {
		sum += x * f.taps[len(rest)+i]
	}
	if f.at++; f.at == filterTaps {
		f.at = 0
	}
	return sum / filterTaps
}

func signal(i int) float64 { return float64(i%97) / 97 }

// stages of a channel, in order.
const (
	firstFilter = iota
	downSampler
	upSampler
	secondFilter
	filterStages
)

// filterStage is one stage of a channel.
type filterStage struct {
	what    int
	filters fir
	seen    int
}

func newFilterStage(channel, what int) filterStage {
	s := filterStage{what: what}
	if what == firstFilter || what == secondFilter {
		s.filters = newFIR(channel, what)
	}
	return s
}

// take handles a value and passes on the results of the stage.
func (s *filterStage) take(v float64, pass func(float64)) {
	switch s.what {
	case firstFilter, secondFilter:
		pass(s.filters.filter(v))
	case downSampler:
		if s.seen++; s.seen == filterChannels {
			s.seen = 0
			pass(v)
		}
	case upSampler:
		pass(v)
		for range filterChannels - 1 {
			pass(0)
		}
	}
}

type filterActor struct {
	filterStage
	next actor.Handler[float64]
}

type filterSource struct {
	at, of int
	to     []actor.Ref[filterActor]
}

type filterSink struct {
	left int
	sum  uint64
	out  chan<- uint64
}

var (
	filterType = actor.NewType[filterActor]("filter")
	filterTake = actor.Declare[float64](filterType, "take")
	_          = filterType.Table(filterTake.Handle((*filterActor).takeValue))

	filterSourceType = actor.NewType[filterSource]("source")
	filterSourceMore = actor.Declare[struct{}](filterSourceType, "more")
	_                = filterSourceType.Table(filterSourceMore.Handle((*filterSource).more))

	filterSinkType = actor.NewType[filterSink]("sink")
	filterSinkTake = actor.Declare[float64](filterSinkType, "take")
	_              = filterSinkType.Table(filterSinkTake.Handle((*filterSink).take))
)

func (f *filterActor) takeValue(ctx *actor.Context, v float64) {
	f.take(v, func(v float64) { f.next.Send(ctx, v) })
}

func (s *filterSource) more(ctx *actor.Context, _ struct{}) {
	for end := min(s.at+filterChunk, s.of); s.at < end; s.at++ {
		for _, f := range s.to {
			filterTake.Send(ctx, f, signal(s.at))
		}
	}
	if s.at < s.of {
		filterSourceMore.Send(ctx, actor.Self[filterSource](ctx), struct{}{})
	}
}

func filterRound(v float64) uint64 { return uint64(v * 1e6) }

func (s *filterSink) take(_ *actor.Context, v float64) {
	s.sum += filterRound(v)
	if s.left--; s.left == 0 {
		s.out <- s.sum
	}
}

func filterGallop(sys *actor.System, n int) uint64 {
	n = n / filterChannels * filterChannels
	out := make(chan uint64, 1)
	sink := filterSinkType.Spawn(sys, filterSink{left: n * filterChannels, out: out})
	src := filterSource{of: n}
	for c := range filterChannels {
		next := filterSinkTake.To(sink)
		for what := filterStages - 1; what >= 0; what-- {
			f := filterType.Spawn(sys, filterActor{newFilterStage(c, what), next})
			next = filterTake.To(f)
			if what == firstFilter {
				src.to = append(src.to, f)
			}
		}
	}
	filterSourceMore.Send(sys, filterSourceType.Spawn(sys, src), struct{}{})
	return <-out
}
