package bad

import (
	"cases/step"

	"github.com/gallop-go/gallop/process"
)

type request struct {
	all   []int
	reply process.ReplyTo[int]
}

func init() {
	processes("process: slice", func(s *process.System) {
		r := reads(s)
		all := make([]int, 1)
		r.Send(s, all) // want `GV2: all is sent and written to afterwards \(line \d+\): the two may race`
		step.Meet(0)
		all[0] = 1
		step.Meet(0)
	})
	processes("process: by a process", func(s *process.System) {
		r := reads(s)
		process.Spawn(s, func(self *process.Self[int]) {
			all := make([]int, 1)
			r.Send(self, all) // want `all is sent and written to afterwards`
			step.Meet(0)
			all[0] = 1
			step.Meet(0)
		})
	})
	processes("process: captured", func(s *process.System) {
		r := reads(s)
		all := make([]int, 1)
		process.Go(s, func(p *process.Proc) {
			r.Send(p, all) // want `all is sent and the function that has started this one writes to it`
		})
		step.Meet(0)
		all[0] = 1
		step.Meet(0)
	})
	processes("process: another uses it", func(s *process.System) {
		r := reads(s)
		all := make([]int, 1)
		process.Go(s, func(p *process.Proc) {
			step.Meet(0)
			all[0] = 1
			step.Meet(0)
		})
		r.Send(s, all) // want `all is sent and another process writes to it`
	})
	processes("process: channel", func(s *process.System) {
		c := process.NewChan[map[string]int](0)
		process.Go(s, func(p *process.Proc) {
			m, _ := c.Recv(p)
			step.Meet(1)
			_ = m["a"]
			step.Meet(1)
		})
		process.Go(s, func(p *process.Proc) {
			m := map[string]int{"a": 1}
			c.Send(p, m) // want `m is sent and written to afterwards`
			step.Meet(0)
			m["a"]++
			step.Meet(0)
		})
	})
	processes("process: buffer used again", func(s *process.System) {
		c := process.NewChan[[]int](4)
		process.Go(s, func(p *process.Proc) {
			all, _ := c.Recv(p)
			step.Meet(1)
			_ = all[0]
			step.Meet(1)
		})
		process.Go(s, func(p *process.Proc) {
			buf := make([]int, 0, 8)
			for i := range 2 {
				buf = append(buf[:0], i)
				c.Send(p, buf) // want `buf is sent and written to afterwards`
				if i == 0 {
					step.Meet(0)
				}
			}
			step.Meet(0)
		})
	})
	processes("process: tried", func(s *process.System) {
		c := process.NewChan[*job](1)
		process.Go(s, func(p *process.Proc) {
			j, _ := c.Recv(p)
			step.Meet(1)
			_ = j.id
			step.Meet(1)
		})
		j := &job{}
		if c.TrySend(s, j) { // want `j is sent and written to afterwards`
			step.Meet(0)
			j.id = 1
			step.Meet(0)
		}
	})
	processes("process: selected", func(s *process.System) {
		c, other := process.NewChan[*job](0), process.NewChan[int](0)
		process.Go(s, func(p *process.Proc) {
			j, _ := c.Recv(p)
			step.Meet(1)
			_ = j.id
			step.Meet(1)
		})
		process.Go(s, func(p *process.Proc) {
			j := &job{}
			process.Select(p, process.RecvFrom(other, nil, nil), process.SendTo(c, &j)) // want `what SendTo sends is sent and written to afterwards`
			step.Meet(0)
			j.id = 1
			step.Meet(0)
		})
	})
	processes("process: asked with", func(s *process.System) {
		r := process.Spawn(s, func(self *process.Self[request]) {
			m := self.Receive()
			step.Meet(1)
			_ = m.all[0]
			step.Meet(1)
			m.reply.Reply(self, 1)
		})
		process.Go(s, func(p *process.Proc) {
			all := []int{1}
			asked := process.Ask(p, r, func(to process.ReplyTo[int]) request { return request{all, to} }) // want `what the request holds is sent and written to afterwards`
			step.Meet(0)
			all[0] = 2
			step.Meet(0)
			_, _ = asked.Reply(p)
		})
	})
	processes("process: reply", func(s *process.System) {
		r := process.Spawn(s, func(self *process.Self[process.ReplyTo[[]int]]) {
			all := []int{1}
			self.Receive().Reply(self, all) // want `all is sent and written to afterwards`
			step.Meet(1)
			all[0] = 2
			step.Meet(1)
		})
		process.Go(s, func(p *process.Proc) {
			all, _ := process.Call(p, r, func(to process.ReplyTo[[]int]) process.ReplyTo[[]int] { return to })
			step.Meet(0)
			_ = all[0]
			step.Meet(0)
		})
	})
	processes("process: the receiver writes", func(s *process.System) {
		r := process.Spawn(s, func(self *process.Self[[]int]) {
			all := self.Receive()
			step.Meet(1)
			all[0] = 7
			step.Meet(1)
		})
		all := []int{1}
		r.Send(s, all) // want `all is sent and used afterwards \(line \d+\), while the receiver writes to it`
		step.Meet(0)
		_ = all[0]
		step.Meet(0)
	})
	processes("process: the receiver of a channel writes", func(s *process.System) {
		c := process.NewChan[[]int](0)
		process.Go(s, func(p *process.Proc) {
			all, ok := c.Recv(p)
			step.Meet(1)
			if ok {
				all[0] = 7
			}
			step.Meet(1)
		})
		process.Go(s, func(p *process.Proc) {
			all := []int{1}
			c.Send(p, all) // want `all is sent and used afterwards \(line \d+\), while the receiver writes to it`
			step.Meet(0)
			_ = all[0]
			step.Meet(0)
		})
	})
	processes("process: sent by a function", func(s *process.System) {
		r := reads(s)
		all := []int{1}
		pass(s, r, all) // want `all is sent by pass and written to afterwards`
		step.Meet(0)
		all[0] = 2
		step.Meet(0)
	})
	processes("process: state of an actor", func(s *process.System) {
		sys := step.Start()
		r := keeperType.Spawn(sys, holder{to: reads(s), of: s, all: []int{1}})
		give.Send(sys, r, struct{}{})
		_ = sys.Run()
	})
}

func pass(from process.Env, r process.Ref[[]int], all []int) { r.Send(from, all) }

// reads starts a process that reads what it gets.
func reads(s *process.System) process.Ref[[]int] {
	return process.Spawn(s, func(self *process.Self[[]int]) {
		all := self.Receive()
		step.Meet(1)
		_ = all[0]
		step.Meet(1)
	})
}

func processes(name string, f func(s *process.System)) {
	step.Case("gv2/"+name, step.Race, func() {
		s := process.Start(process.Config{Workers: 4})
		f(s)
		s.Run()
	})
}
