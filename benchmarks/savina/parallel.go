package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

func processors() int { return runtime.GOMAXPROCS(0) }

// inParallel calls f for 0 to n − 1 on all processors, 64 numbers at a time.
func inParallel(n int, f func(i int)) {
	const at = 64
	var next atomic.Int64
	var wg sync.WaitGroup
	for range processors() {
		wg.Go(func() {
			for {
				begin := int(next.Add(at)) - at
				for i := begin; i < min(begin+at, n); i++ {
					f(i)
				}
				if begin >= n {
					return
				}
			}
		})
	}
	wg.Wait()
}

// onAll calls f once on each processor.
func onAll(f func()) {
	var wg sync.WaitGroup
	for range processors() {
		wg.Go(f)
	}
	wg.Wait()
}
