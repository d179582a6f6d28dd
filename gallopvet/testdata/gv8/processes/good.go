// Package processes has processes that GV8 must not report.
package processes

import (
	"runtime"
	"sync/atomic"

	"github.com/gallop-go/gallop/process"
)

// Processes loop for ever, as long as they wait, or do other operations.
func processes(s *process.System, c *process.Chan[int], stop *atomic.Bool, step func()) {
	process.Spawn(s, func(self *process.Self[int]) {
		for {
			self.Receive()
		}
	})
	process.Go(s, func(p *process.Proc) {
		for {
			p.Gas(1)
		}
	})
	process.Go(s, func(p *process.Proc) {
		for n := 0; ; n++ {
			c.Send(p, n)
		}
	})
	process.Go(s, func(p *process.Proc) {
		for !stop.Load() {
			runtime.Gosched()
		}
	})
	process.Go(s, func(p *process.Proc) {
		for {
			step()
		}
	})
	process.Go(s, func(p *process.Proc) {
		for {
			helps(p)
		}
	})
	process.Go(s, func(p *process.Proc) {
		p.Blocking(func() {
			for {
				stop.Store(true)
			}
		})
	})
	process.Go(s, func(p *process.Proc) {
		v := &worker{p}
		for {
			v.turn()
		}
	})
	go func() {
		for {
			runtime.Gosched()
		}
	}()
}

func helps(p *process.Proc) { p.Yield() }

type worker struct{ p *process.Proc }

func (w *worker) turn() { w.p.Gas(10) }
