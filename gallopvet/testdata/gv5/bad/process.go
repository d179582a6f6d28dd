package bad

import (
	"context"

	"cases/step"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
)

type question struct{ reply process.ReplyTo[int] }

func ask(to process.ReplyTo[int]) question { return question{to} }

func init() {
	const panics = "panic: "
	inProcess("negative channel", panics, func(*process.Proc) {
		process.NewChan[int](-1) // want `GV5: NewChan is given -1, wants at least 0, and panics`
	})
	inProcess("process bound of none", "WithBound: the limit is", func(*process.Proc) {
		process.WithBound(0) // want `WithBound is given 0, wants at least 1, and panics`
	})
	inProcess("close nil", panics, func(p *process.Proc) {
		(*process.Chan[int])(nil).Close(p) // want `Chan.Close is given a nil Chan and panics`
	})
	inProcess("closed twice", panics, func(p *process.Proc) {
		c := process.NewChan[int](0)
		c.Close(p)
		c.Close(p) // want `Chan.Close comes after Chan.Close \(line \d+\), and panics`
	})
	inProcess("send after close", panics, func(p *process.Proc) {
		c := process.NewChan[int](1)
		c.Close(p)
		c.Send(p, 1) // want `Chan.Send comes after Chan.Close`
	})
	inProcess("try after close", panics, func(p *process.Proc) {
		c := process.NewChan[int](1)
		c.Close(p)
		_ = c.TrySend(p, 1) // want `Chan.TrySend comes after Chan.Close`
	})
	inProcess("unlocked twice", panics, func(p *process.Proc) {
		var mu process.Mutex
		mu.Lock(p)
		mu.Unlock(p)
		mu.Unlock(p) // want `Mutex.Unlock comes after Mutex.Unlock \(line \d+\), and panics`
	})
	inProcess("zero ref", panics, func(p *process.Proc) {
		var r process.Ref[int]
		r.Send(p, 1) // want `Ref.Send is given a zero Ref and panics`
	})
	inProcess("zero process", panics, func(p *process.Proc) {
		_ = process.Process{}.Join(p) // want `Process.Join is given a zero Process and panics`
	})
	inProcess("zero address", panics, func(p *process.Proc) {
		process.ReplyTo[int]{}.Reply(p, 1) // want `ReplyTo.Reply is given a zero ReplyTo and panics`
	})
	inProcess("call to nothing", panics, func(p *process.Proc) {
		_, _ = process.Call(p, process.Ref[question]{}, ask) // want `Call is given a zero Ref and panics`
	})
	inProcess("no name for nothing", panics, func(*process.Proc) {
		_ = process.Register("me", process.Ref[int]{}) // want `Register is given a zero Ref and panics`
	})
	inProcess("no party", panics, func(*process.Proc) {
		process.NewChan[int](1).Send(nil, 1) // want `Chan.Send is given a nil Party and panics`
	})
	inProcess("no function", panics, func(p *process.Proc) {
		p.Blocking(nil) // want `Proc.Blocking is given a nil function and panics`
	})

	blocked("call of itself", func(s *process.System) {
		process.Spawn(s, func(self *process.Self[question]) {
			_, _ = process.Call(self, self.Ref(), ask) // want `Call of the process itself waits for its own reply`
		})
	})
	blocked("reply taken twice", func(s *process.System) {
		r := process.Spawn(s, func(self *process.Self[question]) { self.Receive().reply.Reply(self, 1) })
		process.Go(s, func(p *process.Proc) {
			a := process.Ask(p, r, ask)
			_, _ = a.Reply(p)
			_, _ = a.Reply(p) // want `the reply was taken before \(line \d+\): this waits for ever`
		})
	})
	inProcess("waits for an actor", "called from a process", func(*process.Proc) {
		r := countType.Spawn(step.Start(), counter{})
		_ = actor.StopWait(context.Background(), r) // want `StopWait in a process panics where it would have to wait: use Watch`
	})
	inProcess("waits to send to an actor", "called from a process", func(*process.Proc) {
		r := fullType.Spawn(step.Start(), counter{})
		for range 100_000 {
			_ = put.SendWait(context.Background(), r, 1) // want `Behaviour.SendWait in a process panics where it would have to wait: use Send`
		}
	})
	ofItself("waits for its system", func(s *process.System) {
		process.Go(s, func(*process.Proc) {
			defer step.Panics()
			_ = s.Wait(context.Background()) // want `System.Wait in a process of the system would wait for the process itself, and panics`
		})
	})
	ofItself("runs its system", func(s *process.System) {
		process.Go(s, func(p *process.Proc) {
			process.Go(p, func(*process.Proc) {
				defer step.Panics()
				s.Run() // want `System.Run in a process of the system would wait for the process itself, and panics`
			})
		})
	})
	ofItself("stops its system", func(s *process.System) {
		process.Spawn(s, func(*process.Self[int]) {
			defer step.Panics()
			s.Stop() // want `System.Stop in a process of the system would wait for the process itself, and panics`
		})
	})
}

func inProcess(name, want string, f func(p *process.Proc)) {
	step.Case("gv5/process: "+name, want, func() {
		s := process.Start(process.Config{})
		process.Go(s, func(p *process.Proc) {
			defer step.Panics()
			f(p)
		})
		s.Run()
	})
}

// blocked runs a case that is blocked for ever.
func blocked(name string, f func(s *process.System)) {
	step.Case("gv5/process: "+name, "blocked: ", func() {
		s := process.Start(process.Config{})
		f(s)
		for _, b := range s.Run() {
			step.Fail("blocked:", b)
		}
	})
}

// ofItself runs a case in which a process would wait for itself.
func ofItself(name string, f func(s *process.System)) {
	step.Case("gv5/process: "+name, "called from a process", func() {
		s := process.Start(process.Config{})
		f(s)
		s.Run()
	})
}
