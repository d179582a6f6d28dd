package main

import "github.com/gallop-go/gallop/actor"

// Payloads: a source fills a new slice of 64 KB for each message, and four stages read it one after
// the other.
var payloads = program{
	name: "payloads", about: "a pipeline of 64-KB payloads", n: 3000,
	gallop: payloadsGallop, plain: payloadsPlain, message: payloadsMessage,
}

const (
	payloadWords  = 64 << 10 / 8
	payloadStages = 4
	payloadChunk  = 8 // payloads in one behaviour of the source
)

func newPayload(i int) []uint64 {
	p := make([]uint64, payloadWords)
	for k := range p {
		p[k] = uint64(i + k)
	}
	return p
}

type payloadStage struct {
	next actor.Ref[payloadStage]
	sum  uint64
	left int
	all  actor.Ref[tally]
}

type payloadSource struct {
	at, of int
	first  actor.Ref[payloadStage]
}

var (
	payloadStageType = actor.NewType[payloadStage]("stage")
	payloadStageTake = actor.Declare[[]uint64](payloadStageType, "take")
	_                = payloadStageType.Table(payloadStageTake.Handle((*payloadStage).take))

	payloadSourceType = actor.NewType[payloadSource]("source")
	payloadSourceMore = actor.Declare[struct{}](payloadSourceType, "more")
	_                 = payloadSourceType.Table(payloadSourceMore.Handle((*payloadSource).more))
)

func (s *payloadStage) take(ctx *actor.Context, p []uint64) {
	s.sum += sumOf(p)
	if !s.next.IsZero() {
		payloadStageTake.Send(ctx, s.next, p)
	}
	if s.left--; s.left == 0 {
		tallyAdd.Send(ctx, s.all, s.sum)
	}
}

func (s *payloadSource) more(ctx *actor.Context, _ struct{}) {
	for end := min(s.at+payloadChunk, s.of); s.at < end; s.at++ {
		payloadStageTake.Send(ctx, s.first, newPayload(s.at))
	}
	if s.at < s.of {
		payloadSourceMore.Send(ctx, actor.Self[payloadSource](ctx), struct{}{})
	}
}

func payloadsGallop(sys *actor.System, n int) uint64 {
	total, out := newTally(sys, payloadStages)
	var next actor.Ref[payloadStage]
	for range payloadStages {
		next = payloadStageType.Spawn(sys, payloadStage{next: next, left: n, all: total})
	}
	payloadSourceMore.Send(sys, payloadSourceType.Spawn(sys, payloadSource{of: n, first: next}),
		struct{}{})
	return <-out
}

// payloadsPlain has a goroutine per processor, which does all stages, with one slice.
func payloadsPlain(n int) uint64 {
	sums := make([]uint64, n)
	inParallel(n, func(i int) {
		p := newPayload(i)
		for range payloadStages {
			sums[i] += sumOf(p)
		}
	})
	return sumOf(sums)
}

func payloadsMessage(c crew, n int) uint64 {
	total, out := messageTally(c, payloadStages)
	var next node
	for range payloadStages {
		to, sum, left := next, uint64(0), n
		next = c.spawn(16, func(node) behaviour {
			return func(self node, m msg) {
				sum += sumOf(m.data.([]uint64))
				if to != nil {
					to.send(self, m)
				}
				if left--; left == 0 {
					total.send(self, msg{x: int(sum)})
				}
			}
		})
	}
	at := 0
	c.spawn(2, func(node) behaviour {
		return func(self node, _ msg) {
			for end := min(at+payloadChunk, n); at < end; at++ {
				next.send(self, msg{data: newPayload(at)})
			}
			if at < n {
				self.send(self, msg{})
			}
		}
	}).send(nil, msg{})
	return <-out
}
