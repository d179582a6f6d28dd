package main

import (
	"context"
	"os/exec"
	"sync"
	"time"
)

// launching is held while a process starts, and while signals get Go's own handling back. When a signal to the whole group
// had both happen at once, Go 1.26 crashed ("fatal: morestack on gsignal"), also in a program that does nothing else. That
// was measured, not explained: 11 times of 4,000, and with this lock never.
var launching sync.Mutex

// launch starts a process, as its Start does.
func launch(p *exec.Cmd) error {
	launching.Lock()
	defer launching.Unlock()
	return p.Start()
}

// again is how long after the first signal a second one kills. Who ends a process may tell it twice in one breath: timeout(1)
// tells the process, and then its group.
const again = 100 * time.Millisecond

// secondKills has Go's own handling of signals back soon after the first one has ended the context: a second one kills.
func secondKills(ctx context.Context, stop func()) {
	context.AfterFunc(ctx, func() {
		time.AfterFunc(again, func() {
			launching.Lock()
			defer launching.Unlock()
			stop()
		})
	})
}
