package main

import "github.com/gallop-go/gallop/actor"

// Bitonic sort as a pipeline: values stream, one a message, through the stages of a sorting
// network. A stage compares values that are a distance apart.
var bitonic = program{
	name: "bitonic", about: "bitonic sort", n: 40,
	gallop: bitonicGallop, plain: bitonicPlain, message: bitonicMessage,
}

const bitonicLength = 1024 // values in one vector

// comparator is one stage: it sorts pairs at a distance, in blocks of alternating directions.
type comparator struct {
	block, distance int
	seen            int
	held            []uint64 // the first halves of the pairs
	back            []uint64 // values to pass on after the first halves
}

// comparators lists the stages of the network.
func comparators() (all []comparator) {
	for block := 2; block <= bitonicLength; block *= 2 {
		for distance := block / 2; distance > 0; distance /= 2 {
			all = append(all, comparator{block: block, distance: distance})
		}
	}
	return all
}

// take takes the next value of the stream. With the second value of each pair it passes on the
// first result. The second results follow after distance pairs.
func (c *comparator) take(v uint64, pass func(uint64)) {
	i := c.seen
	c.seen = (c.seen + 1) % bitonicLength
	if i&c.distance == 0 {
		c.held = append(c.held, v)
		return
	}
	at := i & (c.distance - 1)
	low, high := min(c.held[at], v), max(c.held[at], v)
	if i&c.block != 0 {
		low, high = high, low
	}
	pass(low)
	c.back = append(c.back, high)
	if at == c.distance-1 {
		for _, v := range c.back {
			pass(v)
		}
		c.held, c.back = c.held[:0], c.back[:0]
	}
}

// vector draws the values of vector k.
func vector(k int) []uint64 {
	r, v := newRandom(k), make([]uint64, bitonicLength)
	for i := range v {
		v[i] = r.next() >> 32
	}
	return v
}

// position weighs a value by its place in the stream, so that the checksum depends on the order.
func position(i int, v uint64) uint64 { return uint64(i%bitonicLength+1) * v }

type stage struct {
	comparator
	next actor.Handler[uint64]
}

type bitonicSource struct {
	vectors, at int
	first       actor.Ref[stage]
}

type bitonicSink struct {
	seen, of int
	sum      uint64
	out      chan<- uint64
}

var (
	stageType = actor.NewType[stage]("stage")
	stageTake = actor.Declare[uint64](stageType, "take")
	_         = stageType.Table(stageTake.Handle((*stage).takeValue))

	bitonicSourceType = actor.NewType[bitonicSource]("source")
	bitonicSourceMore = actor.Declare[struct{}](bitonicSourceType, "more")
	_                 = bitonicSourceType.Table(bitonicSourceMore.Handle((*bitonicSource).more))

	bitonicSinkType = actor.NewType[bitonicSink]("sink")
	bitonicSinkTake = actor.Declare[uint64](bitonicSinkType, "take")
	_               = bitonicSinkType.Table(bitonicSinkTake.Handle((*bitonicSink).take))
)

func (s *stage) takeValue(ctx *actor.Context, v uint64) {
	s.take(v, func(v uint64) { s.next.Send(ctx, v) })
}

func (s *bitonicSource) more(ctx *actor.Context, _ struct{}) {
	for _, v := range vector(s.at) {
		stageTake.Send(ctx, s.first, v)
	}
	if s.at++; s.at < s.vectors {
		bitonicSourceMore.Send(ctx, actor.Self[bitonicSource](ctx), struct{}{})
	}
}

func (s *bitonicSink) take(_ *actor.Context, v uint64) {
	s.sum += position(s.seen, v)
	if s.seen++; s.seen == s.of {
		s.out <- s.sum
	}
}

func bitonicGallop(sys *actor.System, n int) uint64 {
	out := make(chan uint64, 1)
	sink := bitonicSinkType.Spawn(sys, bitonicSink{of: n * bitonicLength, out: out})
	all := comparators()
	next := bitonicSinkTake.To(sink)
	var first actor.Ref[stage]
	for i := len(all) - 1; i >= 0; i-- {
		first = stageType.Spawn(sys, stage{all[i], next})
		next = stageTake.To(first)
	}
	s := bitonicSourceType.Spawn(sys, bitonicSource{vectors: n, first: first})
	bitonicSourceMore.Send(sys, s, struct{}{})
	return <-out
}
