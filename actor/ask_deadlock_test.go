package actor_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// Tests of behaviours that ask each other and wait. A behaviour "of an actor for which a behaviour
// of to waits, directly or through others, in an Ask" gets ErrDeadlock, with contexts that end and
// contexts that do not. No other behaviour gets it.

// looked has the ways to ask for which a circle is detected.
var looked = map[string]func(c *actor.Context, to actor.Ref[puppet], f trick) error{
	"Ask":      endless["Ask"],
	"Blocking": endless["Blocking"],
	"Deadline": func(c *actor.Context, to actor.Ref[puppet], f trick) error {
		// No test waits for this deadline.
		ctx, cancel := context.WithTimeout(context.Background(), testLimit)
		defer cancel()
		return asksInTurn["Ask"](ctx, c, to, f)
	},
}

// endless has the ways to ask with contexts that do not end.
var endless = map[string]func(c *actor.Context, to actor.Ref[puppet], f trick) error{
	"Ask": func(c *actor.Context, to actor.Ref[puppet], f trick) error {
		return asksInTurn["Ask"](context.Background(), c, to, f)
	},
	"Blocking": func(c *actor.Context, to actor.Ref[puppet], f trick) error {
		return asksInTurn["Blocking"](context.Background(), c, to, f)
	},
}

// endsQuiet waits until the system is quiescent. It fails after a time, in case a circle is not
// detected.
func endsQuiet(t *testing.T, sys *actor.System) {
	t.Helper()
	must(t, sys.Wait(notSoLong(t)))
}

// awaitCallers waits until n actors wait for replies, so that the next caller is the last of a
// circle. In a deterministic system they wait already.
func awaitCallers(sys *actor.System, n int) {
	for sys.SimCounts().Sent == 0 && actor.CallersOf(sys) < n {
		runtime.Gosched()
	}
}

// TestAskCircle: each of n actors asks the next, and the last asks the first. The last one gets
// ErrDeadlock at once, for all kinds of contexts, and the others get their replies.
func TestAskCircle(t *testing.T) {
	for way, ask := range looked {
		for name, opts := range plainAndSeeded {
			for _, n := range []int{2, 3, 7} {
				t.Run(way+"/"+name+"/"+strconv.Itoa(n), func(t *testing.T) {
					var dead letters
					sys := start(t, append(opts, dead.option())...)
					all := make([]actor.Ref[puppet], n)
					for i := range all {
						all[i] = puppetType.Spawn(sys, puppet{})
					}
					errs := make([]error, n+1)
					var next func(i int) trick
					next = func(i int) trick {
						return func(_ *puppet, c *actor.Context) (any, error) {
							if i < n-1 {
								errs[i] = ask(c, all[i+1], next(i+1))
								return nil, nil
							}
							awaitCallers(sys, n-1)
							errs[i] = ask(c, all[0], justReply)
							_, errs[n] = try.Ask(notSoLong(t), all[0], justReply)
							return nil, nil
						}
					}
					do.Send(sys, all[0], func(p *puppet, c *actor.Context) { _, _ = next(0)(p, c) })
					endsQuiet(t, sys)
					for i, err := range errs {
						if i < n-1 {
							must(t, err)
						} else {
							wants(t, err, actor.ErrDeadlock)
						}
					}
					equal(t, "dead letters", dead.n.Load(), 2) // the requests do not run
				})
			}
		}
	}
}

// TestAskCircle_Storm: many actors ask each other at the same time, each once, and none waits for
// ever. An actor that closes a circle gets ErrDeadlock; all others get replies.
func TestAskCircle_Storm(t *testing.T) {
	for name, opts := range map[string][]actor.Option{"4": {actor.WithWorkers(4)},
		"seed": {actor.WithDeterministic(1)}} {
		for _, way := range []string{"Ask", "Deadline"} {
			t.Run(name+"/"+way, func(t *testing.T) { askInCircles(t, looked[way], opts...) })
		}
	}
}

func askInCircles(t *testing.T, ask func(*actor.Context, actor.Ref[puppet], trick) error,
	opts ...actor.Option) {
	heardBy := 0
	for round := range 300 {
		sys := start(t, opts...)
		all := make([]actor.Ref[puppet], 2+round%3)
		for i := range all {
			all[i] = puppetType.Spawn(sys, puppet{})
		}
		var refused, replies, others atomic.Int64
		for i, r := range all {
			do.Send(sys, r, func(_ *puppet, c *actor.Context) {
				switch err := ask(c, all[(i+1)%len(all)], justReply); {
				case err == nil:
					replies.Add(1)
				case errors.Is(err, actor.ErrDeadlock):
					refused.Add(1)
				default:
					others.Add(1)
				}
			})
		}
		endsQuiet(t, sys)
		sys.Stop()
		if refused.Load() > 1 || others.Load() != 0 || replies.Load()+refused.Load() != int64(len(all)) {
			t.Fatalf("%d of %d have closed a circle, %d have a reply, %d another error", refused.Load(),
				len(all), replies.Load(), others.Load())
		}
		heardBy += int(refused.Load())
	}
	t.Logf("%d of 300 closed a circle", heardBy)
}

// TestAskCircle_Bound: an actor with a bound closes a circle too. It drops no message before its
// own turn has ended, so it cannot reply earlier either.
func TestAskCircle_Bound(t *testing.T) {
	for name, b := range boundedTypes {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			p, q := b.typ.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
			errs := make([]error, 2)
			b.do.Send(sys, p, func(_ *puppet, c *actor.Context) {
				errs[0] = endless["Ask"](c, q, func(_ *puppet, c *actor.Context) (any, error) {
					awaitCallers(sys, 1)
					_, errs[1] = b.try.Ask(context.Background(), p, justReply)
					return nil, nil
				})
			})
			endsQuiet(t, sys)
			must(t, errs[0])
			wants(t, errs[1], actor.ErrDeadlock)
		})
	}
}

// TestAskCircle_None: a chain of asks is no circle if one of its actors has given up, or has had
// its reply: it no longer waits. All actors get their replies, or the error of their contexts.
func TestAskCircle_None(t *testing.T) {
	t.Run("GivenUp", func(t *testing.T) {
		sys := start(t, actor.WithWorkers(2))
		p, q := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan struct{})
		errs := make([]error, 2)
		do.Send(sys, p, func(_ *puppet, c *actor.Context) {
			errs[0] = asksInTurn["Ask"](ctx, c, q, func(_ *puppet, c *actor.Context) (any, error) {
				awaitCallers(sys, 1)
				cancel()
				<-gaveUp
				errs[1] = endless["Ask"](c, p, justReply)
				return nil, nil
			})
			close(gaveUp)
		})
		endsQuiet(t, sys)
		wants(t, errs[0], context.Canceled)
		must(t, errs[1])
	})
	for name, opts := range plainAndSeeded {
		t.Run(name+"/HadItsReply", func(t *testing.T) {
			sys := start(t, opts...)
			p, q := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
			errs := make([]error, 2)
			do.Send(sys, p, func(_ *puppet, c *actor.Context) {
				errs[0] = endless["Ask"](c, q, justReply)
				do.Send(c, q, func(_ *puppet, c *actor.Context) { errs[1] = endless["Ask"](c, p, justReply) })
			})
			endsQuiet(t, sys)
			must(t, errors.Join(errs...))
		})
	}
}

// TestAskCircle_Deadline: the ask that closes a circle fails at once, before the deadline of
// another ask in the circle has passed.
func TestAskCircle_Deadline(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	p, q := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	errs := make([]error, 2)
	do.Send(sys, p, func(_ *puppet, c *actor.Context) {
		errs[0] = asksInTurn["Ask"](ctx, c, q, func(_ *puppet, c *actor.Context) (any, error) {
			awaitCallers(sys, 1)
			errs[1] = asksInTurn["Ask"](ctx, c, p, justReply)
			return nil, nil
		})
	})
	endsQuiet(t, sys)
	must(t, errs[0])
	wants(t, errs[1], actor.ErrDeadlock)
	must(t, ctx.Err())
	equal(t, "entries left", actor.CallersOf(sys), 0)
}

// TestAskCircle_HasItsReply: "An edge counts while its call is open: it has no result". So an edge
// with a result closes no circle, even before the waiting actor runs again.
func TestAskCircle_HasItsReply(t *testing.T) {
	for _, has := range []bool{true, false} {
		sys := start(t, actor.WithWorkers(1))
		p, q := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
		var err error
		do.Send(sys, q, func(_ *puppet, c *actor.Context) {
			actor.EnterAsk(p, q, has)
			err = endless["Ask"](c, p, justReply)
		})
		endsQuiet(t, sys)
		equal(t, "it closes a circle", errors.Is(err, actor.ErrDeadlock), !has)
	}
}

// TestAskCircle_Pinned: if an actor of a pinned type waits, all other actors of the type wait too.
func TestAskCircle_Pinned(t *testing.T) {
	for name, opts := range plainAndSeeded {
		t.Run(name, func(t *testing.T) {
			sys := start(t, opts...)
			a, b, p := pinnedType.Spawn(sys, puppet{}), pinnedType.Spawn(sys,
				puppet{}), puppetType.Spawn(sys, puppet{})
			errs := make([]error, 2)
			pinnedDo.Send(sys, a, func(_ *puppet, c *actor.Context) {
				errs[0] = endless["Ask"](c, p, func(_ *puppet, c *actor.Context) (any, error) {
					awaitCallers(sys, 1)
					_, errs[1] = pinnedTry.Ask(context.Background(), b, justReply)
					return nil, nil
				})
			})
			endsQuiet(t, sys)
			must(t, errs[0])
			wants(t, errs[1], actor.ErrDeadlock)
		})
	}
}
