package inspect

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Held is a [actor.System.Hold] that has not been released.
type Held struct {
	// At is the place of the call: a function, a space, and file and line.
	At  string
	For time.Duration
}

// Holds returns the unreleased holds that were taken since [Begin], the oldest first. It calls
// Begin. [actor.System.Why] counts earlier holds too.
func Holds(sys *actor.System) []Held {
	s := of(sys)
	begin(s)
	l := &on(s).holds
	l.mu.Lock()
	list := slices.Clone(l.all)
	l.mu.Unlock()
	var all []Held
	for _, h := range list {
		all = append(all, Held{h.place(), time.Since(h.at)})
	}
	return all
}

// heldList is the list of the holds of a system that are not released.
type heldList struct {
	mu  sync.Mutex
	all []*heldAt // guarded by mu, the oldest first
}

// heldAt records the place and the time of a call of Hold.
type heldAt struct {
	pcs [8]uintptr
	n   int
	at  time.Time
}

// held adds a hold to the list. It is called for each Hold, by Held.
func (l *heldList) held() (released func()) {
	h := &heldAt{at: time.Now()}
	h.n = runtime.Callers(3, h.pcs[:])
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, h)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if i := slices.Index(l.all, h); i >= 0 {
			l.all = slices.Delete(l.all, i, i+1)
		}
	}
}

// place returns the function, file and line that called Hold.
func (h *heldAt) place() string {
	frames := runtime.CallersFrames(h.pcs[:h.n])
	at, more := frames.Next()
	for more && ofSystem(at.Function) {
		at, more = frames.Next()
	}
	return fmt.Sprintf("%s %s:%d", at.Function, at.File, at.Line)
}

// ofSystem reports whether a function is a method of the System: of its face, or of its kernel.
func ofSystem(function string) bool {
	return strings.HasPrefix(function, "github.com/gallop-go/gallop/actor.(*System).") ||
		strings.HasPrefix(function, "github.com/gallop-go/gallop/internal/kernel.(*System).")
}
