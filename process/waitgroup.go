package process

import (
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// WaitGroup waits for several processes, as sync.WaitGroup does for goroutines. The zero value is
// ready. A WaitGroup must not be copied after first use.
type WaitGroup struct {
	_     nocmp.Field
	mu    seam.QuickMutex
	n     int                 // guarded by mu
	queue waitQueue[struct{}] // guarded by mu
}

// Add adds n, which may be negative. It panics if the sum is negative.
func (g *WaitGroup) Add(from Env, n int) {
	must(g != nil, "Add to a nil WaitGroup")
	sys, w := act(from)
	g.mu.Lock()
	if g.n += n; g.n < 0 {
		g.mu.Unlock()
		misuse("WaitGroup.Add: negative counter")
	}
	var wake []*party
	for g.n == 0 {
		pt := g.queue.claimReceiver(struct{}{}, true)
		if pt == nil {
			break
		}
		wake = append(wake, pt)
	}
	g.mu.Unlock()
	for _, pt := range wake {
		pt.wake(w, sys)
	}
}

// Done is Add(-1).
func (g *WaitGroup) Done(from Env) { g.Add(from, -1) }

// Wait waits until the counter is 0.
func (g *WaitGroup) Wait(by Party) {
	must(g != nil, "Wait of a nil WaitGroup")
	pt := enter(by, "WaitGroup.Wait")
	g.mu.Lock()
	if g.n == 0 {
		g.mu.Unlock()
		return
	}
	g.queue.wait(pt, &g.mu, opWaitGroup)
}

// Go starts a process that is counted until it ends, however it ends.
func (g *WaitGroup) Go(from Env, f func(p *Proc)) Process {
	must(f != nil, "WaitGroup.Go: f is nil")
	g.Add(from, 1)
	return Go(from, func(p *Proc) {
		defer func() { g.Done(p) }()
		f(p)
	})
}

// Once runs a function once, as sync.Once does. The zero value is ready. A Once must not be copied
// after first use.
type Once struct {
	_    nocmp.Field
	over seam.Bool
	mu   Mutex
}

// Do calls f if Do was not called before, and returns when the first call has returned, also if
// that panicked. f must not call Do of the same Once.
func (o *Once) Do(by Party, f func()) {
	must(o != nil && f != nil, "Do: a nil Once or f")
	choiceHere("Once.Do")
	if o.over.Load() {
		return
	}
	o.mu.Lock(by)
	defer o.mu.Unlock(by)
	if !o.over.Load() {
		defer o.over.Store(true)
		f()
	}
}
