package bad

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"cases/step"

	"github.com/gallop-go/gallop/process"
)

var spun atomic.Int64

func init() {
	processes("empty", func(*process.Proc) {
		for {
			spun.Add(1) // want `GV8: a loop without a way out, in which the process does no operation: it keeps its worker, and cannot be cancelled, so that Stop waits for ever. Call Proc.Gas`
		}
	})
	processes("polls", func(*process.Proc) {
		for {
			runtime.Gosched() // want `a loop without a way out, in which the process does no operation`
		}
	})
	processes("helper", func(*process.Proc) {
		for {
			spin() // want `a loop without a way out, in which the process does no operation`
		}
	})
	processes("after its work", func(p *process.Proc) {
		p.Yield()
		for n := 0; ; n++ { // want `a loop without a way out, in which the process does no operation`
			_ = fmt.Sprint(n)
		}
	})
	processes("in a function", forEver)
}

func spin() { spun.Add(1) }

func forEver(p *process.Proc) {
	p.Yield()
	for n := int64(0); ; n++ { // want `a loop without a way out, in which the process does no operation`
		spun.Store(n)
	}
}

// processes runs a process that is killed once it runs.
func processes(name string, f func(p *process.Proc)) {
	step.Case("gv8/process: "+name, step.NeverQuiet, func() {
		step.Watch()
		s, started := process.Start(process.Config{}), make(chan struct{})
		r := process.Go(s, func(p *process.Proc) {
			close(started)
			f(p)
		})
		<-started
		r.Kill(s)
		s.Stop()
	})
}
