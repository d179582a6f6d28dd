// Package durabletest makes stores of package durable fail, for tests.
//
// Wrap a store by [Faulty], and run the actors in a deterministic system (package actortest): the
// delays of a slow store then take virtual time.
//
// This package has no compatibility promise: each version may change it.
package durabletest

import (
	"context"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/cluster/durable"
)

// Op is a method of a store.
type Op string

// The methods.
const (
	Load     Op = "load"
	Append   Op = "append"
	Snapshot Op = "snapshot"
)

// Call is a call that is about to be made.
type Call struct {
	Op  Op
	Key string
	// N is the number of the call among those of that method, for all keys, from 1 on.
	N int
}

// Fault is a fault of one call. With the zero Fault, the call does not fail.
type Fault struct {
	// Delay is how long the call takes.
	Delay time.Duration
	// Err is the error that the call returns: durable.ErrRefused or durable.ErrFenced with the zero
	// Outcome, and any other error as one whose outcome is unknown.
	Err error
	// Outcome decides whether the store does the call although it returns Err.
	Outcome Outcome
}

// Outcome is the effect on the store of a call that returns an error.
type Outcome int

// The outcomes.
const (
	// Lost calls do nothing.
	Lost Outcome = iota
	// Done calls are done before the error is returned.
	Done
	// Late calls are done when the same key is appended to for the next time, just before that:
	// after a reader has not found them.
	Late
)

// Store is a durable.Store that fails as it is told. Use [Faulty].
type Store struct {
	durable.Store
	plan func(Call) Fault

	mu   sync.Mutex
	n    map[Op]int
	late map[string][]func()
}

// Faulty returns a store that asks plan before each call of inner. plan is called by one goroutine at
// a time. If it is nil, nothing fails.
func Faulty(inner durable.Store, plan func(Call) Fault) *Store {
	return &Store{Store: inner, plan: plan, n: map[Op]int{}, late: map[string][]func(){}}
}

// Load implements durable.Store.
func (s *Store) Load(ctx context.Context, key string) (l durable.Log, err error) {
	err = s.call(ctx, Load, key, func() error {
		l, err = s.Store.Load(ctx, key)
		return err
	})
	return l, err
}

// Append implements durable.Store.
func (s *Store) Append(ctx context.Context, key string, after uint64, record []byte) error {
	record = append([]byte(nil), record...)
	return s.call(ctx, Append, key, func() error { return s.Store.Append(context.WithoutCancel(ctx), key, after, record) })
}

// Snapshot implements durable.Store.
func (s *Store) Snapshot(ctx context.Context, key string, snap durable.Snapshot) error {
	snap.Data = append([]byte(nil), snap.Data...)
	return s.call(ctx, Snapshot, key, func() error { return s.Store.Snapshot(context.WithoutCancel(ctx), key, snap) })
}

func (s *Store) call(ctx context.Context, op Op, key string, do func() error) error {
	s.mu.Lock()
	s.n[op]++
	var f Fault
	if s.plan != nil {
		f = s.plan(Call{op, key, s.n[op]})
	}
	s.mu.Unlock()
	if err := actor.Sleep(ctx, f.Delay); err != nil {
		return err
	}
	if op == Append {
		s.mu.Lock()
		late := s.late[key]
		delete(s.late, key)
		s.mu.Unlock()
		for _, do := range late {
			do()
		}
	}
	switch {
	case f.Err == nil:
		return do()
	case f.Outcome == Done:
		_ = do()
	case f.Outcome == Late:
		s.mu.Lock()
		s.late[key] = append(s.late[key], func() { _ = do() })
		s.mu.Unlock()
	}
	return f.Err
}
