package durable_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/cluster/durable"
	"github.com/gallop-go/gallop/cluster/durable/durabletest"
)

var (
	dice = actor.NewType[struct{}]("dice")
	roll = actor.DeclareAsk[struct{}, uint64](dice, "roll")
	_    = dice.Table(roll.Handle(func(_ *struct{}, c *actor.Context, _ struct{}) (uint64, error) { return c.Rand().Uint64(), nil }))
)

// chance returns numbers that the order of the run decides.
func chance(r *actortest.R) *rand.Rand {
	seed, err := roll.Ask(r.Context(), dice.Spawn(r.System(), struct{}{}), struct{}{})
	if err != nil {
		r.Fatalf("%v", err)
	}
	return rand.New(rand.NewPCG(seed, 0))
}

// someFaults returns a plan by which most calls take a while, and some fail in all ways.
func someFaults(rnd *rand.Rand, on *bool) func(durabletest.Call) durabletest.Fault {
	return func(c durabletest.Call) (f durabletest.Fault) {
		f.Delay = time.Duration(rnd.IntN(20)) * time.Millisecond
		if !*on || rnd.IntN(3) > 0 {
			return f
		}
		f.Err = errors.New("time-out")
		if c.Op == durabletest.Append {
			switch n := rnd.IntN(5); n {
			case 0:
				f.Err = durable.ErrRefused
			default:
				f.Outcome = durabletest.Outcome(n % 3)
			}
		}
		return f
	}
}

// bank is a run in which everything happens: commands that are repeated until they are answered, a
// store that fails in all ways, actors that are killed, and owners that do not know that they are
// none any more.
func bank(r *actortest.R, wrap func(durable.Store) durable.Store) {
	const commands, keys = 16, 2
	rnd := chance(r)
	faulty := true
	inner := durable.NewMemory()
	store := wrap(durabletest.Faulty(inner, someFaults(rnd, &faulty)))
	var epoch uint64
	var owners [keys]actor.Ref[Account]
	own := func(key int) {
		epoch++
		owners[key] = often.Spawn(r.System(), Account{Actor: durable.OnEpoch(store, fmt.Sprint("k", key), epoch)})
	}
	for key := range keys {
		own(key)
	}
	var asked [commands]*outcome
	answered := 0
	for round := 0; answered < commands && round < 60; round++ {
		if round == 30 {
			faulty = false
		}
		answered = 0
		for i := range commands {
			id := fmt.Sprint("c", i)
			if o := asked[i]; o != nil && o.err == nil {
				if o.v >= 0 {
					answered++
				}
				if o.v >= 0 || faulty {
					continue // answered, or under way
				}
			}
			if rnd.IntN(3) == 0 || !faulty {
				if owners[i%keys].Status() == actor.StatusEnded {
					own(i % keys)
				}
				asked[i] = asking(r, id, oftenDeposit, owners[i%keys], 1+i)
			}
		}
		switch key := rnd.IntN(keys); {
		case !faulty:
		case rnd.IntN(8) == 0:
			actor.Kill(r.System(), owners[key])
		case rnd.IntN(8) == 0:
			own(key) // and the earlier one lives on
		}
		r.Quiet()
		r.Advance(time.Duration(rnd.IntN(40)) * time.Millisecond)
		if !faulty {
			r.Advance(time.Minute)
		}
	}
	k := newChecker()
	for key := range keys {
		name := fmt.Sprint("k", key)
		records, _ := inner.Records(context.Background(), "often/"+name, 0)
		k.read(name, records)
	}
	for i, o := range asked {
		if o != nil && o.err == nil && o.v >= 0 {
			k.acknowledged(fmt.Sprint("c", i), o.v)
		}
	}
	if answered < commands {
		k.errorf("%d of %d commands answered", answered, commands)
	}
	if len(k.wrong) > 0 {
		r.Fatalf("%v", k.wrong)
	}
}

func asItIs(s durable.Store) durable.Store { return s }

// Nothing acknowledged is lost, nothing is done twice, and no two write in one log.
func TestBankUnderFaults(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) { bank(r, asItIs) })
}

// The checker detects a store that acknowledges records before it has stored them.
func TestCheckerSeesEarlyAcknowledgements(t *testing.T) {
	actortest.RunFails(t, "lost|two writers", func(r *actortest.R) {
		bank(r, func(s durable.Store) durable.Store { return &early{s} })
	}, actortest.WithShrink(0))
}

type early struct{ durable.Store }

func (s *early) Append(ctx context.Context, key string, after uint64, record []byte) error {
	_ = s.Store.Append(ctx, key, after, record)
	return nil
}

// The checker sees a store that appends without comparing, so that no owner is fenced.
func TestCheckerSeesAStoreWithoutFence(t *testing.T) {
	actortest.RunFails(t, "two writers|k[01]: record", func(r *actortest.R) {
		bank(r, func(s durable.Store) durable.Store { return &unfenced{s} })
	}, actortest.WithShrink(0))
}

type unfenced struct{ durable.Store }

func (s *unfenced) Append(ctx context.Context, key string, after uint64, record []byte) error {
	if l, err := s.Store.Load(ctx, key); err == nil {
		after = l.Last
	}
	return s.Store.Append(ctx, key, after, record)
}

// In every run, an account has the balance of its simple twin.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys := actor.Start(actor.WithDeterministic(rapid.Uint64().Draw(t, "order")))
		defer sys.Stop()
		refuse := false
		store := durabletest.Faulty(durable.NewMemory(), func(c durabletest.Call) (f durabletest.Fault) {
			if c.Op == durabletest.Append && refuse {
				f.Err = durable.ErrRefused
			}
			return f
		})
		spawn := func() actor.Ref[Account] { return often.Spawn(sys, account(store, "ada")) }
		ref, twin := spawn(), 0
		ctx := t.Context()
		t.Repeat(map[string]func(*rapid.T){
			"deposit": func(t *rapid.T) {
				n := rapid.IntRange(0, 100).Draw(t, "n")
				if got, err := oftenDeposit.Ask(ctx, ref, n); err != nil || got != twin+n {
					t.Fatalf("deposit %d to %d: %d, %v", n, twin, got, err)
				}
				twin += n
			},
			"refused": func(t *rapid.T) {
				refuse = true
				if _, err := oftenDeposit.Ask(ctx, ref, 1); !errors.Is(err, durable.ErrRefused) {
					t.Fatalf("%v", err)
				}
				refuse = false
			},
			"restart": func(t *rapid.T) {
				switch rapid.IntRange(0, 2).Draw(t, "how") {
				case 0:
					actor.Stop(sys, ref)
				case 1:
					actor.Drain(sys, ref)
				case 2:
					actor.Kill(sys, ref)
				}
				ref = spawn()
			},
			"": func(t *rapid.T) {
				if got, err := oftenRead.Ask(ctx, ref, struct{}{}); err != nil || got != twin {
					t.Fatalf("balance %d, twin %d, %v", got, twin, err)
				}
			},
		})
	})
}

// often takes a snapshot after every third record.
var (
	often          = durable.NewType[Account]("often", durable.WithSnapshots(3, 1<<20))
	oftenDeposited = durable.DeclareEvent(often, "deposited", (*Account).deposited)
	oftenDeposit   = actor.DeclareAsk[int, int](often.Type, "deposit")
	oftenRead      = actor.DeclareAsk[struct{}, int](often.Type, "read")
	_              = often.Table(
		durable.HandleAsk(oftenRead, (*Account).Read),
		durable.HandleAsk(oftenDeposit, func(a *Account, t *durable.Turn[Account], n int) (int, error) {
			oftenDeposited.Emit(t, Deposited{n})
			return a.Balance, nil
		}))
)
