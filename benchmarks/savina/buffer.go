package main

import "github.com/gallop-go/gallop/actor"

// Bounded buffer: a manager hands items from producers to consumers; a producer makes the next item
// when the manager asks for it, which it does while fewer than so many wait.
var boundedBuffer = program{
	name: "buffer", about: "bounded buffer", n: 3000,
	gallop: bufferGallop, plain: bufferPlain, message: bufferMessage,
}

const (
	bufferSize   = 50
	bufferActors = 40  // producers, and as many consumers
	itemEffort   = 250 // steps to make an item, and to use one
)

// makeItem and useItem compute; the checksum is the sum of the items.
func makeItem(r *random) uint64 { return r.next()>>40 + busy(itemEffort)&1 }

func useItem(item uint64) uint64 { return item + busy(itemEffort)>>63>>1 }

type producer struct {
	random
	left    int
	manager actor.Ref[manager]
}

type consumer struct {
	sum     uint64
	manager actor.Ref[manager]
	total   actor.Ref[tally]
}

type manager struct {
	ready     []uint64
	producers []actor.Ref[producer] // that may make an item and have not been asked
	consumers []actor.Ref[consumer] // that wait for one
	asked     int                   // items under way
	left      int                   // producers that have not ended
	all       []actor.Ref[consumer]
}

type item struct {
	value uint64
	from  actor.Ref[producer]
}

var (
	producerType = actor.NewType[producer]("producer")
	producerMake = actor.Declare[struct{}](producerType, "make")
	_            = producerType.Table(producerMake.Handle((*producer).produce))

	consumerType = actor.NewType[consumer]("consumer")
	consumerUse  = actor.Declare[uint64](consumerType, "use")
	consumerEnd  = actor.Declare[struct{}](consumerType, "end")
	_            = consumerType.Table(consumerUse.Handle((*consumer).use),
		consumerEnd.Handle((*consumer).end))

	managerType  = actor.NewType[manager]("manager")
	managerItem  = actor.Declare[item](managerType, "item")
	managerReady = actor.Declare[actor.Ref[consumer]](managerType, "ready")
	managerExit  = actor.Declare[struct{}](managerType, "exit")
	managerStart = actor.Declare[[]actor.Ref[producer]](managerType, "start")
	_            = managerType.Table(managerItem.Handle((*manager).item),
		managerReady.Handle((*manager).consumerReady),
		managerExit.Handle((*manager).exit), managerStart.Handle((*manager).start))
)

func (p *producer) produce(ctx *actor.Context, _ struct{}) {
	if p.left == 0 {
		managerExit.Send(ctx, p.manager, struct{}{})
		return
	}
	p.left--
	managerItem.Send(ctx, p.manager, item{makeItem(&p.random), actor.Self[producer](ctx)})
}

func (c *consumer) use(ctx *actor.Context, v uint64) {
	c.sum += useItem(v)
	managerReady.Send(ctx, c.manager, actor.Self[consumer](ctx))
}

func (c *consumer) end(ctx *actor.Context, _ struct{}) { tallyAdd.Send(ctx, c.total, c.sum) }

func (m *manager) start(ctx *actor.Context, all []actor.Ref[producer]) {
	m.producers = append(m.producers, all...)
	m.ask(ctx)
}

// ask asks as many producers as the buffer has room for.
func (m *manager) ask(ctx *actor.Context) {
	for len(m.producers) > 0 && len(m.ready)+m.asked < bufferSize {
		last := len(m.producers) - 1
		producerMake.Send(ctx, m.producers[last], struct{}{})
		m.producers = m.producers[:last]
		m.asked++
	}
}

func (m *manager) item(ctx *actor.Context, i item) {
	m.asked--
	m.producers = append(m.producers, i.from)
	if last := len(m.consumers) - 1; last >= 0 {
		consumerUse.Send(ctx, m.consumers[last], i.value)
		m.consumers = m.consumers[:last]
	} else {
		m.ready = append(m.ready, i.value)
	}
	m.ask(ctx)
}

func (m *manager) consumerReady(ctx *actor.Context, c actor.Ref[consumer]) {
	if last := len(m.ready) - 1; last >= 0 {
		consumerUse.Send(ctx, c, m.ready[last])
		m.ready = m.ready[:last]
	} else {
		m.consumers = append(m.consumers, c)
		m.endIfDone(ctx)
	}
	m.ask(ctx)
}

func (m *manager) exit(ctx *actor.Context, _ struct{}) {
	m.asked--
	m.left--
	m.ask(ctx)
	m.endIfDone(ctx)
}

func (m *manager) endIfDone(ctx *actor.Context) {
	if m.left > 0 || len(m.consumers) < bufferActors {
		return
	}
	for _, c := range m.all {
		consumerEnd.Send(ctx, c, struct{}{})
	}
}

func bufferGallop(sys *actor.System, n int) uint64 {
	total, out := newTally(sys, bufferActors)
	var m actor.Ref[manager]
	all := make([]actor.Ref[consumer], bufferActors)
	m = managerType.Spawn(sys, manager{left: bufferActors, all: all})
	for i := range all {
		all[i] = consumerType.Spawn(sys, consumer{manager: m, total: total})
	}
	makers := make([]actor.Ref[producer], bufferActors)
	for i := range makers {
		makers[i] = producerType.Spawn(sys, producer{newRandom(i), n, m})
	}
	for _, c := range all {
		managerReady.Send(sys, m, c)
	}
	managerStart.Send(sys, m, makers)
	return <-out
}
