package inspect

import (
	"sync"
	"time"
	"weak"

	"github.com/gallop-go/gallop/actor"
)

const (
	probeGap   = time.Second // between two probes of an actor
	mostProbes = 100         // of a system, in that time
)

// probes limits the calls of Delay, of all systems.
var probes probeLimit

// probeLimit knows the probes of the last second. They are few, so that none is kept for longer
// than the next second with a probe.
type probeLimit struct {
	mu   sync.Mutex
	sent map[probed]time.Time // guarded by mu
}

// probed is an actor, which is not kept alive by it.
type probed struct {
	sys weak.Pointer[actor.System]
	id  uint64
}

// mayProbe reports whether an actor may be sent a probe now, and notes that it is.
func (l *probeLimit) mayProbe(ref actor.AnyRef, now time.Time) bool {
	k := probed{weak.Make(actor.SystemOf(ref)), ref.ID()}
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for o, at := range l.sent {
		switch {
		case now.Sub(at) >= probeGap:
			delete(l.sent, o)
		case o == k:
			return false
		case o.sys == k.sys:
			n++
		}
	}
	if n >= mostProbes {
		return false
	}
	if l.sent == nil {
		l.sent = map[probed]time.Time{}
	}
	l.sent[k] = now
	return true
}
