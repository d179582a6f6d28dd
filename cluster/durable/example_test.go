package durable_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/cluster/durable"
)

// A Cart is durable because it embeds durable.Actor. Changes of its exported fields by events are
// kept; the field with the tag is set when it is spawned.
type Cart struct {
	durable.Actor
	Items map[string]int
	Paid  bool

	shop actor.Handler[string] `durable:"-"`
}

// Item is a command, a request; ItemAdded is an event, a fact.
type (
	Item      struct{ SKU string }
	ItemAdded struct {
		SKU string
		N   int
	}
	CheckedOut struct{}
)

var errEmpty = errors.New("the cart is empty")

// Events change the state, and do nothing else: they are applied again in each life.

func (k *Cart) itemAdded(e ItemAdded) {
	if k.Items == nil {
		k.Items = map[string]int{}
	}
	k.Items[e.SKU] += e.N
}

func (k *Cart) checkedOut(CheckedOut) { k.Paid = true }

// Commands look at the state, and emit events.

func (k *Cart) Add(t *durable.Turn[Cart], i Item) (int, error) {
	itemAdded.Emit(t, ItemAdded{i.SKU, 1})
	return k.Items[i.SKU], nil
}

func (k *Cart) CheckOut(t *durable.Turn[Cart], _ struct{}) (struct{}, error) {
	if len(k.Items) == 0 {
		return struct{}{}, errEmpty
	}
	checkedOut.Emit(t, CheckedOut{})
	// Sent when the event is stored, and before the caller hears the reply.
	t.Then(func(c *actor.Context) { k.shop.Send(c, "pack "+k.Key()) })
	return struct{}{}, nil
}

func (k *Cart) Expire(t *durable.Turn[Cart], d time.Duration) { t.Remind("expire", d) }

func (k *Cart) Reminded(t *durable.Turn[Cart], name string) {
	t.Then(func(c *actor.Context) { k.shop.Send(c, name+" "+k.Key()) })
}

var (
	carts      = durable.NewType[Cart]("cart")
	itemAdded  = durable.DeclareEvent(carts, "item added", (*Cart).itemAdded)
	checkedOut = durable.DeclareEvent(carts, "checked out", (*Cart).checkedOut)
	addItem    = actor.DeclareAsk[Item, int](carts.Type, "add")
	checkOut   = actor.DeclareAsk[struct{}, struct{}](carts.Type, "check out")
	expire     = actor.Declare[time.Duration](carts.Type, "expire")
	_          = carts.OnReminder((*Cart).Reminded).Table(
		durable.HandleAsk(addItem, (*Cart).Add),
		durable.HandleAsk(checkOut, (*Cart).CheckOut),
		durable.Handle(expire, (*Cart).Expire),
	)
)

// The shop of the examples prints its messages.
var (
	shops = actor.NewType[struct{}]("shop")
	tell  = actor.Declare[string](shops, "tell")
	_     = shops.Table(tell.Handle(func(_ *struct{}, _ *actor.Context, s string) { fmt.Println("shop:", s) }))
)

func Example() {
	ctx := context.Background()
	store := durable.NewMemory() // or bolt.Open("carts.db")
	for life := range 2 {
		sys := actor.Start()
		shop := tell.To(shops.Spawn(sys, struct{}{}))
		cart := carts.Spawn(sys, Cart{Actor: durable.On(store, "ada"), shop: shop})
		n, err := addItem.Ask(ctx, cart, Item{"tea"})
		fmt.Println("tea:", n, err)
		if life == 1 {
			if _, err := checkOut.Ask(ctx, cart, struct{}{}); err != nil {
				fmt.Println(err)
			}
		}
		_ = sys.Run()
	}
	// Output:
	// tea: 1 <nil>
	// tea: 2 <nil>
	// shop: pack ada
}

// A client that has not heard the reply sends the command again, with the same id. It is done once.
func ExampleWithCommandID() {
	sys := actor.Start()
	defer sys.Stop()
	cart := carts.Spawn(sys, Cart{Actor: durable.On(durable.NewMemory(), "ada")})
	ctx := durable.WithCommandID(context.Background(), "request-17")
	for range 3 {
		fmt.Println(addItem.Ask(ctx, cart, Item{"tea"}))
	}
	// Output:
	// 1 <nil>
	// 1 <nil>
	// 1 <nil>
}

// A reminder outlives the actor that has set it.
func ExampleTurn_Remind() {
	clock := actor.NewVirtualClock(time.Unix(0, 0))
	sys := actor.Start(actor.WithClock(clock))
	defer sys.Stop()
	ctx := context.Background()
	store := durable.NewMemory()
	start := func() actor.Ref[Cart] {
		shop := tell.To(shops.Spawn(sys, struct{}{}))
		return carts.Spawn(sys, Cart{Actor: durable.On(store, "ada"), shop: shop})
	}
	cart := start()
	expire.Send(sys, cart, 24*time.Hour)
	_ = sys.Wait(ctx)
	_ = actor.DrainWait(ctx, cart)

	start()
	_ = clock.Advance(ctx, 23*time.Hour)
	fmt.Println("an hour left")
	_ = clock.Advance(ctx, time.Hour)
	// Output:
	// an hour left
	// shop: expire ada
}

// Profile has an event whose first version had one name, and now has two.
type Profile struct {
	durable.Actor
	First, Last string
}

type (
	RenamedV1 struct{ Name string }
	Renamed   struct{ First, Last string }
)

func ExampleUpcast() {
	profiles := durable.NewType[Profile]("profile")
	durable.DeclareEvent(profiles, "renamed",
		func(p *Profile, e Renamed) { p.First, p.Last = e.First, e.Last },
		durable.Upcast(1, func(old RenamedV1) Renamed { return Renamed{First: old.Name} }))
}

// A read model reads the records of a store.
func ExampleDecode() {
	sys := actor.Start()
	ctx := context.Background()
	store := durable.NewMemory()
	cart := carts.Spawn(sys, Cart{Actor: durable.On(store, "ada")})
	_, _ = addItem.Ask(durable.WithCommandID(ctx, "r1"), cart, Item{"tea"})
	_ = sys.Run()

	keys, _ := store.Keys(ctx, "cart/")
	for _, key := range keys {
		records, _ := store.Records(ctx, key, 0)
		for _, b := range records {
			record, err := durable.Decode(b)
			if err != nil {
				fmt.Println(err)
				continue
			}
			for _, turn := range record.Turns {
				for _, e := range turn.Events {
					fmt.Printf("%s %d: %s v%d %s by %s\n", key, record.Seq, e.Name, e.Version, e.Data, turn.Command)
				}
			}
		}
	}
	// Output:
	// cart/ada 1: item added v1 {"SKU":"tea","N":1} by r1
}

// Meter is a state of one number, which is not exported and so needs a codec.
type Meter struct {
	durable.Actor
	total uint64
}

type meterCodec struct{}

func (meterCodec) Encode(m *Meter) ([]byte, error) { return fmt.Append(nil, m.total), nil }
func (meterCodec) Decode(data []byte, m *Meter) error {
	_, err := fmt.Sscan(string(data), &m.total)
	return err
}

func ExampleNewType() {
	durable.NewType[Meter]("meter",
		durable.WithStateCodec[Meter](meterCodec{}),
		durable.WithSnapshots(1000, 1<<20), // a small state, and events that are quick to apply
		durable.WithTrim(),                 // nobody reads the old events
		durable.WithCommands(100),
		durable.WithTypeOptions(actor.WithBatch(10)),
	)
}
