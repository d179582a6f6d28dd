package actor_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// Tests of behaviours that wait in an ask. Such a behaviour must hang neither its system nor the
// actors that wait for it.

// notSoLong returns a context for a wait that a mutant makes endless: a mutant's test may take 90
// seconds.
func notSoLong(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 80*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// asksInTurn has the ways to ask in a behaviour and to wait.
var asksInTurn = map[string]func(ctx context.Context, c *actor.Context, to actor.Ref[puppet],
	f trick) error{
	"Ask": func(ctx context.Context, c *actor.Context, to actor.Ref[puppet], f trick) error {
		_, err := try.Ask(ctx, to, f)
		return err
	},
	"Blocking": func(ctx context.Context, c *actor.Context, to actor.Ref[puppet],
		f trick) (err error) {
		c.Blocking(func() { _, err = try.Ask(ctx, to, f) })
		return err
	},
	"AskAll": func(ctx context.Context, c *actor.Context, to actor.Ref[puppet], f trick) error {
		_, err := bridge.AskAll(ctx, try, []actor.Ref[puppet]{to}, f)
		return err
	},
	"Replies": func(ctx context.Context, c *actor.Context, to actor.Ref[puppet], f trick) error {
		for _, res := range bridge.Replies(ctx, try, []actor.Ref[puppet]{to}, f) {
			return res.Err
		}
		return nil
	},
}

var plainAndSeeded = map[string][]actor.Option{"workers": {actor.WithWorkers(2)},
	"seed": {actor.WithDeterministic(1)}}

// TestAsk_StopInATurn: when a system stops, an Ask in one of its behaviours returns
// ErrSystemStopped at once, so that the stop does not wait for ever. The actor that was asked does
// not reply. It is in the same system or in another one.
func TestAsk_StopInATurn(t *testing.T) {
	for way, ask := range asksInTurn {
		for name, opts := range plainAndSeeded {
			for _, where := range []string{"here", "elsewhere", "pinned"} {
				if where == "elsewhere" && name == "seed" {
					// "A behaviour that blocks on something outside of the system blocks the whole system".
					continue
				}
				t.Run(way+"/"+name+"/"+where, func(t *testing.T) {
					sys := start(t, opts...)
					at := sys
					if where == "elsewhere" {
						at = start(t, actor.WithWorkers(1))
					}
					stopInATurn(t, sys, puppetType.Spawn(at, puppet{}), where == "pinned", ask)
				})
			}
		}
	}
}

// stopInATurn stops sys when asked has put a request from a behaviour there into its stash.
func stopInATurn(t *testing.T, sys *actor.System, asked actor.Ref[puppet], pinned bool,
	ask func(context.Context, *actor.Context, actor.Ref[puppet], trick) error) {
	stashed, stash := context.WithCancel(soon(t))
	var err error
	var f trick
	f = func(_ *puppet, c *actor.Context) (any, error) {
		defer stash()
		return try.Stash(c, f)
	}
	g := func(_ *puppet, c *actor.Context) { err = ask(notSoLong(t), c, asked, f) }
	if pinned {
		pinnedDo.Send(sys, pinnedType.Spawn(sys, puppet{}), g)
	} else {
		do.Send(sys, puppetType.Spawn(sys, puppet{}), g)
	}
	if err := sys.Wait(stashed); !errors.Is(err, context.Canceled) {
		t.Fatalf("it did not come to the request: %v", err)
	}
	sys.Stop()
	wants(t, err, actor.ErrSystemStopped)
}

// TestAsk_OfOneMutedForTheCaller: an overloaded actor asks an actor that is muted for it. That
// actor goes on, and replies. This also holds if the caller asks an idle actor, which asks the
// muted one.
func TestAsk_OfOneMutedForTheCaller(t *testing.T) {
	for way, ask := range asksInTurn {
		for name, opts := range plainAndSeeded {
			for _, between := range []bool{false, true} {
				t.Run(way+"/"+name, func(t *testing.T) {
					sys := start(t, opts...)
					idle := puppetType.Spawn(sys, puppet{})
					askMuted(t, sys, func(c *actor.Context, asked actor.Ref[puppet]) error {
						if !between {
							return ask(notSoLong(t), c, asked, justReply)
						}
						return ask(notSoLong(t), c, idle, func(_ *puppet, c *actor.Context) (any, error) {
							return nil, ask(notSoLong(t), c, asked, justReply)
						})
					})
				})
			}
		}
	}
}

func justReply(*puppet, *actor.Context) (any, error) { return nil, nil }

// askMuted makes an actor that is muted for another one, and calls ask in the other one.
func askMuted(t *testing.T, sys *actor.System,
	ask func(c *actor.Context, asked actor.Ref[puppet]) error) {
	caller, asked := slowType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	err := errors.New("it has not asked")
	slowDo.Send(sys, caller, func(_ *puppet, c *actor.Context) {
		// It is overloaded after its first turn.
		slowDo.Send(c, caller, func(_ *puppet, c *actor.Context) {
			do.Send(c, asked, func(_ *puppet, c *actor.Context) { slowDo.Send(c, caller, noop) })
		})
		slowDo.Send(c, caller, func(_ *puppet, c *actor.Context) {
			for sys.SimCounts().Sent == 0 && sys.Stats().Mutes == 0 { // a deterministic one counts
				runtime.Gosched()
			}
			err = ask(c, asked)
		})
		slowDo.Send(c, caller, noop)
	})
	quiet(t, sys)
	must(t, err)
	st := sys.Stats()
	equal(t, "unmutes", st.Unmutes, st.Mutes)
}

// TestAsk_OfOneMutedLater: an overloaded actor, for which no sender is muted yet, asks an actor
// that sends to it before it comes to the request. That actor is not muted, and replies.
func TestAsk_OfOneMutedLater(t *testing.T) {
	for way, ask := range asksInTurn {
		t.Run(way, func(t *testing.T) {
			// An actor that gets a message runs when the caller waits.
			sys := start(t, actor.WithDeterministic(1), actor.WithWorkers(1))
			caller, asked := slowType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
			err := errors.New("it has not asked")
			slowDo.Send(sys, caller, func(_ *puppet, c *actor.Context) {
				// It is overloaded after its first turn.
				slowDo.Send(c, caller, func(_ *puppet, c *actor.Context) {
					do.Send(c, asked, func(_ *puppet, c *actor.Context) { slowDo.Send(c, caller, noop) })
					err = ask(notSoLong(t), c, asked, justReply)
				})
				slowDo.Send(c, caller, noop)
			})
			quiet(t, sys)
			must(t, err)
		})
	}
}

// TestAsk_OfOneMutedForTheMuted: a muted actor runs an urgent message, and asks an actor that is
// muted for it. That actor goes on, and replies. Afterwards the caller is still muted, and mutes
// its senders as before.
func TestAsk_OfOneMutedForTheMuted(t *testing.T) {
	typ := actor.NewType[puppet]("hasty")
	plain := actor.Declare[deed](typ, "plain")
	hasty := actor.Declare[deed](typ, "hasty", actor.Urgent())
	typ.Table(plain.Handle((*puppet).Do), hasty.Handle((*puppet).Do))
	for way, ask := range asksInTurn {
		t.Run(way, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2), actor.Leeway(1))
			slow, caller, asked := slowType.Spawn(sys, puppet{}), typ.Spawn(sys,
				puppet{}), puppetType.Spawn(sys, puppet{})
			muted := func(n uint64) {
				for sys.Stats().Mutes < n {
					runtime.Gosched()
				}
			}
			free, setFree := context.WithCancel(t.Context())
			defer setFree()
			slowDo.Send(sys, slow, func(_ *puppet, c *actor.Context) {
				// It is overloaded after its first turn.
				slowDo.Send(c, slow, func(_ *puppet, c *actor.Context) {
					plain.Send(c, caller, func(_ *puppet, c *actor.Context) { slowDo.Send(c, slow, noop) })
					<-free.Done()
				})
				slowDo.Send(c, slow, noop)
			})
			muted(1)
			do.Send(sys, asked, func(_ *puppet, c *actor.Context) { plain.Send(c, caller, noop) })
			muted(2)
			asks := make(chan error, 1)
			hasty.Send(sys, caller, func(_ *puppet, c *actor.Context) {
				asks <- ask(notSoLong(t), c, asked, justReply)
			})
			must(t, <-asks)
			for sends := 0; sys.Stats().Mutes < 3; sends++ { // once it has parked
				if sends == 1e6 {
					t.Fatal("who has asked mutes nobody any more")
				}
				do.Send(sys, asked, func(_ *puppet, c *actor.Context) { plain.Send(c, caller, noop) })
				runtime.Gosched()
			}
			setFree()
			quiet(t, sys)
			st := sys.Stats()
			equal(t, "unmutes", st.Unmutes, st.Mutes)
		})
	}
}

// TestAsk_OfTheMuted: a muted actor that runs urgent mail and waits for a reply accepts messages
// during the wait, as if it were not muted. After the reply it refuses them again, until its
// behaviour returns; also if that panics.
func TestAsk_OfTheMuted(t *testing.T) {
	for way, ask := range asksInTurn {
		t.Run(way, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2), actor.Leeway(1))
			o := overload(t, sys)
			caller, asked := mortalType.Spawn(sys, mortal{}), puppetType.Spawn(sys, puppet{})
			doAct.Send(sys, caller, func(_ *mortal, c *actor.Context) { slowDo.Send(c, o.ref, noop) })
			eventually(t, "the caller is muted", func() bool { return actor.Muted(caller) })
			ctx, tries := notSoLong(t), make(chan error, 3)
			rush.Send(sys, caller, func(_ *mortal, c *actor.Context) {
				tries <- doAct.TrySend(c, caller, nothing)
				tries <- ask(ctx, c, asked, func(_ *puppet, c *actor.Context) (any, error) {
					for doAct.TrySend(c, caller, nothing) != nil && ctx.Err() == nil {
						runtime.Gosched() // it does not wait yet
					}
					return nil, nil
				})
				tries <- doAct.TrySend(c, caller, nothing)
				panic(errUser)
			})
			for i, want := range [...]error{actor.ErrOverloaded, nil, actor.ErrOverloaded} {
				if err := receive(t, "an outcome", tries); !errors.Is(err, want) {
					t.Errorf("outcome %d is %v, want %v", i, err, want)
				}
			}
			o.release()
			allUnmuted(t, sys)
		})
	}
}

// TestAsk_OnTheSameThread: ErrDeadlock to a behaviour "of another actor of to's pinned type, which
// has one thread".
func TestAsk_OnTheSameThread(t *testing.T) {
	for name, opts := range plainAndSeeded {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, append(opts, dead.option())...)
			a, b := pinnedType.Spawn(sys, puppet{}), pinnedType.Spawn(sys, puppet{})
			errs := make([]error, 2)
			pinnedDo.Send(sys, a, func(_ *puppet, c *actor.Context) {
				_, errs[0] = pinnedTry.Ask(notSoLong(t), b, justReply)
				_, errs[1] = bridge.AskAll(notSoLong(t), pinnedTry, []actor.Ref[puppet]{b}, justReply)
			})
			quiet(t, sys)
			for _, err := range errs {
				wants(t, err, actor.ErrDeadlock)
			}
			equal(t, "dead letters", dead.n.Load(), 1) // AskAll has not sent any
		})
	}
}
