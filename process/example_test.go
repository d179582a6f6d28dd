package process_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/gallop-go/gallop/process"
)

// A process is code that reads from top to bottom.
func ExampleSpawn() {
	s := process.Start(process.Config{})
	greeter := process.Spawn(s, func(self *process.Self[string]) {
		for name := self.Receive(); name != ""; name = self.Receive() {
			fmt.Println("hello,", name)
		}
	})
	greeter.Send(s, "Ann")
	greeter.Send(s, "")
	fmt.Println(len(s.Run()), "blocked")
	// Output:
	// hello, Ann
	// 0 blocked
}

// A receive takes a matching message and leaves the others.
func ExampleSelf_ReceiveMatch() {
	s := process.Start(process.Config{})
	process.Spawn(s, func(self *process.Self[int]) {
		for i := range 4 {
			self.Ref().Send(self, i)
		}
		even := func(m int) bool { return m%2 == 0 }
		odd := func(m int) bool { return m%2 == 1 }
		fmt.Println(self.ReceiveMatch(odd), self.ReceiveMatch(odd))
		fmt.Println(self.ReceiveMatch(even), self.ReceiveMatch(even))
		_, ok := self.ReceiveWithin(time.Millisecond, even)
		fmt.Println(ok)
	})
	s.Run()
	// Output:
	// 1 3
	// 0 2
	// false
}

// With a mark, a receive for a reply does not look at messages from before the request.
func ExampleMark() {
	s := process.Start(process.Config{})
	process.Spawn(s, func(self *process.Self[string]) {
		self.Ref().Send(self, "old")
		mark := self.Mark()
		self.Ref().Send(self, "reply")
		m, _ := self.ReceiveAfter(mark, time.Second, nil)
		fmt.Println(m, self.Pending())
	})
	s.Run()
	// Output: reply 1
}

type add struct {
	a, b int
	sum  process.ReplyTo[int]
}

// A request carries the address of its reply.
func ExampleCall() {
	s := process.Start(process.Config{})
	adder := process.Spawn(s, func(self *process.Self[add]) {
		for {
			m := self.Receive()
			m.sum.Reply(self, m.a+m.b)
		}
	})
	process.Go(s, func(p *process.Proc) {
		sum, err := process.Call(p, adder,
			func(r process.ReplyTo[int]) add { return add{1, 2, r} }, process.Within(time.Minute))
		fmt.Println(sum, err)
		asked := process.Ask(p, adder, func(r process.ReplyTo[int]) add { return add{3, 4, r} })
		fmt.Println(asked.Reply(p))
	})
	for _, b := range s.Run() {
		fmt.Println("waits for:", b.On)
	}
	// Output:
	// 3 <nil>
	// 7 <nil>
	// waits for: receive
}

// A process that monitors another receives its end as a message.
func ExampleSelf_Watch() {
	s := process.Start(process.Config{})
	process.Spawn(s, func(self *process.Self[process.Down]) {
		worker := process.Go(self, func(p *process.Proc) { p.Exit(errors.New("no more paper")) })
		self.Watch(worker, func(d process.Down) process.Down { return d })
		fmt.Println(self.Receive().Reason)
	})
	s.Run()
	// Output: no more paper
}

// A monitor can be taken back.
func ExampleMonitor() {
	s := process.Start(process.Config{})
	process.Spawn(s, func(self *process.Self[process.Down]) {
		worker := process.Spawn(self, func(w *process.Self[int]) { w.Receive() })
		m := self.Watch(worker.Process, func(d process.Down) process.Down { return d })
		fmt.Println(m.Stop())
	})
	s.Run()
	// Output: true
}

// Linked processes end together, unless one of them traps exits.
func ExampleSelf_TrapExit() {
	s := process.Start(process.Config{})
	process.Spawn(s, func(self *process.Self[process.Exit]) {
		self.TrapExit(func(e process.Exit) process.Exit { return e })
		process.SpawnLinked(&self.Proc, func(*process.Self[int]) { panic("boom") })
		fmt.Println(process.Panicked(self.Receive().Reason))
	})
	s.Run()
	// Output: boom true
}

// The reason of a process that ended because of a linked one says which.
func ExampleLinkedError() {
	s := process.Start(process.Config{})
	parent := process.Spawn(s, func(self *process.Self[int]) {
		process.SpawnLinked(&self.Proc, func(c *process.Self[int]) { c.Exit(errors.New("broken")) })
		self.Receive()
	})
	s.Run()
	reason, _ := parent.Result()
	var linked *process.LinkedError
	fmt.Println(errors.As(reason, &linked), linked.Reason)
	// Output: true broken
}

// Processes communicate by channels as goroutines do.
func ExampleChan() {
	s := process.Start(process.Config{})
	c := process.NewChan[int](0)
	process.Go(s, func(p *process.Proc) {
		for i := range 3 {
			c.Send(p, i)
		}
		c.Close(p)
	})
	process.Go(s, func(p *process.Proc) {
		for v := range c.All(p) {
			fmt.Println(v)
		}
	})
	s.Run()
	// Output:
	// 0
	// 1
	// 2
}

// Select waits for any of several things.
func ExampleSelect() {
	s := process.Start(process.Config{Seed: 1})
	results := process.NewChan[string](0)
	process.Go(s, func(p *process.Proc) {
		p.Sleep(3 * time.Second)
		results.Send(p, "slow result")
	})
	process.Go(s, func(p *process.Proc) {
		var v string
		cases := []process.Case{process.RecvFrom(results, &v, nil), process.After(2 * time.Second)}
		for range 2 {
			switch process.Select(p, cases...) {
			case 0:
				fmt.Println(v)
			case 1:
				fmt.Println("nothing yet")
			}
		}
	})
	s.Run()
	// Output:
	// nothing yet
	// slow result
}

// An Event makes anything a case.
func ExampleEvent() {
	s := process.Start(process.Config{})
	var full process.Event
	var mu process.Mutex
	water := 0
	process.Go(s, func(p *process.Proc) {
		process.Block(p, &full, func() bool {
			if !mu.TryLock() {
				return false
			}
			defer mu.Unlock(s)
			return water >= 3
		})
		fmt.Println("full")
	})
	process.Go(s, func(p *process.Proc) {
		for range 3 {
			mu.Lock(p)
			water++
			mu.Unlock(p)
			full.Notify(p)
		}
	})
	s.Run()
	// Output: full
}

// A goroutine outside takes part.
func ExampleGoroutine() {
	s := process.Start(process.Config{})
	defer s.Stop()
	squares := process.NewChan[int](0)
	process.Go(s, func(p *process.Proc) { squares.Send(p, 7*7) })
	v, _ := squares.Recv(s.Goroutine())
	fmt.Println(v)
	// Output: 49
}

// A Mutex, a WaitGroup and a Once suspend the process and not its worker.
func ExampleWaitGroup() {
	s := process.Start(process.Config{})
	process.Go(s, func(p *process.Proc) {
		var g process.WaitGroup
		var m process.Mutex
		var once process.Once
		sum := 0
		for i := range 10 {
			g.Go(p, func(p *process.Proc) {
				once.Do(p, func() { fmt.Println("begins") })
				m.Lock(p)
				defer m.Unlock(p)
				sum += i
			})
		}
		g.Wait(p)
		fmt.Println(sum)
	})
	s.Run()
	// Output:
	// begins
	// 45
}

// A process that is told to end runs its deferred functions.
func ExampleProcess() {
	s := process.Start(process.Config{})
	worker := process.Go(s, func(p *process.Proc) {
		defer fmt.Println("cleans up")
		p.Sleep(time.Hour)
	})
	process.Go(s, func(p *process.Proc) {
		for worker.Status() != process.Waiting {
			p.Yield()
		}
		worker.Cancel(p, nil)
		fmt.Println(worker.Join(p))
	})
	s.Run()
	// Output:
	// cleans up
	// gallop: process system stopped
}

// When all is quiet, Run returns the processes that are blocked for ever.
func ExampleBlocked() {
	s := process.Start(process.Config{Seed: 1})
	var first, second process.Mutex
	lockBoth := func(a, b *process.Mutex) func(p *process.Proc) {
		return func(p *process.Proc) {
			a.Lock(p)
			p.Sleep(time.Second)
			b.Lock(p)
		}
	}
	process.Go(s, lockBoth(&first, &second))
	process.Go(s, lockBoth(&second, &first))
	for _, b := range s.Run() {
		fmt.Println("waits for:", b.On)
	}
	// Output:
	// waits for: mutex
	// waits for: mutex
}

// Messages that no process will receive are told of.
func ExampleDeadLetter() {
	s := process.Start(process.Config{DeadLetters: func(d process.DeadLetter) {
		fmt.Println("dead:", d.Message)
	}})
	gone := process.Spawn(s, func(self *process.Self[int]) { self.Receive() })
	process.Go(s, func(p *process.Proc) {
		gone.Send(p, 1)
		gone.Join(p)
		gone.Send(p, 2)
	})
	s.Run()
	// Output: dead: 2
}

// Operations that never wait take an Env, others a Party.
func ExampleParty() {
	s := process.Start(process.Config{})
	c := process.NewChan[string](1)
	offer := func(from process.Env, v string) { fmt.Println(c.TrySend(from, v)) }
	fetch := func(by process.Party) { fmt.Println(c.Recv(by)) }
	offer(s, "from a goroutine")
	process.Go(s, func(p *process.Proc) {
		offer(p, "from a process")
		fetch(p)
	})
	s.Run()
	// Output:
	// true
	// false
	// from a goroutine true
}

// A request that goes another way than as a message to a process.
func ExampleNewReply() {
	s := process.Start(process.Config{})
	asked, back := process.NewReply[int]()
	process.Go(s, func(p *process.Proc) { fmt.Println(asked.Reply(p)) })
	failed, replied := back.Fail(s, errors.New("no answer")), back.Reply(s, 7)
	s.Run()
	fmt.Println(failed, replied)
	// Output:
	// 0 no answer
	// true false
}
