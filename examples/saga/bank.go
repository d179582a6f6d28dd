package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// bank is accounts and transfers, all supervised.
type bank struct {
	sys      *actor.System
	disk     *disk
	faults   float64
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
	return supervise.Spec{Name: "bank", Strategy: supervise.RestForOne, Children: []supervise.Child{
		supervise.Spec{Name: "accounts", Intensity: plenty, Children: all},
		supervise.Spec{Name: "transfers", Strategy: supervise.SimpleOneForOne, Intensity: plenty,
			Template: supervise.Worker[saga]{Type: sagaType, Restart: supervise.Transient,
				Backoff: supervise.NoBackoff}},
	}}
}

func newBank(n, money int, faults float64) *bank {
	b := &bank{
		sys:    actor.Start(actor.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))),
		disk:   &disk{done: map[step]error{}, outcomes: map[int]outcome{}},
		faults: faults,
	}
	for range n {
		b.disk.balances = append(b.disk.balances, money)
	}
	b.root = supervise.Start(b.sys, b.tree(n))
	return b
}

// maybeCrash injects crashes.
func (b *bank) maybeCrash(c *actor.Context, where string) {
	if c.Rand().Float64() < b.faults {
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
	if err := b.open(ctx); err != nil {
		return 0, 0, err
	}
	sagas, err := supervise.FindSupervisor(ctx, b.root, "transfers")
	if err != nil {
		return 0, 0, err
	}
	for id := range n {
		from := 1 + id%(len(b.accounts)-1)
		to, amount := (from+id/3)%len(b.accounts), 1+id%7
		if to == from {
			to = closed
		}
		init := func(s *saga) { *s = saga{bank: b, id: id, from: from, to: to, amount: amount} }
		if _, err := supervise.StartChild(ctx, sagas,
			supervise.FromTemplate(fmt.Sprint("transfer", id), init)); err != nil {
			return 0, 0, err
		}
	}
	err = b.sys.Wait(ctx)
	b.disk.mu.Lock()
	defer b.disk.mu.Unlock()
	for _, o := range b.disk.outcomes {
		if o {
			done++
		} else {
			refused++
		}
	}
	return done, refused, err
}
