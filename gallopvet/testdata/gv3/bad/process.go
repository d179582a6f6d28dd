package bad

import (
	"cases/step"

	"github.com/gallop-go/gallop/process"
)

type parcel struct {
	i     iso
	reply process.ReplyTo[int]
}

func init() {
	inProcess("moved", func(p *process.Proc) {
		i := made()
		c := process.NewChan[iso](1)
		c.Send(p, i.Move())
		i.Use(func(*words) {}) // want `i was given away by Move`
	})
	inProcess("selected", func(p *process.Proc) {
		i := made()
		c := process.NewChan[iso](1)
		j := i.Move()
		process.Select(p, process.SendTo(c, &j))
		_ = i.Take() // want `i was given away by Move`
	})
	inProcess("asked with", func(p *process.Proc) {
		i := made()
		r := process.Spawn(p, func(self *process.Self[parcel]) { self.Receive().reply.Reply(self, 1) })
		j := i.Move()
		_, _ = process.Call(p, r, func(to process.ReplyTo[int]) parcel { return parcel{j, to} })
		_ = i.Freeze() // want `i was given away by Move`
	})
	isoRace("sent without a move", func(p *process.Proc, c *process.Chan[iso]) {
		i := made()
		c.Send(p, i)
		step.Meet(0)
		i.Use(func(w *words) { w.all[0] = "other" }) // want `i was sent by Send`
		step.Meet(0)
	})
	isoRace("tried without a move", func(p *process.Proc, c *process.Chan[iso]) {
		i := made()
		if c.TrySend(p, i) {
			step.Meet(0)
			i.Use(func(w *words) { w.all[0] = "other" }) // want `i was sent by TrySend`
			step.Meet(0)
		}
	})
}

func inProcess(name string, f func(p *process.Proc)) {
	step.Case("gv3/process: "+name, gone, func() {
		s := process.Start(process.Config{})
		process.Go(s, func(p *process.Proc) {
			defer step.Panics()
			f(p)
		})
		s.Run()
	})
}

func isoRace(name string, f func(p *process.Proc, c *process.Chan[iso])) {
	step.Case("gv3/process: "+name, step.Race, func() {
		s := process.Start(process.Config{Workers: 4})
		c := process.NewChan[iso](1)
		process.Go(s, func(p *process.Proc) {
			i, _ := c.Recv(p)
			step.Meet(1)
			i.Use(func(w *words) { _ = w.all[0] })
			step.Meet(1)
		})
		process.Go(s, func(p *process.Proc) { f(p, c) })
		s.Run()
	})
}
