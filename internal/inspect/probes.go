package inspect

import (
	"sync"
	"time"
	"weak"

	"github.com/gallop-go/gallop/internal/kernel"
)

const (
	probeGap   = time.Second // between two probes of an actor
	mostProbes = 100         // of a system, within probeGap
)

// probes limits the calls of Delay in all systems.
var probes probeLimit

// probeLimit has the probes of the last second. Older ones are removed at the next probe.
type probeLimit struct {
	mu   sync.Mutex
	sent map[probed]time.Time // guarded by mu
}

// probed identifies an actor without keeping it alive.
type probed struct {
	sys weak.Pointer[kernel.System]
	id  uint64
}

// mayProbe reports whether an actor may be sent a probe now, and notes the probe.
func (l *probeLimit) mayProbe(ref kernel.AnyRef, now time.Time) bool {
	k := probed{weak.Make(ref.Cell().Sys()), ref.ID()}
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
