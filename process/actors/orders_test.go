package actors_test

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// account is a balance that others read and write.
type account struct{ balance int }

var (
	accountType = actor.NewType[account]("account")
	balance     = actor.DeclareAsk[struct{}, int](accountType, "balance")
	set         = actor.Declare[int](accountType, "set")
	deposit     = actor.Declare[int](accountType, "deposit")
	_           = accountType.Table(
		balance.Handle(func(a *account, _ *actor.Context, _ struct{}) (int, error) {
			return a.balance, nil
		}),
		set.Handle(func(a *account, _ *actor.Context, n int) { a.balance = n }),
		deposit.Handle(func(a *account, _ *actor.Context, n int) { a.balance += n }),
	)
)

// lostDeposit is a race: a process reads the balance and writes it, and an actor deposits. If the
// deposit comes between the two, it is lost.
func lostDeposit(r *actortest.R) {
	sys := r.System()
	a := accountType.Spawn(sys, account{})
	p := process.Go(actors.Join(sys), func(p *process.Proc) {
		s := actors.Sender(p)
		n, err := actors.Call(p, balance, a, struct{}{})
		if err != nil {
			r.Errorf("%v", err)
		}
		set.Send(s, a, n+1)
	})
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		deposit.Send(c, a, 10)
	})
	r.Quiet()
	if _, over := p.Result(); !over {
		r.Errorf("the process waits: %v", actors.Join(sys).Blocked())
	}
	if n, err := balance.Ask(r.Context(), a, struct{}{}); n != 11 || err != nil {
		r.Errorf("balance %d, %v", n, err)
	}
}

// TestOrders: actortest finds an order in which a process and an actor race, and repeats it.
func TestOrders(t *testing.T) {
	d := &mock{TB: t}
	actortest.Run(d, lostDeposit)
	m := regexp.MustCompile(`-gallop\.replay=(\S+)`).FindStringSubmatch(d.text.String())
	if !d.failed || m == nil || !strings.Contains(d.text.String(), "balance 1, <nil>") {
		t.Fatalf("failed: %v\n%s", d.failed, d.text.String())
	}
	f := flag.Lookup("gallop.replay")
	defer f.Value.Set(f.Value.String())
	f.Value.Set(m[1])
	for range 3 {
		again := &mock{TB: t}
		actortest.Run(again, lostDeposit)
		if !again.failed || !strings.Contains(again.text.String(), "balance 1, <nil>") {
			t.Fatalf("replayed: %v\n%s", again.failed, again.text.String())
		}
	}
}

// mock stands for a test that may fail.
type mock struct {
	testing.TB
	failed bool
	text   strings.Builder
}

func (d *mock) Helper()                   {}
func (d *mock) Name() string              { return d.TB.Name() }
func (d *mock) Logf(f string, a ...any)   { fmt.Fprintf(&d.text, f+"\n", a...) }
func (d *mock) Log(a ...any)              { fmt.Fprintln(&d.text, a...) }
func (d *mock) Errorf(f string, a ...any) { d.Logf(f, a...); d.failed = true }
func (d *mock) Fatal(a ...any)            { d.Log(a...); d.failed = true }
func (d *mock) Failed() bool              { return d.failed }
func (d *mock) Fatalf(f string, a ...any) { d.Errorf(f, a...) }

// TestOrders_All: two processes that meet at
// a channel and ask an actor end in every order, and each run repeats itself.
func TestOrders_All(t *testing.T) {
	seen := map[string]bool{}
	actortest.Run(t, func(r *actortest.R) {
		sys, order := r.System(), ""
		procs, a := actors.Join(sys), accountType.Spawn(sys, account{})
		c := process.NewChan[int](0)
		for _, name := range []string{"a", "b"} {
			process.Go(procs, func(p *process.Proc) {
				_, _ = actors.Call(p, balance, a, struct{}{})
				if name == "a" {
					c.Send(p, 1)
				} else {
					c.Recv(p)
				}
				order += name
			})
		}
		r.Quiet()
		if len(order) != 2 {
			r.Errorf("blocked: %v", procs.Blocked())
		}
		seen[order] = true
	}, actortest.WithStrategies(actortest.Random(), actortest.PCT(3)), actortest.WithTwice())
	equal(t, "orders", seen, map[string]bool{"ab": true, "ba": true})
}

// TestOrders_Links: in every order, the ends of a process and of an actor that are linked reach
// each other.
func TestOrders_Links(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		sys := r.System()
		a := puppetType.Spawn(sys, puppet{})
		p := process.Go(actors.Join(sys), func(p *process.Proc) {
			actors.Link(p, a)
			process.Select(p)
		})
		q := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			self.Receive()
			self.Exit(errPlanted)
		})
		do.Send(sys, a, func(_ *puppet, c *actor.Context) { actor.Link(c, actors.Ref(c, q.Process)) })
		do.Send(sys, a, func(_ *puppet, c *actor.Context) { q.Send(actors.Env(c), 1) })
		r.Quiet()
		if _, over := p.Result(); !over || a.Status() != actor.StatusEnded {
			r.Errorf("ended: %v, %v", over, a.Status())
		}
	})
}
