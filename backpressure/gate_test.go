package backpressure

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// sender may be muted.
type sender struct {
	name      string
	blockedOn BlockedOn
	waiters   int // how many of its entries are in wait lists
	parked    bool
}

// list reads a wait list that was opened.
func list(w *Waiter[*sender]) (who []*sender) {
	for w != nil {
		who = append(who, w.Who)
		w = w.Next()
	}
	return who
}

// TestWaitListModel: a sender that meets a shut gate is in that one wait list, in the order of
// entry, until the gate opens. No sender is parked that is blocked on nothing. The caller that
// unblocks the last blocked-on count of a parked sender, and no other, gets the sender.
func TestWaitListModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 3
		var mark Marks[*sender]
		gates, waitLists, shut := make([]Gate[*sender], n), make([][]*sender, n), make([]bool, n)
		senders := make([]*sender, 4)
		for i := range senders {
			senders[i] = &sender{name: fmt.Sprint(i)}
		}
		gate := func(t *rapid.T) int { return rapid.IntRange(0, n-1).Draw(t, "gate") }
		running := func(t *rapid.T) *sender {
			s := rapid.SampledFrom(senders).Draw(t, "sender")
			if s.parked {
				t.Skip("parked")
			}
			return s
		}
		t.Repeat(map[string]func(*rapid.T){
			"shut": func(t *rapid.T) {
				g := gate(t)
				gates[g].Shut(&mark) // shutting a shut one does nothing
				shut[g] = true
			},
			"meet": func(t *rapid.T) {
				g, s := gate(t), running(t)
				s.blockedOn.Block()
				entered := gates[g].Enter(&Waiter[*sender]{Who: s})
				if entered != shut[g] {
					t.Fatalf("entered: %v, shut: %v", entered, shut[g])
				}
				if !entered {
					if s.blockedOn.Unblock() {
						t.Fatal("resumed a sender that runs")
					}
					return
				}
				s.waiters++
				waitLists[g] = append(waitLists[g], s)
			},
			"park": func(t *rapid.T) {
				s := running(t)
				if s.parked = s.blockedOn.Park(); s.parked != (s.waiters > 0) {
					t.Fatalf("parked: %v, in %d wait lists", s.parked, s.waiters)
				}
			},
			"open": func(t *rapid.T) {
				g := gate(t)
				got := list(gates[g].Open(&mark))
				if !slices.Equal(got, waitLists[g]) {
					t.Fatalf("the wait list of gate %d: %v, want %v", g, got, waitLists[g])
				}
				for _, s := range got {
					s.waiters--
					if s.blockedOn.Unblock() != (s.parked && s.waiters == 0) {
						t.Fatalf("resumed or not: %+v", s)
					}
					s.parked = s.parked && s.waiters > 0
				}
				shut[g], waitLists[g] = false, nil
			},
			"": func(t *rapid.T) {
				for g := range gates {
					if gates[g].IsOpen() == shut[g] {
						t.Fatalf("gate %d is open: %v", g, !shut[g])
					}
				}
				for _, s := range senders {
					if s.blockedOn.Count() != s.waiters || s.blockedOn.Parked() != s.parked {
						t.Fatalf("%+v is blocked on %d, parked %v", s, s.blockedOn.Count(), s.blockedOn.Parked())
					}
				}
			},
		})
	})
}

// TestBlockedOn_UnblockNothing: unblocking a sender that is not blocked is a mistake of the
// caller's, parked or not.
func TestBlockedOn_UnblockNothing(t *testing.T) {
	defer func() {
		if v := recover(); v != "gallop: backpressure: a blocked-on count unblocked that nobody is "+
			"blocked on" {
			t.Errorf("recovered %v", v)
		}
	}()
	var d BlockedOn
	d.Block()
	d.Unblock()
	d.Unblock()
}

// TestBlockedOn_FromManyGates: a parked sender is resumed by the last of many.
func TestBlockedOn_FromManyGates(t *testing.T) {
	var d BlockedOn
	const n = 1000
	for range n {
		d.Block()
	}
	if !d.Park() || !d.Parked() || d.Count() != n {
		t.Fatalf("is blocked on %d, parked %v", d.Count(), d.Parked())
	}
	for i := range n {
		if d.Unblock() != (i == n-1) {
			t.Fatalf("forgiving blocked-on count %d of %d", i+1, n)
		}
	}
	if d.Park() || d.Parked() || d.Count() != 0 {
		t.Error("a blocked-on count is left")
	}
}

// TestWaitListStress: senders meet two gates that open and shut, and park; every
// parking is ended by exactly one opening.
func TestWaitListStress(t *testing.T) {
	const senders, rounds = 3, 5000
	var (
		mark   Marks[*walker]
		gates  [2]Gate[*walker]
		closed atomic.Int32 // senders that are done
		wg     sync.WaitGroup
	)
	for range senders {
		w := &walker{resumed: make(chan struct{}, 1)}
		wg.Go(func() {
			defer closed.Add(1)
			for range rounds {
				w.walk(gates[:])
			}
		})
	}
	for i := range gates {
		wg.Go(func() {
			for closed.Load() < senders {
				gates[i].Shut(&mark)
				runtime.Gosched()
				free(&gates[i], &mark)
			}
			free(&gates[i], &mark)
		})
	}
	wg.Wait()
}

// walker is a sender with a goroutine of its own.
type walker struct {
	blockedOn BlockedOn
	resumed   chan struct{}
}

// walk meets every gate once and parks if it must.
func (w *walker) walk(gates []Gate[*walker]) {
	for i := range gates {
		w.blockedOn.Block()
		if !gates[i].Enter(&Waiter[*walker]{Who: w}) {
			w.blockedOn.Unblock()
		}
	}
	if w.blockedOn.Park() {
		<-w.resumed
	}
}

// free opens a gate and resumes the senders that owe nothing any more. A full channel would mean
// that a sender was resumed twice.
func free(g *Gate[*walker], mark *Marks[*walker]) {
	for w := g.Open(mark); w != nil; w = w.Next() {
		if w.Who.blockedOn.Unblock() {
			select {
			case w.Who.resumed <- struct{}{}:
			default:
				panic("resumed twice")
			}
		}
	}
}
