//go:build gallop_explore

package explore_test

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// dormitory is a toy of the suspend/wake protocol. A worker without work announces itself in the
// idle word, looks again, and parks. A thread that adds work takes a sleeper out of the word and
// owes it one token.
type dormitory struct {
	work    seam.Int32
	idle    seam.Uint32 // a bit for each announced sleeper
	closing seam.Bool
	parkers []seam.Parker
	mutant  string
	ran     int
}

func newDormitory(workers int, mutant string) *dormitory {
	d := &dormitory{mutant: mutant}
	for range workers {
		d.parkers = append(d.parkers, seam.NewParker())
	}
	return d
}

func (d *dormitory) submit() {
	if d.mutant == "look first" {
		asleep := d.idle.Load() != 0
		d.work.Add(1)
		if asleep {
			d.wake()
		}
		return
	}
	d.work.Add(1)
	d.wake()
}

// wake takes one sleeper out of the word and grants it a token.
func (d *dormitory) wake() bool {
	for {
		word := d.idle.Load()
		if word == 0 {
			return false
		}
		id := 0
		for word>>id&1 == 0 {
			id++
		}
		if d.take(word, id) {
			d.parkers[id].Unpark()
			return true
		}
	}
}

// take removes a sleeper's bit, and reports whether it did. Then the caller owes the token.
func (d *dormitory) take(word uint32, id int) bool {
	if d.mutant == "torn take" {
		d.idle.Store(word &^ (1 << id))
		return true
	}
	return d.idle.CompareAndSwap(word, word&^(1<<id))
}

func (d *dormitory) worker(id int) {
	for {
		switch {
		case d.claim():
			d.ran++
		case d.closing.Load():
			return
		default:
			d.suspend(id)
		}
	}
}

func (d *dormitory) claim() bool {
	n := d.work.Load()
	return n > 0 && d.work.CompareAndSwap(n, n-1)
}

func (d *dormitory) suspend(id int) {
	d.idle.Or(1 << id)
	if d.mutant != "no recheck" && (d.work.Load() > 0 || d.closing.Load()) && d.withdraw(id) {
		return
	}
	d.parkers[id].Park()
}

// withdraw takes the announcement back. It returns false if a waker has already removed the bit:
// then a token is coming.
func (d *dormitory) withdraw(id int) bool {
	if d.mutant == "stale token" {
		d.idle.And(^uint32(1 << id))
		return true
	}
	return d.idle.And(^uint32(1<<id))>>id&1 != 0
}

func (d *dormitory) close() {
	d.closing.Store(true)
	for d.wake() {
	}
}

// sleeping has two workers, and a thread that submits three jobs and then closes the dormitory.
func sleeping(mutant string) func(*explore.Program) {
	return func(p *explore.Program) {
		d := newDormitory(2, mutant)
		for id := range d.parkers {
			p.Go(func() { d.worker(id) })
		}
		p.Go(func() {
			for range 3 {
				d.submit()
			}
			p.Await(func() bool { return d.ran == 3 })
			d.close()
		})
		p.After(func() error {
			if d.ran != 3 || d.idle.Load() != 0 {
				return fmt.Errorf("ran %d, idle %b", d.ran, d.idle.Load())
			}
			return nil
		})
	}
}

func TestSuspend(t *testing.T) { explore.Portfolio(t, sleeping("")) }

func TestSuspendMutants(t *testing.T) {
	for _, mutant := range []string{"no recheck", "look first", "stale token", "torn take"} {
		t.Run(mutant, func(t *testing.T) { explore.Refute(t, sleeping(mutant)) })
	}
}

// TestSecondToken: seam's parker panics at a second token, and the explorer reports
// the panic.
func TestSecondToken(t *testing.T) {
	f := explore.Refute(t, func(p *explore.Program) {
		parker := seam.NewParker()
		p.Go(parker.Park)
		p.Go(parker.Unpark)
		p.Go(parker.Unpark)
	})
	const want = "panicked: gallop: invariant: second wake token for one sleeper"
	if f.Err.Error()[len("thread x "):] != want {
		t.Error(f)
	}
}
