package bad

import (
	"context"

	"cases/step"

	"github.com/gallop-go/gallop/actor"
)

type shop struct {
	to     ref
	items  []int
	stock  map[string]int
	job    *job
	order  order
	buf    []int
	peers  map[string]*job
	shared []int
}

// Items sends a field, and writes to it in another behaviour.
func (s *shop) Items(c *actor.Context, _ struct{}) {
	ints.Send(c, s.to, s.items) // want `GV2: s.items is sent but stays in the state \(shop.items\), and behaviours write to it \(line \d+\)`
	s.meet()
}

// Stock sends a map.
func (s *shop) Stock(c *actor.Context, _ struct{}) {
	stock := s.stock
	maps.Send(c, s.to, stock) // want `stock is sent but stays in the state \(shop.stock\), and behaviours write to it`
	s.meet()
}

// Job sends a pointer.
func (s *shop) Job(c *actor.Context, _ struct{}) {
	jobs.Send(c, s.to, s.job) // want `s.job is sent but stays in the state \(shop.job\), and behaviours write to it`
	s.meet()
}

// Order sends a struct with a map in it.
func (s *shop) Order(c *actor.Context, _ struct{}) {
	orders.Send(c, s.to, s.order) // want `s.order is sent but stays in the state \(shop.order.cart\), and behaviours write to it`
	s.meet()
}

// Part sends a struct that is made of parts of the state.
func (s *shop) Part(c *actor.Context, _ struct{}) {
	orders.Send(c, s.to, order{cart: s.stock, job: &job{}}) // want `order{.*} is sent but stays in the state \(shop.stock\)`
	s.meet()
}

// Buffer fills a buffer that was sent before.
func (s *shop) Buffer(c *actor.Context, _ struct{}) {
	s.buf = append(s.buf, 1)
	ints.Send(c, s.to, s.buf) // want `s.buf is sent but stays in the state \(shop.buf\), and behaviours write to it`
	s.buf = s.buf[:0]
	s.meet()
}

// Peer sends an element.
func (s *shop) Peer(c *actor.Context, _ struct{}) {
	jobs.Send(c, s.to, s.peers["a"]) // want `s.peers\["a"\] is sent but stays in the state \(shop.peers\[\]\), and behaviours write to it`
	s.meet()
}

// Helper sends by a function.
func (s *shop) Helper(c *actor.Context, _ struct{}) {
	s.post(c)
	s.meet()
}

func (s *shop) post(c *actor.Context) {
	ints.Send(c, s.to, s.items) // want `s.items is sent but stays in the state \(shop.items\)`
}

// Changed sends what the receiver writes to.
func (s *shop) Changed(c *actor.Context, _ struct{}) {
	change.Send(c, s.to, s.shared) // want `s.shared is sent but stays in the state \(shop.shared\), and the receiver writes to it`
	step.Meet(0)
	_ = s.shared[0]
	step.Meet(0)
}

// Cart replies with a map of the state.
func (s *shop) Cart(_ *actor.Context, _ struct{}) (map[string]int, error) {
	return s.stock, nil // want `s.stock is sent in the reply but stays in the state \(shop.stock\), and behaviours write to it`
}

// AskTo asks an actor that keeps what it is asked with.
func (s *shop) AskTo(c *actor.Context, _ struct{}) {
	actor.AskTo(c, keep, s.to, s.items, asked) // want `s.items is sent but stays in the state \(shop.items\)`
	kept.Send(c, s.to, struct{}{})
	s.meet()
}

func (s *shop) Asked(*actor.Context, actor.Result[int]) {}

// Write writes to all that is sent.
func (s *shop) Write(*actor.Context, struct{}) { s.meet() }

func (s *shop) meet() {
	step.Meet(0)
	s.items[0]++
	s.stock["b"]++
	s.job.id++
	s.order.cart["b"]++
	s.peers["a"].id++
	s.buf = append(s.buf, 2)
	step.Meet(0)
}

type nothing = actor.Behaviour[shop, struct{}]

var (
	shopType = actor.NewType[shop]("shop")
	items    = actor.Declare[struct{}](shopType, "items")
	stocks   = actor.Declare[struct{}](shopType, "stock")
	sendsJob = actor.Declare[struct{}](shopType, "job")
	ordered  = actor.Declare[struct{}](shopType, "order")
	part     = actor.Declare[struct{}](shopType, "part")
	buffer   = actor.Declare[struct{}](shopType, "buffer")
	peer     = actor.Declare[struct{}](shopType, "peer")
	helper   = actor.Declare[struct{}](shopType, "helper")
	changed  = actor.Declare[struct{}](shopType, "changed")
	asksTo   = actor.Declare[struct{}](shopType, "askTo")
	asked    = actor.Declare[actor.Result[int]](shopType, "asked")
	write    = actor.Declare[struct{}](shopType, "write")
	cart     = actor.DeclareAsk[struct{}, map[string]int](shopType, "cart")
	_        = shopType.Table(
		items.Handle((*shop).Items), stocks.Handle((*shop).Stock), sendsJob.Handle((*shop).Job),
		ordered.Handle((*shop).Order), part.Handle((*shop).Part), buffer.Handle((*shop).Buffer),
		peer.Handle((*shop).Peer), helper.Handle((*shop).Helper), changed.Handle((*shop).Changed),
		asksTo.Handle((*shop).AskTo), asked.Handle((*shop).Asked), write.Handle((*shop).Write),
		cart.Handle((*shop).Cart),
	)
)

func newShop(to ref) shop {
	return shop{
		to: to, items: make([]int, 1), stock: map[string]int{"a": 1}, job: &job{},
		order: order{cart: map[string]int{"a": 1}, job: &job{}}, buf: make([]int, 0, 4),
		peers: map[string]*job{"a": {}}, shared: make([]int, 1),
	}
}

func init() {
	for name, b := range map[string]nothing{
		"items": items, "stock": stocks, "job": sendsJob, "order": ordered, "part": part,
		"buffer": buffer, "peer": peer, "helper": helper, "changed": changed, "askTo": asksTo,
	} {
		race("of the state: "+name, func(sys *actor.System, r ref) {
			b.Send(sys, shopType.Spawn(sys, newShop(r)), struct{}{})
		})
	}
	race("of the state: reply", func(sys *actor.System, r ref) {
		s := shopType.Spawn(sys, newShop(r))
		m, err := cart.Ask(context.Background(), s, struct{}{})
		if err != nil {
			panic(err)
		}
		write.Send(sys, s, struct{}{})
		step.Meet(1)
		_ = m["a"]
		step.Meet(1)
	})
}
