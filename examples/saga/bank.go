package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// bank is accounts and transfers, all supervised.
type bank struct {
	sys      *actor.System
	disk     *disk
	faults   float64
	style    string
	root     supervise.Supervisor
	accounts []actor.Ref[account] // good for ever: a restart does not change them
}

// plenty allows very many crashes without a back-off. A real bank would use a lower limit.
var plenty = supervise.Intensity{Restarts: math.MaxInt32, Within: time.Second}

// tree declares the bank. Transfers come after the accounts that they need.
func (b *bank) tree(n int) supervise.Spec {
	var all []supervise.Child
	for i := range n {
		all = append(all, supervise.Worker[account]{
			Name: fmt.Sprint("account", i), Type: accountType,
			Init: func(a *account) { a.bank = b }, Backoff: supervise.NoBackoff,
		})
	}
	sagas := supervise.Child(supervise.Worker[saga]{Type: sagaType, Restart: supervise.Transient,
		Backoff: supervise.NoBackoff})
	if b.style == inProcesses {
		sagas = template()
	}
	return supervise.Spec{Name: "bank", Strategy: supervise.RestForOne, Children: []supervise.Child{
		supervise.Spec{Name: "accounts", Intensity: plenty, Children: all},
		supervise.Spec{Name: "transfers", Strategy: supervise.SimpleOneForOne, Intensity: plenty,
			Template: sagas},
	}}
}

func newBank(n, money int, faults float64, style string) *bank {
	b := &bank{
		sys:    actor.Start(actor.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))),
		disk:   &disk{done: map[step]error{}, outcomes: map[int]outcome{}},
		faults: faults,
		style:  style,
	}
	for range n {
		b.disk.balances = append(b.disk.balances, money)
	}
	b.root = supervise.Start(b.sys, b.tree(n))
	return b
}

// maybeCrash injects crashes. chance is below 1.
func (b *bank) maybeCrash(chance float64, where string) {
	if chance < b.faults {
		panic("crash " + where)
	}
}

// open finds the accounts, when the tree is up.
func (b *bank) open(ctx context.Context) error {
	if err := b.sys.Wait(ctx); err != nil {
		return err
	}
	for i := range b.disk.balances {
		r, err := supervise.Find[account](ctx, b.root, "accounts", fmt.Sprint("account", i))
		if err != nil {
			return err
		}
		b.accounts = append(b.accounts, r)
	}
	return nil
}

// transfers makes n transfers, in a pattern, and waits until all are over.
func (b *bank) transfers(ctx context.Context, n int) (done, refused int, err error) {
	if err := b.more(ctx, 0, n); err != nil {
		return 0, 0, err
	}
	b.disk.mu.Lock()
	defer b.disk.mu.Unlock()
	for _, o := range b.disk.outcomes {
		if o {
			done++
		} else {
			refused++
		}
	}
	return done, refused, nil
}

// more makes n transfers, with numbers from first on, and waits until all are over.
func (b *bank) more(ctx context.Context, first, n int) error {
	if len(b.accounts) == 0 {
		if err := b.open(ctx); err != nil {
			return err
		}
	}
	sagas, err := supervise.FindSupervisor(ctx, b.root, "transfers")
	if err != nil {
		return err
	}
	for id := first; id < first+n; id++ {
		from := 1 + id%(len(b.accounts)-1)
		to, amount := (from+id/3)%len(b.accounts), 1+id%7
		if to == from {
			to = closed
		}
		if _, err := supervise.StartChild.Ask(ctx, sagas.Ref, b.transfer(id, from, to, amount)); err != nil {
			return err
		}
	}
	return b.sys.Wait(ctx)
}

// transfer declares one transfer, in the style of the bank.
func (b *bank) transfer(id, from, to, amount int) supervise.Child {
	name := fmt.Sprint("transfer", id)
	if b.style == inProcesses {
		return supervise.FromTemplate(name,
			actors.Child(name, 0, b.straight(id, from, to, amount)).Init)
	}
	return supervise.FromTemplate(name, func(s *saga) {
		*s = saga{bank: b, id: id, from: from, to: to, amount: amount}
	})
}
