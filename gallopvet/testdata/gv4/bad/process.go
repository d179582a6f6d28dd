package bad

import (
	"cases/step"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
)

var kept *process.Self[int]

func init() {
	processes("in another process", func(s *process.System) {
		process.Spawn(s, func(self *process.Self[int]) {
			process.Go(self, func(p *process.Proc) {
				defer step.Panics()
				self.Receive() // want `GV4: the Self is used in another process: a Self is valid only in its process: hand over its reference, self.Ref\(\) or p.Process\(\)`
			})
			self.Receive()
		})
	})
	processes("as the sender", func(s *process.System) {
		process.Spawn(s, func(self *process.Self[int]) {
			me := self.Ref()
			process.Go(self, func(p *process.Proc) {
				defer step.Panics()
				me.Send(self, 1) // want `the Self is used in another process`
			})
			self.ReceiveMatch(func(n int) bool { return n < 0 })
		})
	})
	processes("in a child", func(s *process.System) {
		c := process.NewChan[int](0)
		process.Go(s, func(p *process.Proc) {
			defer p.Wait(step.Background)
			process.SpawnLinked(p, func(child *process.Self[int]) {
				defer step.Panics()
				c.Send(p, 1) // want `the Proc is used in another process`
			})
		})
	})
	processes("in a group", func(s *process.System) {
		var wg process.WaitGroup
		process.Go(s, func(p *process.Proc) {
			for range 2 {
				wg.Go(p, func(*process.Proc) {
					defer step.Panics()
					p.Yield() // want `the Proc is used in another process`
				})
			}
			wg.Wait(p)
		})
	})
	processes("in a goroutine", func(s *process.System) {
		process.Spawn(s, func(self *process.Self[int]) {
			go func() {
				defer step.Panics()
				self.Receive() // want `the Self is used in a goroutine`
			}()
			self.Receive()
		})
		_ = s.Wait(step.Background)
		step.Meet(0)
	})
	processes("argument of a goroutine", func(s *process.System) {
		process.Spawn(s, func(self *process.Self[int]) {
			go yield(&self.Proc) // want `the Proc is used in a goroutine`
			self.Receive()
		})
		_ = s.Wait(step.Background)
		step.Meet(0)
	})
	processes("where its end is told", func(s *process.System) {
		process.Spawn(s, func(self *process.Self[int]) {
			child := process.Go(self, func(p *process.Proc) { p.Yield() })
			self.Watch(child, func(process.Down) int {
				defer step.Panics()
				return self.Receive() // want `the Self is used in a function that Watch runs elsewhere`
			})
			self.Receive()
		})
	})
	processes("in a message", func(s *process.System) {
		r := process.Spawn(s, func(self *process.Self[*process.Proc]) {
			defer step.Panics()
			self.Receive().Yield()
		})
		process.Go(s, func(p *process.Proc) {
			defer p.Wait(step.Background)
			r.Send(p, p) // want `the Proc is sent in a message`
		})
	})
	processes("through a channel", func(s *process.System) {
		c := process.NewChan[*process.Proc](0)
		process.Go(s, func(p *process.Proc) {
			defer step.Panics()
			other, _ := c.Recv(p)
			other.Yield()
		})
		process.Go(s, func(p *process.Proc) {
			defer p.Wait(step.Background)
			c.Send(p, p) // want `the Proc is sent in a message`
		})
	})
	processes("through a channel of Go", func(s *process.System) {
		c := make(chan *process.Proc, 1)
		process.Go(s, func(p *process.Proc) {
			c <- p // want `the Proc is sent into a channel`
		})
		_ = s.Wait(step.Background)
		defer step.Panics()
		(<-c).Yield()
	})
	processes("in a variable", func(s *process.System) {
		process.Spawn(s, func(self *process.Self[int]) {
			kept = self // want `the Self is kept`
		})
		_ = s.Wait(step.Background)
		defer step.Panics()
		kept.Receive()
	})
	step.Case("gv4/process: state of an actor", step.Race, func() {
		sys, s := step.Start(), process.Start(process.Config{})
		r := loaderType.Spawn(sys, loader{of: s})
		load.Send(sys, r, 1)
		_ = sys.Run()
		s.Run()
	})
}

func yield(p *process.Proc) {
	defer step.Panics()
	p.Yield()
}

// loader is an actor that starts processes.
type loader struct {
	of   *process.System
	rows int
}

func (l *loader) Load(*actor.Context, int) {
	process.Go(l.of, func(p *process.Proc) {
		step.Meet(1)
		l.rows++ // want `another process reads the state of the actor \(loader.rows\), which behaviours write`
		step.Meet(1)
	})
	step.Meet(0)
	l.rows++
	step.Meet(0)
}

var (
	loaderType = actor.NewType[loader]("loader")
	load       = actor.Declare[int](loaderType, "load")
	_          = loaderType.Table(load.Handle((*loader).Load))
)

func processes(name string, f func(s *process.System)) {
	step.Case("gv4/process: "+name, "panic: gallop: process: ", func() {
		s := process.Start(process.Config{Workers: 4})
		f(s)
		s.Run()
	})
}
