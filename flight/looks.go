package flight

import (
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/flightlog"
)

// looks has the contents of the rings as they were at the first signs of stalls. A turn is reported as
// long after a tenth of a second, as a rule. By then a worker that goes on has overwritten the events of
// the time before.
type looks struct {
	mu   sync.Mutex
	last []look        // guarded by mu: the oldest first
	next time.Duration // guarded by mu: the earliest time of the next look
}

// look is the contents of the rings at one moment, in time since the recorder's start.
type look struct {
	at    time.Duration
	tails []flightlog.Tail
}

const (
	mostLooks = 4
	// A look may take one part in lookShare of the time. A program that blocks often, and gives signs of
	// stalls all the time, pays no more.
	lookShare = 100
	// lookAge is how long before its report a stall may have given its first sign, besides the time that
	// it has lasted.
	lookAge = time.Second
)

// look reads the rings, unless the last look was too short a time ago for its cost.
func (l *looks) look(log *flightlog.Log, now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now < l.next {
		return
	}
	began := time.Now()
	tails, _ := log.Tails()
	if len(l.last) == mostLooks {
		copy(l.last, l.last[1:])
		l.last = l.last[:mostLooks-1]
	}
	l.last = append(l.last, look{now, tails})
	l.next = now + lookShare*time.Since(began)
}

// with adds the events of the looks to the contents of the rings: for a recording because of an event
// that began at a time.
func (l *looks) with(now []flightlog.Tail, began time.Duration) []flightlog.Tail {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.last) - 1; i >= 0; i-- {
		if l.last[i].at < began-lookAge {
			break
		}
		now = after(now, l.last[i].tails)
	}
	return now
}

// after puts the events of an earlier look before those of a later one, for each worker.
func after(now, earlier []flightlog.Tail) []flightlog.Tail {
	for _, e := range earlier {
		for i := range now {
			now[i] = now[i].After(e)
		}
	}
	return now
}
