package durable_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/cluster/durable"
)

// panics returns the value of f's panic, as text; "" if f does not panic.
func panics(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

type (
	hidden  struct{ n int }
	nested  struct{ Of []map[string]*hidden }
	stamped struct {
		time.Time
		N int
	}
	node struct {
		N    int
		Next *node
	}
	tagged struct {
		N int
		m chan int `durable:"-"`
		O chan int `json:"-"`
	}
	inner  struct{ N int }
	outer  struct{ inner }
	stated struct {
		durable.Actor
		outer
		When time.Time
		By   map[int][]byte
		self actor.Ref[stated] `durable:"-"`
	}
	ofRef struct {
		durable.Actor
		Ref actor.Ref[stated]
	}
)

// A program reports at its start declarations that would lose something later. Each message names
// the type, and the path of the field.
func TestDeclarationsThatAreWrong(t *testing.T) {
	typ := durable.NewType[stated]("stated")
	durable.DeclareEvent(typ, "taken", func(*stated, int) {})
	event := func(opts ...durable.EventOption) func() {
		return func() { durable.DeclareEvent(typ, "new", func(*stated, Renamed) {}, opts...) }
	}
	for want, f := range map[string]func(){
		"int does not embed durable.Actor":  func() { durable.NewType[int]("x") },
		"ofRef.Ref.":                        func() { durable.NewType[ofRef]("x") },
		"hidden.n is not exported":          func() { durable.DeclareEvent(typ, "e", func(*stated, hidden) {}) },
		"nested.Of[][].n is not exported":   func() { durable.DeclareEvent(typ, "e", func(*stated, nested) {}) },
		"stamped may have the JSON of Time": func() { durable.DeclareEvent(typ, "e", func(*stated, stamped) {}) },
		"is of type interface {}":           func() { durable.DeclareEvent(typ, "e", func(*stated, any) {}) },
		"is of type func()":                 func() { durable.DeclareEvent(typ, "e", func(*stated, []func()) {}) },
		"has keys of type float64":          func() { durable.DeclareEvent(typ, "e", func(*stated, map[float64]int) {}) },
		"the name is taken":                 func() { durable.DeclareEvent(typ, "taken", func(*stated, int) {}) },
		"a slash":                           func() { durable.NewType[stated]("a/b") },
		"begins with durable":               func() { durable.DeclareEvent(typ, "durable.remind", func(*stated, int) {}) },
		"the name is empty":                 func() { durable.DeclareEvent(typ, "", func(*stated, int) {}) },
		"apply is nil":                      func() { durable.DeclareEvent[stated, int](typ, "e", nil) },
		"upcast from 1 makes int, want":     event(durable.Upcast(1, func(int) int { return 0 })),
		"upcast from 3 is out of order":     event(durable.Upcast(1, func(int) int { return 0 }), durable.Upcast(3, func(int) Renamed { return Renamed{} })),
		"version 1.n is not exported":       event(durable.Upcast(1, func(hidden) Renamed { return Renamed{} })),
		"is no codec of":                    event(durable.WithCodec[Meter](meterCodec{})),
		"meterCodec is no codec of":         func() { durable.NewType[stated]("x", durable.WithStateCodec[Meter](meterCodec{})) },
		"store is <nil>":                    func() { durable.On(nil, "k") },
		"empty key":                         func() { durable.On(durable.NewMemory(), "") },
		"store is durable_test.slices":      func() { durable.On(slices{}, "k") },
		"WithSnapshots(0, 1)":               func() { durable.WithSnapshots(0, 1) },
		"WithCommands(-1)":                  func() { durable.WithCommands(-1) },
		"OnStart of stated: nil":            func() { typ.OnStart(nil) },
		"OnStop of stated: nil":             func() { typ.OnStop(nil) },
		"OnReminder of stated: nil":         func() { typ.OnReminder(nil) },
	} {
		got := panics(f)
		if !strings.Contains(got, want) || !strings.HasPrefix(got, "gallop: durable") {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
	for _, f := range []func(){
		func() { durable.DeclareEvent(typ, "node", func(*stated, node) {}) },
		func() { durable.DeclareEvent(typ, "tagged", func(*stated, tagged) {}) },
		func() { durable.DeclareEvent(typ, "time", func(*stated, time.Time) {}) },
		event(durable.Upcast(4, func(int) inner { return inner{} }), durable.Upcast(5, func(inner) Renamed { return Renamed{} })),
	} {
		if got := panics(f); got != "" {
			t.Error(got)
		}
	}
}

type slices struct {
	many []int
}

func (slices) Load(context.Context, string) (durable.Log, error)        { return durable.Log{}, nil }
func (slices) Append(context.Context, string, uint64, []byte) error     { return nil }
func (slices) Snapshot(context.Context, string, durable.Snapshot) error { return nil }

// A turn that cannot be kept is no turn: the actor ends, and the log has nothing of it. So does one
// that is used too late, or reminds where nobody listens.
func TestTurnsThatAreWrong(t *testing.T) {
	var kept *durable.Turn[stated]
	typ := durable.NewType[stated]("stated")
	number := durable.DeclareEvent(typ, "number", func(*stated, float64) {})
	do := actor.DeclareAsk[string, int](typ.Type, "do")
	typ.Table(durable.HandleAsk(do, func(_ *stated, turn *durable.Turn[stated], what string) (int, error) {
		number.Emit(turn, 1)
		switch what {
		case "nan":
			number.Emit(turn, math.NaN())
		case "keep":
			kept = turn
		case "late":
			turn.Then(func(*actor.Context) { kept.Now() })
		case "remind":
			turn.Remind("x", time.Second)
		case "then":
			turn.Then(nil)
		}
		return 1, nil
	}))
	actortest.Run(t, func(r *actortest.R) {
		store := durable.NewMemory()
		for _, row := range [][2]string{
			{"nan", "event number of stated cannot be kept"},
			{"remind", "stated has no OnReminder"},
			{"then", "Then(nil)"},
		} {
			what, want := row[0], row[1]
			_, err := do.Ask(r.Context(), typ.Spawn(r.System(), stated{Actor: durable.On(store, what)}), what)
			if !errors.Is(err, actor.ErrPanicked) || !strings.Contains(err.Error(), want) {
				r.Errorf("%s: %v", what, err)
			}
			if records, _ := store.Records(r.Context(), "stated/"+what, 0); len(records) > 0 {
				r.Errorf("%s: %d records", what, len(records))
			}
		}
		ref := typ.Spawn(r.System(), stated{Actor: durable.On(store, "late")})
		_, _ = do.Ask(r.Context(), ref, "keep")
		if got := panics(func() { kept.Self() }); !strings.Contains(got, "after its behaviour has returned") {
			r.Errorf("kept: %q", got)
		}
		if _, err := do.Ask(r.Context(), ref, "late"); err == nil {
			r.Errorf("a Then that uses a turn is no error")
		}
		if _, err := do.Ask(r.Context(), typ.Spawn(r.System(), stated{}), ""); !errors.Is(err, actor.ErrStopped) || !strings.Contains(err.Error(), "without durable.On") {
			r.Errorf("without On: %v", err)
		}
	}, actortest.AllowPanics(), actortest.WithRuns(1))
	if got := panics(func() { durable.DeclareEvent(typ, "late", func(*stated, int) {}) }); !strings.Contains(got, "has started") {
		t.Errorf("declared late: %q", got)
	}
}

// Old versions of an event become the new one; unknown ones, and newer ones, are refused by name.
func TestUpcasts(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		store := durable.NewMemory()
		v1 := people(func(p *durable.Type[Profile]) durable.Event[Profile, RenamedV1] {
			return durable.DeclareEvent(p, "renamed", func(s *Profile, e RenamedV1) { s.First = e.Name })
		}, func(name string) RenamedV1 { return RenamedV1{name} })
		v2 := people(func(p *durable.Type[Profile]) durable.Event[Profile, Renamed] {
			return durable.DeclareEvent(p, "renamed", func(s *Profile, e Renamed) { s.First, s.Last = e.First, e.Last },
				durable.Upcast(1, func(old RenamedV1) Renamed { return Renamed{old.Name, "?"} }))
		}, func(name string) Renamed { return Renamed{name, name} })
		none := people(func(p *durable.Type[Profile]) durable.Event[Profile, Renamed] {
			return durable.DeclareEvent(p, "other", func(*Profile, Renamed) {})
		}, func(string) (e Renamed) { return e })
		v1(r, store, "ann", "ann ")
		v2(r, store, "", "ann ?")
		v2(r, store, "bob", "bob bob")
		v1(r, store, "", "version 2, and this program knows 1 to 1")
		none(r, store, "", `unknown event "renamed"`)
	}, actortest.WithRuns(2))
}

// people returns a function that renames a profile, unless the name is "", and checks the outcome,
// which may be an error.
func people[E any](declare func(*durable.Type[Profile]) durable.Event[Profile, E], make func(string) E) func(*actortest.R, durable.Store, string, string) {
	typ := durable.NewType[Profile]("profile")
	event := declare(typ)
	rename := actor.DeclareAsk[string, string](typ.Type, "rename")
	typ.Table(durable.HandleAsk(rename, func(p *Profile, turn *durable.Turn[Profile], name string) (string, error) {
		if name != "" {
			event.Emit(turn, make(name))
		}
		return p.First + " " + p.Last, nil
	}))
	return func(r *actortest.R, store durable.Store, name, want string) {
		r.Helper()
		ref := typ.Spawn(r.System(), Profile{Actor: durable.On(store, "p")})
		got, err := rename.Ask(r.Context(), ref, name)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || err != nil && !errors.Is(err, durable.ErrUnknownEvent) {
			r.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

// A log that differs from the written one keeps the actor from its start, and the error names the
// difference.
func TestDamagedLogs(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		whole := durable.NewMemory()
		ref := often.Spawn(r.System(), account(whole, "ada"))
		for range 4 {
			asking(r, "c", oftenDeposit, ref, 1)
			asking(r, "", oftenDeposit, ref, 1)
			r.Quiet()
		}
		l, _ := whole.Load(r.Context(), "often/ada")
		records, _ := whole.Records(r.Context(), "often/ada", 0)
		if l.Snapshot.Seq == 0 || len(l.Records) == 0 {
			r.Fatalf("%+v", l)
		}
		for _, row := range []damage{
			{"record", func(l *durable.Log) { l.Records[0] = append([]byte{9}, l.Records[0][1:]...) }},
			{"other record", func(l *durable.Log) { l.Records[0] = records[0] }},
			{"missing record", func(l *durable.Log) { l.Records = nil }},
			{"snapshot", func(l *durable.Log) { l.Snapshot.Data = l.Snapshot.Data[1:] }},
			{"number of snapshot", func(l *durable.Log) { l.Snapshot.Seq-- }},
		} {
			l, _ := whole.Load(r.Context(), "often/ada")
			row.do(&l)
			_, err := oftenRead.Ask(r.Context(), often.Spawn(r.System(), account(&fixed{whole, l}, "ada")), struct{}{})
			if !errors.Is(err, durable.ErrCorrupt) || !strings.Contains(err.Error(), "ada") {
				r.Errorf("%s: %v", row.name, err)
			}
		}
	}, actortest.WithRuns(2))
}

type damage struct {
	name string
	do   func(*durable.Log)
}

type fixed struct {
	*durable.Memory
	l durable.Log
}

func (f *fixed) Load(context.Context, string) (durable.Log, error) { return f.l, nil }

// OnStart runs in each life, and when the state had to be read again, and may emit; OnStop hears
// the reason.
func TestOnStartAndOnStop(t *testing.T) {
	lives, ends := 0, 0
	typ := durable.NewType[Account]("life")
	started := durable.DeclareEvent(typ, "started", func(a *Account, n int) { a.Balance += n })
	get := actor.DeclareAsk[struct{}, int](typ.Type, "get")
	typ.OnStart(func(a *Account, turn *durable.Turn[Account]) error {
		lives++
		started.Emit(turn, 1)
		if a.Balance > 2 {
			return errFunds
		}
		return nil
	}).OnStop(func(*Account, *actor.Context, error) { ends++ }).Table(durable.HandleAsk(get, (*Account).Read))
	actortest.Run(t, func(r *actortest.R) {
		lives, ends = 0, 0
		store := durable.NewMemory()
		for want := 1; want <= 3; want++ {
			ref := typ.Spawn(r.System(), account(store, "ada"))
			n, err := get.Ask(r.Context(), ref, struct{}{})
			if want < 3 && (n != want || err != nil) || want == 3 && !errors.Is(err, errFunds) {
				r.Errorf("life %d: %d, %v", want, n, err)
			}
			actor.Stop(r.System(), ref)
			r.Quiet()
		}
		records, _ := store.Records(r.Context(), "life/ada", 0)
		if lives != 3 || ends != 2 || len(records) != 2 {
			r.Errorf("%d lives, %d ends, %d records", lives, ends, len(records))
		}
	}, actortest.WithRuns(2))
}
