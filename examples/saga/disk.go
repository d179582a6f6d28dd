package main

import (
	"errors"
	"sync"
)

// disk is the state that survives a crash: balances, and the steps that were done. Each step is
// written atomically, as in any database.
type disk struct {
	mu       sync.Mutex
	balances []int           // guarded by mu
	done     map[step]error  // guarded by mu
	outcomes map[int]outcome // guarded by mu; of transfers that are over
}

// step is one change of one account for one transfer. Steps are idempotent.
type step struct {
	transfer int
	what     string
	account  int
	amount   int // the amount added; negative: taken
}

type outcome bool

var (
	errFunds  = errors.New("not enough money")
	errClosed = errors.New("account closed")
)

// closed is an account that takes no money, so that transfers to it must be undone.
const closed = 0

// do does a step, or returns the result again if it was done before.
func (d *disk) do(s step) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err, ok := d.done[s]; ok {
		return err
	}
	d.done[s] = d.try(s)
	return d.done[s]
}

// try does a step. Caller holds mu.
func (d *disk) try(s step) error {
	switch {
	case s.what == "deposit" && s.account == closed:
		return errClosed
	case d.balances[s.account]+s.amount < 0:
		return errFunds
	}
	d.balances[s.account] += s.amount
	return nil
}

// end records that a transfer is over.
func (d *disk) end(transfer int, o outcome) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.outcomes[transfer] = o
}

func (d *disk) total() (sum int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range d.balances {
		sum += b
	}
	return sum
}
