package actors_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// TestLongTurn: "For a process, Type is … "process", Behaviour is empty, ActorID is its number, and
// Name is one of its names", with the stack of the process; also if the process came to its turn by
// changing places with another.
func TestLongTurn(t *testing.T) {
	slow := process.Ref[int]{}
	got := whereItStays(false, func() (got actor.LongTurnReport) {
		got, slow = reportOfSlow(t)
		return got
	})
	equal(t, "type", got.Type+"/"+got.Behaviour, "process/")
	equal(t, "number", got.ActorID, slow.ID())
	equal(t, "name", got.Name, "slow one")
	if s := string(got.Stack); !strings.Contains(s, "actors_test.spin") {
		t.Errorf("the stack: %s", s)
	}
}

// whereItStays returns a report of a turn that spins, and says that it blocks: a busy machine may
// halt a turn on its way there, and then the report is of that. It tries for some times.
func whereItStays(blocking bool, report func() actor.LongTurnReport) (got actor.LongTurnReport) {
	for range 20 {
		if got = report(); got.Blocking == blocking &&
			strings.Contains(string(got.Stack), "actors_test.spin") {
			break
		}
	}
	return got
}

// reportOfSlow has a process spin until that is reported.
func reportOfSlow(t *testing.T) (actor.LongTurnReport, process.Ref[int]) {
	t.Helper()
	reports := make(chan actor.LongTurnReport, 10)
	sys := actor.Start(actor.WithWorkers(1), actor.WithLongTurn(10*time.Millisecond), quietLetters,
		actor.WithHooks(actor.Hooks{LongTurn: func(r actor.LongTurnReport) { reports <- r }}))
	defer sys.Stop()
	procs, c := actors.Join(sys), process.NewChan[int](0)
	slow := process.Spawn(procs, func(self *process.Self[int]) {
		c.Recv(self)
		spin(t, reports)
	})
	if err := process.Register("slow one", slow); err != nil {
		t.Fatal(err)
	}
	process.Go(procs, func(p *process.Proc) {
		c.Send(p, 1)
		c.Recv(p) // changes places with the slow one
	})
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return <-reports, slow
}

// TestLongTurn_Blocking: "Blocking is true if … the process is in Proc.Blocking, or in such a
// call": a call that goes on is reported as that of the process, with its stack, and not one that
// is over, nor the behaviour that the worker ran before. Mutant: a begin that keeps no task.
func TestLongTurn_Blocking(t *testing.T) {
	for name, block := range map[string]func(p *process.Proc, f func()){
		"Blocking": func(p *process.Proc, f func()) { p.Blocking(f) },
		"nested":   func(p *process.Proc, f func()) { p.Blocking(func() { p.Blocking(f) }) },
		"panics": func(p *process.Proc, f func()) {
			defer func() { _ = recover() }()
			p.Blocking(func() { f(); panic("planted") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			var p process.Process
			got := whereItStays(true, func() actor.LongTurnReport {
				reports := make(chan actor.LongTurnReport, 10)
				sys := actor.Start(actor.WithWorkers(1), actor.WithLongTurn(10*time.Millisecond),
					quietLetters,
					actor.WithHooks(actor.Hooks{LongTurn: func(r actor.LongTurnReport) { reports <- r }}))
				defer sys.Stop()
				in(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
					c.Blocking(func() {})
				})
				p = process.Go(actors.Join(sys), func(p *process.Proc) {
					for range 3 {
						p.Blocking(func() {}) // is over before it is looked at
					}
					block(p, func() { spin(t, reports) })
				})
				if err := sys.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				if len(reports) != 1 {
					t.Fatalf("%d reports", len(reports))
				}
				return <-reports
			})
			equal(t, "type", got.Type+"/"+got.Behaviour, "process/")
			equal(t, "number", got.ActorID, p.ID())
			equal(t, "blocking", got.Blocking, true)
			if s := string(got.Stack); !strings.Contains(s, "actors_test.spin") {
				t.Errorf("the stack: %s", s)
			}
		})
	}
}

// TestLongTurn_Ask: an Ask of a behaviour in a process is such a call.
func TestLongTurn_Ask(t *testing.T) {
	reports := make(chan actor.LongTurnReport, 10)
	sys := actor.Start(actor.WithWorkers(1), actor.WithLongTurn(10*time.Millisecond), quietLetters,
		actor.WithHooks(actor.Hooks{LongTurn: func(r actor.LongTurnReport) { reports <- r }}))
	defer sys.Stop()
	r, owed := deferType.Spawn(sys, deferrer{}), t.Context()
	p := process.Go(actors.Join(sys), func(*process.Proc) {
		_, err := never.Ask(owed, r, 1)
		equal(t, "stopped", errors.Is(err, actor.ErrStopped), true)
	})
	var got actor.LongTurnReport
	select {
	case got = <-reports:
	case <-time.After(hangTimeout):
		t.Fatal("no report")
	}
	equal(t, "type", got.Type, "process")
	equal(t, "number", got.ActorID, p.ID())
	equal(t, "blocking", got.Blocking, true)
	actor.Kill(sys, r)
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// spin keeps its turn until that was reported.
func spin(t *testing.T, reports chan actor.LongTurnReport) {
	for until := time.Now().Add(hangTimeout); len(reports) == 0; {
		if time.Now().After(until) {
			t.Error("no report")
			return
		}
	}
}
