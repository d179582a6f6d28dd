package actor_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// ward is a guest whose supervisor decides when the test says so.
type ward struct {
	*guests
	sys  *actor.System
	dead letters
	ref  actor.Ref[puppet]
	fell chan struct{}
}

func newWard(t *testing.T, opts ...actor.TypeOption) *ward {
	t.Helper()
	w := &ward{guests: newGuests(opts...), fell: make(chan struct{}, 1)}
	w.sys = start(t, actor.WithWorkers(2), actor.Leeway(50), w.dead.option())
	super := mortalType.Spawn(w.sys, mortal{name: "super", diary: new(diary),
		onFell: func(*mortal, *actor.Context, actor.ChildDown) { w.fell <- struct{}{} }})
	in(t, super, func(_ *mortal, c *actor.Context) {
		w.ref = actor.SpawnSupervised(c, w.typ, func(*puppet) {}, onFell)
	})
	return w
}

// fall makes the ward fall, and returns when its supervisor knows.
func (w *ward) fall(t *testing.T) {
	t.Helper()
	w.do.Send(w.sys, w.ref, func(*puppet, *actor.Context) { panic(errUser) })
	receive(t, "the fall", w.fell)
}

// TestDrop_BetweenFallAndRestart: a message of DropOnOverload is kept between a fall and the
// restart, as it is in a back-off and while OnStop runs, because the actor is not overloaded. A
// message that a behaviour sends by TrySend is kept too.
func TestDrop_BetweenFallAndRestart(t *testing.T) {
	for name, opts := range map[string][]actor.TypeOption{
		"plain":      nil,
		"watermarks": {actor.WithWatermarks(50, 10)},
		"mute":       {actor.WithBound(50, actor.OverflowMute)},
		"refuse":     {actor.WithBound(50, actor.OverflowRefuse)},
		"drop":       {actor.WithBound(50, actor.OverflowDropOldest)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWard(t, opts...)
			for range 3 { // messages kept after one fall do not count for the next
				w.fall(t)
				answers := make(chan error, 2)
				caller := puppetType.Spawn(w.sys, puppet{note: func(_ *actor.Context, r actor.Result[any]) {
					answers <- r.Err
				}})
				inside(t, w.sys, func(c *actor.Context) {
					for range 10 {
						w.drop.Send(c, w.ref, 1)
						must(t, w.drop.TrySend(c, w.ref, 1))
						w.drop.To(w.ref).Send(c, 1)
					}
				})
				for range 5 {
					w.drop.Send(w.sys, w.ref, 1)
				}
				asked := make(chan struct{})
				go func() {
					_, err := w.ask.Ask(soon(t), w.ref, struct{}{})
					answers <- err
				}()
				do.Send(w.sys, caller, func(_ *puppet, c *actor.Context) {
					w.ask.To(w.ref).AskTo(c, struct{}{}, noted{answers})
					close(asked)
				})
				receive(t, "the request to be sent", asked)
				actor.Restart(w.sys, w.ref)
				for range 2 {
					must(t, receive(t, "an answer", answers))
				}
				quiet(t, w.sys)
				n, err := w.ask.Ask(soon(t), w.ref, struct{}{})
				must(t, err)
				equal(t, "run", n, 35)
				equal(t, "dead letters", w.dead.n.Load(), 0)
			}
		})
	}
}

// noted sends each answer to a channel.
type noted struct{ answers chan error }

func (n noted) Send(_ actor.Sender, r actor.Result[int])          { n.answers <- r.Err }
func (n noted) TrySend(_ actor.Sender, r actor.Result[int]) error { n.answers <- r.Err; return nil }

// TestDrop_FallenIsBounded: an actor whose supervisor takes long keeps as many messages as a muted
// actor, or as its bound allows.
func TestDrop_FallenIsBounded(t *testing.T) {
	for name, opts := range map[string][]actor.TypeOption{
		"plain":      nil,
		"watermarks": {actor.WithWatermarks(50, 10)},
		"drop":       {actor.WithBound(50, actor.OverflowDropOldest)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWard(t, opts...)
			w.fall(t)
			inside(t, w.sys, func(c *actor.Context) {
				for range 100 {
					w.drop.Send(c, w.ref, 1)
				}
			})
			w.drop.Send(w.sys, w.ref, 1)
			if n := w.dead.n.Load(); n < 51 || n > 52 {
				t.Errorf("%d dead letters, want those beyond 50", n)
			}
			wants(t, w.dead.last.Load().Reason, actor.ErrOverloaded)
			actor.Restart(w.sys, w.ref)
			quiet(t, w.sys)
			equal(t, "mutes", w.sys.Stats().Mutes, 0)
		})
	}
}
