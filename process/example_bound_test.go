package process_test

import (
	"fmt"

	"github.com/gallop-go/gallop/process"
)

// A process that is behind holds back the process that sends to it.
func ExampleWithBound() {
	s := process.Start(process.Config{Workers: 1})
	begin := process.NewChan[int](0)
	slow := process.Spawn(s, func(self *process.Self[int]) {
		begin.Recv(self)
		for range 3 {
			fmt.Println(self.Receive())
		}
	}, process.WithBound(2))
	process.Go(s, func(p *process.Proc) {
		slow.Send(p, 1)
		slow.Send(p, 2)
		fmt.Println(slow.TrySend(p, 3))
		process.Go(p, func(p *process.Proc) { begin.Send(p, 1) })
		slow.Send(p, 3) // waits
	})
	fmt.Println("blocked:", len(s.Run()))
	// Output:
	// gallop: mailbox of the process is full
	// 1
	// 2
	// 3
	// blocked: 0
}

// From 100 messages on, senders wait until no more than 10 are left.
func ExampleWithWatermarks() {
	s := process.Start(process.Config{Workers: 1})
	sum := 0
	to := process.Spawn(s, func(self *process.Self[int]) {
		for range 1000 {
			sum += self.Receive()
		}
	}, process.WithWatermarks(100, 10))
	process.Go(s, func(p *process.Proc) {
		for range 1000 {
			to.Send(p, 1)
		}
	})
	s.Run()
	fmt.Println(sum)
	// Output: 1000
}

// An Option says how a process is.
func ExampleOption() {
	options := []process.Option{process.WithBound(10)}
	s := process.Start(process.Config{Workers: 1})
	to := process.Spawn(s, func(self *process.Self[string]) {
		fmt.Println(self.Receive())
	}, options...)
	to.Send(s, "hello")
	s.Run()
	// Output: hello
}
