package fix

import (
	"os/exec"
	"time"

	"github.com/gallop-go/gallop/process"
)

func processes(s *process.System, c chan int) {
	process.Spawn(s, func(self *process.Self[int]) {
		time.Sleep(time.Second) // want `time.Sleep waits`
		<-c                     // want `a receive from one of Go's channels waits`
		var n int
		n = <-c // want `a receive from one of Go's channels waits`
		d := make(chan int)
		d <- n   // want `a send to one of Go's channels`
		m := <-c // want `a receive from one of Go's channels waits`
		_ = m
		process.Go(self, func(*process.Proc) {
			time.Sleep(time.Second) // want `time.Sleep waits`
		})
		process.Go(self, func(p *process.Proc) {
			_ = exec.Command("true").Run() // want `os/exec.Cmd.Run waits`
		})
	})
}
