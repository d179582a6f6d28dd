// Package processes has processes that GV1 must not report.
package processes

import (
	"time"

	"github.com/gallop-go/gallop/process"
)

// What is made of refs, channels, replies and data.
type request struct {
	at    time.Time
	from  process.Ref[string]
	back  *process.Chan[[]byte]
	done  process.Process
	sum   process.ReplyTo[int]
	lock  *process.Mutex
	words []string
}

func processes(s *process.System) {
	process.Spawn(s, func(self *process.Self[request]) { _ = self.Receive() })
	process.Spawn(s, func(self *process.Self[process.Down]) { _ = self.Receive() })
	process.Spawn(s, func(self *process.Self[process.Exit]) { _ = self.Receive() })
	process.Spawn(s, func(self *process.Self[process.ReplyTo[[]string]]) { _ = self.Receive() })
	_ = process.NewChan[*process.Chan[int]](1)
	_ = process.NewChan[struct{}](1)
	_ = process.NewChan[error](1)
	r := process.Spawn(s, func(self *process.Self[any]) { _ = self.Receive() })
	r.Send(s, 1)
	r.Send(s, request{})
	r.Send(s, []int{1})
}

func generic[M any](s *process.System) process.Ref[M] {
	return process.Spawn(s, func(self *process.Self[M]) { self.Receive() })
}

var _ = generic[int]
