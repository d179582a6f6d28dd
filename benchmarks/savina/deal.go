package main

import "github.com/gallop-go/gallop/actor"

// Trapezoid, n-queens, matrix products, digits of pi and A* are the suite's master and workers: a
// master deals pieces of work to twenty workers, round-robin, and a worker that has done one tells
// the master, with pieces that are still to be done.

const dealers = 20

// piece does its work and returns the result, and new pieces, if any.
type piece interface {
	work() (result uint64, more []piece)
}

// outcome is a worker's reply to the master: the result of a piece, and new pieces.
type outcome struct {
	result uint64
	more   []piece
}

type master struct {
	workers []actor.Ref[pieceWorker]
	next    int
	open    int // pieces under way
	sum     uint64
	out     chan<- uint64
}

type pieceWorker struct{ master actor.Ref[master] }

var (
	masterType  = actor.NewType[master]("master")
	masterStart = actor.Declare[[]piece](masterType, "start")
	masterDone  = actor.Declare[outcome](masterType, "done")
	_           = masterType.Table(masterStart.Handle((*master).start),
		masterDone.Handle((*master).done))

	pieceWorkerType = actor.NewType[pieceWorker]("worker")
	pieceWorkerDo   = actor.Declare[piece](pieceWorkerType, "do")
	_               = pieceWorkerType.Table(pieceWorkerDo.Handle((*pieceWorker).do))
)

func (m *master) start(ctx *actor.Context, all []piece) {
	for range dealers {
		m.workers = append(m.workers, pieceWorkerType.Spawn(ctx, pieceWorker{actor.Self[master](ctx)}))
	}
	m.deal(ctx, all)
}

func (m *master) deal(ctx *actor.Context, all []piece) {
	for _, p := range all {
		pieceWorkerDo.Send(ctx, m.workers[m.next], p)
		m.next = (m.next + 1) % dealers
	}
	m.open += len(all)
}

func (m *master) done(ctx *actor.Context, o outcome) {
	m.sum += o.result
	m.open--
	m.deal(ctx, o.more)
	if m.open == 0 {
		m.out <- m.sum
	}
}

func (w *pieceWorker) do(ctx *actor.Context, p piece) {
	r, more := p.work()
	masterDone.Send(ctx, w.master, outcome{r, more})
}

func dealGallop(sys *actor.System, all []piece) uint64 {
	out := make(chan uint64, 1)
	masterStart.Send(sys, masterType.Spawn(sys, master{out: out}), all)
	return <-out
}

// dealProgram makes a program of pieces of work.
func dealProgram(name, about string, n int, pieces func(n int) []piece) program {
	return program{
		name: name, about: about, n: n,
		gallop:  func(sys *actor.System, n int) uint64 { return dealGallop(sys, pieces(n)) },
		plain:   func(n int) uint64 { return dealPlain(pieces(n)) },
		message: func(c crew, n int) uint64 { return dealMessage(c, pieces(n)) },
	}
}
