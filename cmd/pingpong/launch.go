package main

import (
	"context"
	"os/exec"
	"sync"
	"time"
)

// launching is held while a process starts, and while Go's own handling of signals is restored.
// When both happened at once, upon a signal to the whole group, Go 1.26 crashed ("fatal: morestack
// on gsignal"), also in a program that does nothing else. That was measured, not explained: 11
// times of 4,000, and with this lock never.
var launching sync.Mutex

// launch starts a process, as its Start does.
func launch(p *exec.Cmd) error {
	launching.Lock()
	defer launching.Unlock()
	return p.Start()
}

// again is how long after the first signal a second one kills. A service manager may send a process
// two signals at once: timeout(1) signals the process, and then its group.
const again = 100 * time.Millisecond

// secondKills restores Go's own handling of signals soon after the first one has ended the context,
// so that a second one kills.
func secondKills(ctx context.Context, stop func()) {
	context.AfterFunc(ctx, func() {
		time.AfterFunc(again, func() {
			launching.Lock()
			defer launching.Unlock()
			stop()
		})
	})
}
