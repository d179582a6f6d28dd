package durable_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/cluster/durable"
	"github.com/gallop-go/gallop/cluster/durable/durabletest"
	"github.com/gallop-go/gallop/supervise"
)

// outcome is the outcome of a caller.
type outcome struct {
	v   int
	err error
}

// asking starts a command from an actor of its own, so that several are under way at a time, and
// returns where the outcome will be.
func asking(r *actortest.R, id string, b actor.AskBehaviour[Account, int, int], to actor.Ref[Account], n int) *outcome {
	o := &outcome{v: -1}
	asker := askers.Spawn(r.System(), askerState{o})
	ctx := context.Background()
	if id != "" {
		ctx = durable.WithCommandID(ctx, id)
	}
	ask.Send(r.System(), asker, asked{ctx, b, to, n})
	return o
}

type askerState struct{ o *outcome }

type asked struct {
	ctx context.Context
	b   actor.AskBehaviour[Account, int, int]
	to  actor.Ref[Account]
	n   int
}

func (a *askerState) ask(c *actor.Context, q asked) {
	c.SetContext(q.ctx)
	actor.AskTo(c, q.b, q.to, q.n, heard)
}
func (a *askerState) heard(_ *actor.Context, r actor.Result[int]) { *a.o = outcome{r.Value, r.Err} }

var (
	askers = actor.NewType[askerState]("asker")
	ask    = actor.Declare[asked](askers, "ask")
	heard  = actor.Declare[actor.Result[int]](askers, "heard")
	_      = askers.Table(ask.Handle((*askerState).ask), heard.Handle((*askerState).heard))
)

func balance(r *actortest.R, to actor.Ref[Account]) int {
	r.Helper()
	n, err := read.Ask(r.Context(), to, struct{}{})
	if err != nil {
		r.Fatalf("read: %v", err)
	}
	return n
}

func TestStateOutlivesItsActor(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		store := durable.NewMemory()
		one := accounts.Spawn(r.System(), account(store, "ada"))
		first, second := asking(r, "", deposit, one, 10), asking(r, "", deposit, one, 5)
		r.Quiet()
		if _, err := withdraw.Ask(r.Context(), one, 100); !errors.Is(err, errFunds) {
			r.Fatalf("withdraw: %v", err)
		}
		mark.Send(r.System(), one, "x")
		r.Quiet()
		if first.err != nil || second.err != nil || max(first.v, second.v) != 15 {
			r.Fatalf("%v, %v", *first, *second)
		}
		actor.Drain(r.System(), one)
		r.Quiet()
		two := accounts.Spawn(r.System(), account(store, "ada"))
		if got := balance(r, two); got != 15 {
			r.Errorf("balance %d", got)
		}
		if n, err := readMarks.Ask(r.Context(), two, "x"); n != 1 || err != nil {
			r.Errorf("marks %d, %v", n, err)
		}
	})
}

// Replies, also of reads, and messages of Then wait until all earlier events are stored.
func TestRepliesWaitForTheirAppend(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		store := durabletest.Faulty(durable.NewMemory(), func(c durabletest.Call) durabletest.Fault {
			if c.Op == durabletest.Append {
				return durabletest.Fault{Delay: time.Minute}
			}
			return durabletest.Fault{}
		})
		probe := actortest.NewProbe[int](r, "probe")
		state := account(store, "ada")
		state.heard = probe.Handler()
		ref := accounts.Spawn(r.System(), state)
		wrote := asking(r, "", deposit, ref, 10)
		r.Quiet()
		refused := asking(r, "", withdraw, ref, 11) // emits nothing
		r.Quiet()
		r.Advance(time.Minute - 1)
		if wrote.v != -1 || refused.v != -1 || len(probe.Got()) > 0 {
			r.Fatalf("before the append: %v, %v, %v", *wrote, *refused, probe.Got())
		}
		r.Advance(1)
		if wrote.v != 10 || !errors.Is(refused.err, errFunds) || len(probe.Got()) != 1 {
			r.Fatalf("after the append: %v, %v, %v", *wrote, *refused, probe.Got())
		}
	})
}

// Commands that arrive while a record is being appended share the next record.
func TestGroupCommit(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		inner := durable.NewMemory()
		store := durabletest.Faulty(inner, func(c durabletest.Call) durabletest.Fault {
			return durabletest.Fault{Delay: time.Second}
		})
		ref := accounts.Spawn(r.System(), account(store, "ada"))
		r.Advance(time.Second)
		for range 20 {
			asking(r, "", deposit, ref, 1)
		}
		r.Quiet()
		r.Advance(2 * time.Second)
		records, _ := inner.Records(r.Context(), "account/ada", 0)
		if len(records) != 2 {
			r.Fatalf("%d records", len(records))
		}
		rec, err := durable.Decode(records[1])
		if err != nil || len(rec.Turns) != 19 {
			r.Errorf("%d turns, %v", len(rec.Turns), err)
		}
	})
}

// A refused append drops the state, the effects that wait for it, and all turns that ran ahead of
// it. The actor reads the state again and goes on.
func TestRefusedAppend(t *testing.T) {
	for _, want := range []error{durable.ErrRefused, durable.ErrFenced} {
		t.Run(want.Error(), func(t *testing.T) {
			actortest.Run(t, func(r *actortest.R) {
				inner := durable.NewMemory()
				store := durabletest.Faulty(inner, func(c durabletest.Call) durabletest.Fault {
					if c.Op == durabletest.Append && c.N == 2 {
						return durabletest.Fault{Err: want, Delay: time.Second}
					}
					return durabletest.Fault{}
				})
				probe := actortest.NewProbe[int](r, "probe")
				state := account(store, "ada")
				state.heard = probe.Handler()
				ref := accounts.Spawn(r.System(), state)
				asking(r, "", deposit, ref, 1)
				r.Quiet()
				second := asking(r, "", deposit, ref, 10)
				r.Quiet()
				third := asking(r, "", deposit, ref, 100)
				r.Quiet()
				r.Advance(time.Second)
				if !errors.Is(second.err, want) || !errors.Is(third.err, want) {
					r.Fatalf("%v, %v", *second, *third)
				}
				if got := probe.Got(); len(got) != 1 || got[0] != 1 {
					r.Errorf("Then has sent %v", got)
				}
				if n, err := deposit.Ask(r.Context(), ref, 1000); n != 1001 || err != nil {
					r.Errorf("after it: %d, %v", n, err)
				}
			})
		})
	}
}

// An append with an unknown outcome is stored once, whether it had been stored, is lost, or
// arrives while it is repeated.
func TestUnknownOutcomeIsSettled(t *testing.T) {
	for _, o := range []durabletest.Outcome{durabletest.Lost, durabletest.Done, durabletest.Late} {
		actortest.Run(t, func(r *actortest.R) {
			inner := durable.NewMemory()
			store := durabletest.Faulty(inner, func(c durabletest.Call) durabletest.Fault {
				if c.Op == durabletest.Append && c.N == 1 {
					return durabletest.Fault{Err: errors.New("time-out"), Outcome: o}
				}
				return durabletest.Fault{}
			})
			ref := accounts.Spawn(r.System(), account(store, "ada"))
			first := asking(r, "", deposit, ref, 1)
			r.Quiet()
			second := asking(r, "", deposit, ref, 1)
			r.Quiet()
			r.Advance(time.Second)
			if first.v != 1 || second.v != 2 {
				r.Fatalf("outcome %d: %v, %v", o, *first, *second)
			}
			if got := replayed(r, inner); got != 2 {
				r.Errorf("outcome %d: the log says %d", o, got)
			}
		})
	}
}

// replayed returns the balance by the log alone.
func replayed(r *actortest.R, store durable.Store) int {
	r.Helper()
	return balance(r, accounts.Spawn(r.System(), account(store, "ada")))
}

// If the store stays silent, callers hear ErrUnknown, and the actor ends for that reason.
func TestUnknownOutcomeThatStays(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		inner := durable.NewMemory()
		down := errors.New("no route")
		silent := false
		store := durabletest.Faulty(inner, func(c durabletest.Call) durabletest.Fault {
			if silent {
				return durabletest.Fault{Err: down, Outcome: durabletest.Done}
			}
			return durabletest.Fault{}
		})
		ref := accounts.Spawn(r.System(), account(store, "ada"))
		r.Quiet()
		silent = true
		o := asking(r, "c1", deposit, ref, 7)
		r.Quiet()
		r.Advance(10 * time.Second)
		if !errors.Is(o.err, durable.ErrUnknown) || !errors.Is(o.err, down) {
			r.Fatalf("%v", *o)
		}
		if _, err := read.Ask(r.Context(), ref, struct{}{}); !errors.Is(err, actor.ErrStopped) || !errors.Is(err, durable.ErrUnknown) {
			r.Errorf("after it: %v", err)
		}
		// It had been stored; with its id the command is not done twice.
		again := asking(r, "c1", deposit, accounts.Spawn(r.System(), account(inner, "ada")), 7)
		r.Quiet()
		if *again != (outcome{7, nil}) || replayed(r, inner) != 7 {
			r.Errorf("repeated: %v", *again)
		}
	})
}

// A store that panics is one whose outcome is unknown.
func TestStoreThatPanics(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		ref := accounts.Spawn(r.System(), account(&panicking{Memory: durable.NewMemory()}, "ada"))
		o := asking(r, "", deposit, ref, 7)
		r.Quiet()
		if !errors.Is(o.err, durable.ErrUnknown) {
			r.Errorf("%v", *o)
		}
	})
}

type panicking struct{ *durable.Memory }

func (*panicking) Append(context.Context, string, uint64, []byte) error { panic("disk on fire") }

// A command with an id that is known is not done again: neither while its record is under way, nor
// in a later life, with a snapshot or without.
func TestCommandIDs(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		store := durabletest.Faulty(durable.NewMemory(), func(c durabletest.Call) durabletest.Fault {
			return durabletest.Fault{Delay: time.Second}
		})
		ref := few.Spawn(r.System(), Account{Actor: durable.On(store, "ada")})
		a := askingFew(r, "c1", ref, 5)
		b := askingFew(r, "c1", ref, 5)
		r.Quiet()
		r.Advance(5 * time.Second)
		if a.v != 5 || b.v != 5 {
			r.Fatalf("%v, %v", *a, *b)
		}
		askingFew(r, "c2", ref, 1)
		r.Quiet()
		r.Advance(5 * time.Second) // the second record brings a snapshot
		ref = few.Spawn(r.System(), Account{Actor: durable.On(store, "ada")})
		c := askingFew(r, "c1", ref, 5)
		r.Quiet()
		r.Advance(5 * time.Second)
		askingFew(r, "c3", ref, 1)
		askingFew(r, "c4", ref, 1)
		r.Quiet()
		r.Advance(5 * time.Second)
		d := askingFew(r, "c1", ref, 5) // two are known, and c1 is the fourth
		r.Quiet()
		r.Advance(5 * time.Second)
		if c.v != 5 || d.v != 13 {
			r.Errorf("repeated %v, forgotten %v", *c, *d)
		}
	})
}

var (
	few          = durable.NewType[Account]("few", durable.WithCommands(2), durable.WithSnapshots(2, 1<<20), durable.WithTrim())
	fewDeposited = durable.DeclareEvent(few, "deposited", (*Account).deposited)
	fewDeposit   = actor.DeclareAsk[int, int](few.Type, "deposit")
	_            = few.Table(durable.HandleAsk(fewDeposit, func(a *Account, t *durable.Turn[Account], n int) (int, error) {
		fewDeposited.Emit(t, Deposited{n})
		return a.Balance, nil
	}))
)

func askingFew(r *actortest.R, id string, to actor.Ref[Account], n int) *outcome {
	return asking(r, id, fewDeposit, to, n)
}

// Each append of one writer refuses the next one of the other. Both see everything in the end.
func TestTwoWriters(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		store := durable.NewMemory()
		one := accounts.Spawn(r.System(), account(store, "ada"))
		two := accounts.Spawn(r.System(), account(store, "ada"))
		r.Quiet()
		sum := 0
		for i := range 10 {
			to := one
			if i%2 == 1 {
				to = two
			}
			o := asking(r, "", deposit, to, 1)
			r.Quiet()
			switch {
			case o.err == nil:
				sum++
			case !errors.Is(o.err, durable.ErrFenced):
				r.Fatalf("%v", *o)
			}
		}
		if got := replayed(r, store); got != sum || sum == 0 {
			r.Errorf("%d acknowledged, %d in the log", sum, got)
		}
	})
}

// An owner with a newer epoch fences the older one before it runs anything; that ends.
func TestEpochFences(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		store := durable.NewMemory()
		old := accounts.Spawn(r.System(), Account{Actor: durable.OnEpoch(store, "ada", 1)})
		asking(r, "", deposit, old, 1)
		r.Quiet()
		next := accounts.Spawn(r.System(), Account{Actor: durable.OnEpoch(store, "ada", 2)})
		r.Quiet()
		o := asking(r, "", deposit, old, 10)
		r.Quiet()
		if !errors.Is(o.err, durable.ErrFenced) {
			r.Errorf("zombie: %v", *o)
		}
		if _, err := read.Ask(r.Context(), old, struct{}{}); !errors.Is(err, durable.ErrFenced) {
			r.Errorf("zombie lives: %v", err)
		}
		if n := balance(r, next); n != 1 {
			r.Errorf("balance %d", n)
		}
		records, _ := store.Records(r.Context(), "account/ada", 0)
		if len(records) != 3 { // the fence of epoch 1, the deposit, the fence of epoch 2
			r.Errorf("%d records", len(records))
		}
		again := accounts.Spawn(r.System(), Account{Actor: durable.OnEpoch(store, "ada", 2)})
		balance(r, again)
		if records, _ := store.Records(r.Context(), "account/ada", 3); len(records) > 0 {
			r.Errorf("a second activation in one epoch has written %d records", len(records))
		}
	})
}

// A log that is shorter than the acknowledged one stops the actor with an error that names it, and
// any later actor in this process.
func TestStoreRegressed(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		store := &swap{Memory: durable.NewMemory()}
		ref := accounts.Spawn(r.System(), account(store, "ada"))
		for range 3 {
			asking(r, "", deposit, ref, 1)
			r.Quiet()
		}
		backup := durable.NewMemory()
		records, _ := store.Records(r.Context(), "account/ada", 0)
		for i, rec := range records[:2] {
			_ = backup.Append(r.Context(), "account/ada", uint64(i), rec)
		}
		store.Memory = backup
		asking(r, "", deposit, ref, 1)
		r.Quiet()
		for range 2 {
			if _, err := read.Ask(r.Context(), ref, struct{}{}); !errors.Is(err, durable.ErrStoreRegressed) {
				r.Errorf("%v", err)
			}
			ref = accounts.Spawn(r.System(), account(store, "ada"))
			r.Quiet()
		}
	})
}

type swap struct{ *durable.Memory }

// A snapshot that is ahead of its log is found by every reader.
func TestSnapshotAheadOfItsLog(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		store := durable.NewMemory()
		ref := few.Spawn(r.System(), account(store, "ada"))
		for range 4 {
			askingFew(r, "", ref, 1)
			r.Quiet()
		}
		l, _ := store.Load(r.Context(), "few/ada")
		if l.Snapshot.Seq != 4 || l.Last != 4 {
			r.Fatalf("%+v", l)
		}
		shorter := durable.NewMemory()
		_ = shorter.Snapshot(r.Context(), "few/ada", l.Snapshot)
		if _, err := fewDeposit.Ask(r.Context(), few.Spawn(r.System(), account(shorter, "ada")), 1); !errors.Is(err, durable.ErrStoreRegressed) {
			r.Errorf("%v", err)
		}
	})
}

// Reminders outlive the actor, are called when their time comes or has come, and once.
func TestReminders(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		store := durable.NewMemory()
		ref := accounts.Spawn(r.System(), account(store, "ada"))
		for _, d := range []time.Duration{3 * time.Hour, time.Hour, 2 * time.Hour, math.MaxInt64, 5 * time.Hour} {
			remindIn.Send(r.System(), ref, d)
		}
		forget.Send(r.System(), ref, 2*time.Hour)
		r.Quiet()
		r.Advance(time.Hour)
		actor.Stop(r.System(), ref)
		r.Quiet()
		r.Advance(3 * time.Hour)
		ref = accounts.Spawn(r.System(), account(store, "ada"))
		r.Quiet()
		count := func(want ...int) {
			r.Helper()
			for i, name := range []string{"1h0m0s", "2h0m0s", "3h0m0s", "5h0m0s"} {
				if n, err := readMarks.Ask(r.Context(), ref, name); n != want[i] || err != nil {
					r.Errorf("%s: %d times, want %d; %v", name, n, want[i], err)
				}
			}
		}
		count(1, 0, 1, 0)
		r.Advance(time.Hour)
		count(1, 0, 1, 1)
	})
}

// At most 1,000 turns run ahead of the log; then senders wait. The order stays that of sending.
func TestRunsAheadOfTheLogWithinBounds(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		inner := durable.NewMemory()
		store := durabletest.Faulty(inner, func(c durabletest.Call) durabletest.Fault {
			return durabletest.Fault{Delay: time.Second}
		})
		ref := accounts.Spawn(r.System(), account(store, "ada"))
		for i := range 2500 {
			mark.Send(r.System(), ref, fmt.Sprint(i))
		}
		r.Quiet()
		r.Advance(time.Second)
		if s := ref.Status(); s != actor.StatusOverloaded {
			r.Errorf("status %v", s)
		}
		r.Advance(time.Minute)
		records, _ := inner.Records(r.Context(), "account/ada", 0)
		n := 0
		for i, b := range records {
			rec, err := durable.Decode(b)
			if err != nil || len(rec.Turns) > 1000 {
				r.Errorf("record %d: %d turns, %v", i, len(rec.Turns), err)
			}
			for _, t := range rec.Turns {
				if got, want := string(t.Events[0].Data), fmt.Sprintf(`{"Name":"%d"}`, n); got != want {
					r.Fatalf("turn %d: %s", n, got)
				}
				n++
			}
		}
		if n != 2500 {
			r.Errorf("%d turns", n)
		}
	}, actortest.WithRuns(4), actortest.WithSteps(200_000))
}

// A drain waits for running appends: every command that has been sent is stored and answered.
func TestDrainWaitsForTheStore(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		store := durabletest.Faulty(durable.NewMemory(), func(durabletest.Call) durabletest.Fault {
			return durabletest.Fault{Delay: time.Second}
		})
		ref := accounts.Spawn(r.System(), account(store, "ada"))
		var all []*outcome
		for range 5 {
			all = append(all, asking(r, "", deposit, ref, 1))
		}
		r.Quiet()
		actor.Drain(r.System(), ref)
		r.Quiet()
		r.Advance(10 * time.Second)
		for _, o := range all {
			if o.err != nil || o.v < 1 {
				r.Errorf("%v", *o)
			}
		}
		if ref.Status() != actor.StatusEnded {
			r.Errorf("status %v", ref.Status())
		}
	})
}

// A behaviour that panics keeps nothing of its turn, and the next life reads the stored state
// again. There it finds out whether the store has lost records meanwhile.
func TestRestartBySupervisor(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		store := &swap{Memory: durable.NewMemory()}
		boss := supervise.Start(r.System(), supervise.Spec{Name: "boss", Children: []supervise.Child{
			supervise.Worker[Account]{Name: "ada", Type: frail.Type,
				Init: func(a *Account) { *a = account(store, "ada") },
				Decide: func(reason error) supervise.Decision {
					if errors.Is(reason, durable.ErrStoreRegressed) {
						return supervise.DecideStop
					}
					return supervise.DecideRestart
				}},
		}})
		ada, err := supervise.Find[Account](r.Context(), boss, "ada")
		if err != nil {
			r.Fatalf("%v", err)
		}
		work := func(n int) (int, error) {
			return frailDeposit.Ask(supervise.WaitForRestart(r.Context()), ada, n)
		}
		if n, err := work(5); n != 5 || err != nil {
			r.Fatalf("%d, %v", n, err)
		}
		if _, err := work(-1); !errors.Is(err, actor.ErrPanicked) {
			r.Fatalf("%v", err)
		}
		if n, err := work(2); n != 7 || err != nil {
			r.Errorf("after a panic: %d, %v", n, err)
		}
		store.Memory = durable.NewMemory()
		if _, err := work(-1); !errors.Is(err, actor.ErrPanicked) {
			r.Fatalf("%v", err)
		}
		r.Advance(time.Second) // the back-off
		if _, err := work(1); !errors.Is(err, durable.ErrStoreRegressed) {
			r.Errorf("after a loss: %v", err)
		}
	}, actortest.AllowPanics())
}

var (
	frail          = durable.NewType[Account]("frail")
	frailDeposited = durable.DeclareEvent(frail, "deposited", (*Account).deposited)
	frailDeposit   = actor.DeclareAsk[int, int](frail.Type, "deposit")
	_              = frail.Table(durable.HandleAsk(frailDeposit, func(a *Account, t *durable.Turn[Account], n int) (int, error) {
		frailDeposited.Emit(t, Deposited{n})
		if n < 0 {
			panic("negative")
		}
		return a.Balance, nil
	}))
)

// Two types may have one state; an event is of one of them.
func TestEventOfAnotherType(t *testing.T) {
	typ := durable.NewType[Account]("other")
	do := actor.DeclareAsk[int, int](typ.Type, "do")
	typ.Table(durable.HandleAsk(do, (*Account).Deposit))
	actortest.Run(t, func(r *actortest.R) {
		store := durable.NewMemory()
		_, err := do.Ask(r.Context(), typ.Spawn(r.System(), account(store, "ada")), 1)
		if !errors.Is(err, actor.ErrPanicked) {
			r.Errorf("%v", err)
		}
		// And the same key of another type is another log.
		asking(r, "", deposit, accounts.Spawn(r.System(), account(store, "ada")), 1)
		r.Quiet()
		if keys, _ := store.Keys(r.Context(), ""); len(keys) != 1 || keys[0] != "account/ada" {
			r.Errorf("%q", keys)
		}
	}, actortest.AllowPanics())
}

// Replies that wait are as many at most, also of commands that emit nothing.
func TestRepliesThatWaitAreBounded(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		store := durabletest.Faulty(durable.NewMemory(), func(durabletest.Call) durabletest.Fault {
			return durabletest.Fault{Delay: time.Second}
		})
		ref := accounts.Spawn(r.System(), account(store, "ada"))
		r.Advance(time.Second)
		asking(r, "", deposit, ref, 1)
		r.Quiet()
		var all []*outcome
		for range 1100 {
			all = append(all, asking(r, "", withdraw, ref, 2)) // more than there is
		}
		r.Quiet()
		if s := ref.Status(); s != actor.StatusOverloaded {
			r.Errorf("status %v", s)
		}
		r.Advance(time.Second)
		for i, o := range all {
			if !errors.Is(o.err, errFunds) {
				r.Fatalf("%d: %v", i, *o)
			}
		}
	}, actortest.WithRuns(2))
}
