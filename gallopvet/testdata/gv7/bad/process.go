package bad

import (
	"cases/step"

	"github.com/gallop-go/gallop/process"
)

type question struct {
	n     int
	reply process.ReplyTo[int]
}

type query struct{ reply process.ReplyTo[int] }

type order struct {
	n     int
	reply process.ReplyTo[int]
}

func init() {
	processes("not unlocked on one path", "left: ", func(s *process.System) {
		var mu process.Mutex
		for n := range 2 {
			process.Go(s, func(p *process.Proc) {
				mu.Lock(p) // want `the mutex is not unlocked on every path: the next process that locks it waits for ever. Use defer`
				if n < 2 {
					return
				}
				mu.Unlock(p)
			})
		}
	})
	processes("not unlocked in a loop", "left: ", func(s *process.System) {
		var mu process.Mutex
		process.Go(s, func(p *process.Proc) {
			for n := range 2 {
				mu.Lock(p) // want `the mutex is not unlocked on every path`
				if n == 0 {
					continue
				}
				mu.Unlock(p)
			}
		})
	})
	processes("reply that nothing sees", "failed, and nothing knows", func(s *process.System) {
		r := process.Spawn(s, func(self *process.Self[query]) {
			_ = self.Receive().reply
			self.Exit(process.ErrKilled)
		})
		process.Go(s, func(p *process.Proc) {
			process.Ask(p, r, func(to process.ReplyTo[int]) query { return query{to} }) // want `what Ask returns is dropped: nothing sees the reply, or that there is none`
			if r.Join(p) != nil {
				step.Fail("failed, and nothing knows")
			}
		})
	})
}

// processes runs a case, and fails if something is blocked for ever that was called for.
func processes(name, want string, f func(s *process.System)) {
	step.Case("gv7/process: "+name, want, func() {
		s := process.Start(process.Config{Workers: 1})
		f(s)
		for _, b := range s.Run() {
			if b.On != "receive" {
				step.Fail("left:", b)
			}
		}
	})
}
