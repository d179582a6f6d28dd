// Package processes has processes that GV4 must not report.
package processes

import (
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
)

// References are for all.
func references(s *process.System) {
	process.Spawn(s, func(self *process.Self[int]) {
		process.Go(self, func(p *process.Proc) {
			self.Ref().Send(p, 1)
			self.Process().Cancel(p, nil)
			fmt.Println(self.String())
		})
		me := self.Ref()
		go func() { me.Send(s, 1) }()
		self.Watch(self.Process(), func(process.Down) int { return 1 })
		self.Receive()
	})
}

// What belongs to the process may have it.
type server struct {
	self *process.Self[int]
	seen map[*process.Proc]bool
}

func (v *server) loop() {
	for {
		n := v.self.ReceiveMatch(func(n int) bool { return n > v.self.Pending() })
		func() { v.self.Gas(n) }()
	}
}

func owned(s *process.System) {
	process.Spawn(s, func(self *process.Self[int]) {
		v := &server{self: self, seen: map[*process.Proc]bool{}}
		defer func() { self.Ref().Send(self, 0) }()
		v.loop()
	})
}

// The parent is captured, and the child uses itself.
func children(p *process.Proc, wg *process.WaitGroup, c *process.Chan[int]) {
	for range 3 {
		wg.Go(p, func(p *process.Proc) { c.Send(p, 1) })
	}
	wg.Wait(p)
}

// A goroutine has a party of its own.
func outside(s *process.System, c *process.Chan[int]) {
	g := s.Goroutine()
	go func() { c.Send(g, 1) }()
}

// An actor starts a process, and gives it copies.
type starter struct {
	of   *process.System
	rows int
}

func (s *starter) Load(*actor.Context, int) {
	rows := s.rows
	process.Go(s.of, func(p *process.Proc) { fmt.Println(rows) })
	s.rows++
}

var (
	starterType = actor.NewType[starter]("starter")
	starts      = actor.Declare[int](starterType, "load")
	_           = starterType.Table(starts.Handle((*starter).Load))
)
