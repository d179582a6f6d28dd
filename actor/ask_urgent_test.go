package actor_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// device is a type of actors with an urgent request, which they answer even if they do not keep up.
type device struct {
	typ    *actor.Type[puppet]
	do     actor.Behaviour[puppet, deed]
	status actor.AskBehaviour[puppet, func(*puppet, *actor.Context) (int, error), int] // urgent
	try    actor.AskBehaviour[puppet, func(*puppet, *actor.Context) (int, error), int]
	drop   actor.AskBehaviour[puppet, func(*puppet, *actor.Context) (int, error), int]
}

func newDevice(opts ...actor.TypeOption) *device {
	type question = func(*puppet, *actor.Context) (int, error)
	d := &device{typ: actor.NewType[puppet]("device", opts...)}
	d.do = actor.Declare[deed](d.typ, "do")
	d.status = actor.DeclareAsk[question, int](d.typ, "status", actor.Urgent())
	d.try = actor.DeclareAsk[question, int](d.typ, "try")
	d.drop = actor.DeclareAsk[question, int](d.typ, "drop", actor.DropOnOverload())
	run := func(p *puppet, c *actor.Context, q question) (int, error) { return q(p, c) }
	d.typ.Table(d.do.Handle((*puppet).Do), d.status.Handle(run), d.try.Handle(run),
		d.drop.Handle(run))
	return d
}

func answers7(*puppet, *actor.Context) (int, error) { return 7, nil }

var deviceOptions = map[string][]actor.TypeOption{
	"plain":  nil,
	"mute":   {actor.WithBound(2, actor.OverflowMute)},
	"refuse": {actor.WithBound(2, actor.OverflowRefuse)},
	"drop":   {actor.WithBound(2, actor.OverflowDropOldest)},
}

// asksUrgent has the ways to ask. Each returns the reply.
var asksUrgent = map[string]func(t *testing.T, sys *actor.System, d *device,
	to actor.Ref[puppet]) (int, error){
	"Ask": func(t *testing.T, _ *actor.System, d *device, to actor.Ref[puppet]) (int, error) {
		return d.status.Ask(soon(t), to, answers7)
	},
	"Asker": func(t *testing.T, _ *actor.System, d *device, to actor.Ref[puppet]) (int, error) {
		return d.status.To(to).Ask(soon(t), answers7)
	},
	"AskAll": func(t *testing.T, _ *actor.System, d *device, to actor.Ref[puppet]) (int, error) {
		got, err := bridge.AskAll(soon(t), d.status, []actor.Ref[puppet]{to}, answers7)
		if err != nil {
			return 0, err
		}
		return got[0], nil
	},
	"in a turn": func(t *testing.T, sys *actor.System, d *device, to actor.Ref[puppet]) (n int,
		err error) {
		inside(t, sys, func(*actor.Context) { n, err = d.status.Ask(soon(t), to, answers7) })
		return n, err
	},
	"AskTo": func(t *testing.T, sys *actor.System, d *device, to actor.Ref[puppet]) (int, error) {
		return askedTo(t, sys, d, to)
	},
	"Within": func(t *testing.T, sys *actor.System, d *device, to actor.Ref[puppet]) (int, error) {
		return askedTo(t, sys, d, to, actor.Within(time.Hour))
	},
	"elsewhere": func(t *testing.T, _ *actor.System, d *device, to actor.Ref[puppet]) (int, error) {
		return askedTo(t, start(t), d, to)
	},
}

func askedTo(t *testing.T, sys *actor.System, d *device, to actor.Ref[puppet],
	opts ...actor.AskOption) (int, error) {
	b, got := newAskerType(), make(chan actor.Result[int], 1)
	r := b.typ.Spawn(sys, asker{tell: got})
	b.do.Send(sys, r, func(_ *asker, c *actor.Context) {
		actor.AskTo(c, d.status, to, answers7, b.answer, opts...)
	})
	res := receive(t, "the answer", got)
	return res.Value, res.Err
}

// TestAskUrgent_OfMuted: an actor that is muted, and whose mailbox is full, answers an urgent
// request. Other requests wait or are refused.
func TestAskUrgent_OfMuted(t *testing.T) {
	for name, opts := range deviceOptions {
		for way, ask := range asksUrgent {
			t.Run(name+"/"+way, func(t *testing.T) {
				sys := start(t, actor.WithWorkers(3), actor.Leeway(2))
				d, o := newDevice(opts...), overload(t, sys)
				r := d.typ.Spawn(sys, puppet{})
				d.do.Send(sys, r, func(_ *puppet, c *actor.Context) { slowDo.Send(c, o.ref, noop) })
				awaitMuted(t, r)
				for range 3 {
					d.do.Send(sys, r, noop)
				}
				n, err := ask(t, sys, d, r)
				must(t, err)
				equal(t, "answer", n, 7)
				awaitMuted(t, r) // again: it has answered before the end of its turn
				o.release()
				allUnmuted(t, sys)
			})
		}
	}
}

// TestAskUrgent_Ends: an urgent request that cannot be answered fails, as any request does.
func TestAskUrgent_Ends(t *testing.T) {
	d := newDevice()
	for way, ask := range asksUrgent {
		sys := start(t, actor.WithWorkers(2))
		r := d.typ.Spawn(sys, puppet{})
		must(t, actor.StopWait(soon(t), r))
		_, err := ask(t, sys, d, r)
		wants(t, err, actor.ErrStopped)
		equal(t, way+": dead letters", sys.Stats().DeadLetters, 1)
		quiet(t, sys)
	}
	sys := start(t, actor.WithWorkers(2), actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	r := d.typ.Spawn(sys, puppet{})
	_, err := d.status.Ask(soon(t), r, func(p *puppet, c *actor.Context) (int, error) {
		return d.status.Ask(soon(t), actor.Self[puppet](c), answers7)
	})
	wants(t, err, actor.ErrDeadlock)
	put := make(chan actor.Deferred[int], 1)
	answer := make(chan error, 1)
	go func() {
		n, err := d.status.Ask(soon(t), r, func(_ *puppet, c *actor.Context) (int, error) {
			put <- actor.Defer(c, d.status)
			return 0, nil
		})
		if err == nil && n != 8 {
			err = fmt.Errorf("%d instead of 8", n)
		}
		answer <- err
	}()
	receive(t, "the deferred", put).Reply(sys, 8, nil)
	must(t, receive(t, "the answer", answer))
	first := true
	var again func(p *puppet, c *actor.Context) (int, error)
	again = func(p *puppet, c *actor.Context) (int, error) {
		if !first {
			return 9, nil
		}
		first = false
		d.do.Send(c, r, func(_ *puppet, c *actor.Context) { actor.UnstashAll(c) })
		return d.status.Stash(c, again)
	}
	n, err := d.status.Ask(soon(t), r, again)
	must(t, err)
	equal(t, "the answer to what was stashed", n, 9)
	_, err = d.status.Ask(soon(t), r, func(*puppet, *actor.Context) (int, error) { panic(1) })
	wants(t, err, actor.ErrPanicked)
	quiet(t, sys)
}

// TestWaitForRoom: an Ask with a context from WaitForRoom waits for room as SendWait does; other
// asks fail at once.
func TestWaitForRoom(t *testing.T) {
	for name, opts := range deviceOptions {
		d := newDevice(opts...)
		ask := d.try
		if name == "plain" || name == "drop" { // the others have no limit for a request
			ask = d.drop
		}
		full := func(t *testing.T, sys *actor.System) (r actor.Ref[puppet], release func()) {
			r = d.typ.Spawn(sys, puppet{})
			in, stay := make(chan struct{}), make(chan struct{})
			d.do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ApplyPressure(); close(in); <-stay })
			receive(t, "the actor to get stuck", in)
			d.do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
			d.do.Send(sys, r, noop)
			_, err := ask.Ask(soon(t), r, answers7)
			wants(t, err, actor.ErrOverloaded)
			return r, func() { close(stay) }
		}
		for where, from := range map[string]func(t *testing.T, sys *actor.System, f func()){
			"outside": func(_ *testing.T, _ *actor.System, f func()) { f() },
			"in a turn": func(t *testing.T, sys *actor.System, f func()) {
				inside(t, sys, func(*actor.Context) { f() })
			},
		} {
			t.Run(name+"/"+where, func(t *testing.T) {
				var dead letters
				sys := start(t, actor.WithWorkers(2), dead.option())
				r, release := full(t, sys)
				ctx, cancel := context.WithCancel(actor.WaitForRoom(soon(t)))
				lost := dead.n.Load()
				answers := make(chan error, 2)
				go from(t, sys, func() {
					_, err := ask.Ask(ctx, r, answers7)
					answers <- err
				})
				eventually(t, "it waits", func() bool { return actor.Waiting(r) == 1 })
				cancel()
				wants(t, receive(t, "the end of the wait", answers), context.Canceled)
				equal(t, "dead letters", dead.n.Load()-lost, 1)
				wants(t, dead.last.Load().Reason, context.Canceled)
				go from(t, sys, func() {
					_, err := ask.Ask(actor.WaitForRoom(soon(t)), r, answers7)
					answers <- err
				})
				eventually(t, "it waits", func() bool { return actor.Waiting(r) == 1 })
				release()
				must(t, receive(t, "the answer", answers))
				quiet(t, sys)
			})
		}
		t.Run(name+"/itself", func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			r, release := full(t, sys)
			errs := make(chan error, 1)
			do := func(_ *puppet, c *actor.Context) {
				for range 3 {
					d.do.Send(c, r, noop)
				}
				c.ApplyPressure()
				_, err := ask.Ask(actor.WaitForRoom(soon(t)), r, answers7)
				c.ReleasePressure()
				errs <- err
			}
			release()
			quiet(t, sys)
			d.do.Send(sys, r, do)
			wants(t, receive(t, "the error", errs), actor.ErrDeadlock)
			quiet(t, sys)
		})
	}
	sys := start(t, actor.WithWorkers(2))
	d := newDevice(deviceOptions["refuse"]...)
	r := d.typ.Spawn(sys, puppet{})
	n, err := d.try.Ask(actor.WaitForRoom(soon(t)), r, answers7)
	must(t, err)
	equal(t, "with room", n, 7)
}

// A register is full of orders. It can be asked for its state all the same: by an urgent request,
// which needs no room, and by a request that waits for room.
func ExampleWaitForRoom() {
	type register struct{ done int }
	typ := actor.NewType[register]("register", actor.WithBound(1, actor.OverflowRefuse))
	order := actor.Declare[chan struct{}](typ, "order")
	state := actor.DeclareAsk[struct{}, int](typ, "state", actor.Urgent())
	total := actor.DeclareAsk[struct{}, int](typ, "total")
	count := func(r *register, _ *actor.Context, _ struct{}) (int, error) { return r.done, nil }
	typ.Table(
		order.Handle(func(r *register, c *actor.Context, paid chan struct{}) {
			c.Blocking(func() { <-paid })
			r.done++
		}), state.Handle(count), total.Handle(count))

	sys := actor.Start()
	defer sys.Stop()
	r := typ.Spawn(sys, register{})
	paid, ctx := make(chan struct{}, 2), context.Background()
	for range 2 {
		_ = order.SendWait(ctx, r, paid)
	}
	_, err := total.Ask(ctx, r, struct{}{}) // the second order takes the room
	fmt.Println(err)
	for range 2 {
		paid <- struct{}{}
	}
	_, err = state.Ask(ctx, r, struct{}{}) // for any number of orders that wait
	fmt.Println(err)
	fmt.Println(total.Ask(actor.WaitForRoom(ctx), r, struct{}{}))
	// Output:
	// gallop: actor overloaded
	// <nil>
	// 2 <nil>
}
