package bad

import (
	"cases/step"

	"github.com/gallop-go/gallop/process"
)

type task struct {
	name string
	run  func()
}

// Functions that processes hand over share what they have captured.
func init() {
	process1("function to a process", func(s *process.System) {
		done := 0
		r := process.Spawn(s, func(self *process.Self[task]) { // want `GV1: messages of the process hold func\(\) at .run, and what that reaches is shared with the receiver`
			m := self.Receive()
			step.Meet(1)
			m.run() // want `GV9: done is written to in a turn, without a lock, and is used elsewhere`
			step.Meet(1)
		})
		r.Send(s, task{"add", func() { done++ }})
		step.Meet(0)
		done++
		step.Meet(0)
	})
	process1("function through a channel", func(s *process.System) {
		done := 0
		c := process.NewChan[func()](0) // want `messages of the channel hold func\(\)`
		process.Go(s, func(p *process.Proc) {
			run, _ := c.Recv(p)
			step.Meet(1)
			run()
			step.Meet(1)
		})
		process.Go(s, func(p *process.Proc) {
			c.Send(p, func() { done++ })
			step.Meet(0)
			done++
			step.Meet(0)
		})
	})
	process1("function as any", func(s *process.System) {
		done := 0
		r := process.Spawn(s, func(self *process.Self[any]) {
			run := self.Receive().(func())
			step.Meet(1)
			run()
			step.Meet(1)
		})
		r.Send(s, func() { done++ }) // want `messages of Send hold func\(\)`
		step.Meet(0)
		done++
		step.Meet(0)
	})
	process1("function in a request", func(s *process.System) {
		done := 0
		r := process.Spawn(s, func(self *process.Self[question]) { // want `messages of the process hold func\(\) at .reply.Value`
			m := self.Receive()
			m.reply.Reply(self, func() { done++ })
			step.Meet(1)
			done++
			step.Meet(1)
		})
		process.Go(s, func(p *process.Proc) {
			f, _ := process.Call(p, r, func(to process.ReplyTo[func()]) question { return question{to} })
			step.Meet(0)
			f()
			step.Meet(0)
		})
	})
}

type question struct{ reply process.ReplyTo[func()] }

func process1(name string, f func(s *process.System)) {
	step.Case("gv1/"+name, step.Race, func() {
		s := process.Start(process.Config{Workers: 4})
		f(s)
		s.Run()
	})
}
