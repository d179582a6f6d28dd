package bad

import (
	"context"
	"net"
	"net/http"
	"os/exec"
	"sync"
	"time"

	"cases/gv6/lib"
	"cases/step"

	"github.com/gallop-go/gallop/process"
)

func init() {
	inProcess("sleep", func(p *process.Proc) {
		time.Sleep(time.Minute) // want `GV6: time.Sleep waits in a process, and keeps its worker: use Proc.Sleep, or wrap it in Proc.Blocking`
	})
	inProcess("group", func(p *process.Proc) {
		var wg sync.WaitGroup
		wg.Add(1)
		wg.Wait() // want `sync.WaitGroup.Wait waits in a process, and keeps its worker: use process.WaitGroup, or wrap it in Proc.Blocking`
	})
	inProcess("cond", func(p *process.Proc) {
		cond := sync.NewCond(&sync.Mutex{})
		cond.L.Lock()
		cond.Wait() // want `sync.Cond.Wait waits in a process, and keeps its worker: use process.Event`
	})
	inProcess("command", func(p *process.Proc) {
		_ = exec.Command("sleep", "60").Run() // want `os/exec.Cmd.Run waits in a process, and keeps its worker: wrap it in Proc.Blocking`
	})
	inProcess("get", func(p *process.Proc) {
		silent, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		_, _ = http.Get("http://" + silent.Addr().String()) // want `net/http.Get waits in a process`
	})
	inProcess("helper", func(p *process.Proc) { nap() })
	inProcess("helper with the process", func(p *process.Proc) { napIn(p) })
	inProcess("other package", func(p *process.Proc) {
		lib.Nap() // want `Nap waits, in time.Sleep, in a process`
	})
	inProcess("receive", func(p *process.Proc) {
		<-make(chan int) // want `a receive from one of Go's channels waits in a process, and keeps its worker: use process.Chan, process.Done for a context, or wrap it in Proc.Blocking`
	})
	inProcess("range", func(p *process.Proc) {
		for range make(chan int) { // want `a receive from one of Go's channels waits in a process`
			p.Yield()
		}
	})
	inProcess("send", func(p *process.Proc) {
		c := make(chan int)
		c <- 1 // want `a send to one of Go's channels, without a buffer, waits in a process`
	})
	inProcess("select", func(p *process.Proc) {
		select { // want `a select of Go's channels waits in a process`
		case <-make(chan int):
		case <-time.After(time.Minute):
		}
	})
	inProcess("ever", func(p *process.Proc) {
		select {} // want `select without cases waits for ever in a process`
	})
	inProcess("match", func(p *process.Proc) {
		process.Spawn(p, func(self *process.Self[int]) {
			self.Ref().Send(self, 1)
			self.ReceiveMatch(func(int) bool {
				time.Sleep(time.Minute) // want `time.Sleep waits in a process`
				return true
			})
		})
	})
	inProcess("waits for actors", func(p *process.Proc) {
		sys := step.Start()
		release, _ := sys.Hold()
		defer release()
		_ = sys.Wait(context.Background()) // want `Wait waits for actors in a process`
	})
	step.Case("gv6/process: lock", step.NeverQuiet, func() {
		step.Processes(func(s *process.System) {
			var mu sync.Mutex
			c := process.NewChan[int](0)
			for range 2 {
				process.Go(s, func(p *process.Proc) {
					mu.Lock() // want `the lock is held while the process waits \(Recv, line \d+\): others that lock it keep their workers. Use process.Mutex`
					c.Recv(p)
					mu.Unlock()
				})
			}
			process.Go(s, func(p *process.Proc) {
				p.Sleep(time.Second)
				c.Close(p)
			})
			s.Run()
		})
	})
	step.Case("gv6/process: deferred unlock", step.NeverQuiet, func() {
		step.Processes(func(s *process.System) {
			var mu sync.RWMutex
			for range 2 {
				process.Go(s, func(p *process.Proc) {
					mu.Lock() // want `the lock is held while the process waits \(Sleep`
					defer mu.Unlock()
					p.Sleep(time.Second)
				})
			}
			s.Run()
		})
	})
}

func nap() {
	time.Sleep(time.Minute) // want `time.Sleep waits in a process \(the process → nap\)`
}

func napIn(p *process.Proc) {
	time.Sleep(time.Minute) // want `time.Sleep waits in a process \(the process → napIn\)`
}

// inProcess runs a case beside a process that only wants to run.
func inProcess(name string, f func(p *process.Proc)) {
	step.Case("gv6/process: "+name, step.NeverQuiet, func() {
		step.Processes(func(s *process.System) {
			process.Go(s, func(p *process.Proc) { f(p) })
			s.Run()
		})
	})
}
