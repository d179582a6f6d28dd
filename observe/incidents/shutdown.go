package main

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
)

// Systems that do not end.
var shutdown = []incident{
	{name: "shutdown-asleep", culprits: is("nightly-report"), inShutdown: true, begin: func(s *service) {
		start(s, "nightly-report", func(self *process.Self[int]) { self.Sleep(time.Hour) })
		end(s)
	}},
	{name: "shutdown-raw-channel", culprits: is("nightly-report"), inShutdown: true, begin: func(s *service) {
		start(s, "nightly-report", func(*process.Self[int]) { <-never })
		end(s)
	}},
	{name: "shutdown-in-blocking", culprits: is("nightly-report"), inShutdown: true, begin: func(s *service) {
		start(s, "nightly-report", func(self *process.Self[int]) { self.Blocking(func() { <-never }) })
		end(s)
	}},
	{name: "shutdown-select", culprits: is("nightly-report"), inShutdown: true, begin: func(s *service) {
		start(s, "nightly-report", func(self *process.Self[int]) {
			var m int
			process.Select(self, self.Receives(&m, nil), process.After(time.Hour))
		})
		end(s)
	}},
	{name: "shutdown-stuck-actor", culprits: is("backup"), inShutdown: true, begin: func(s *service) {
		k := newKind("backup", "copy")
		k.do.Send(s.sys, k.spawn(s), blocked)
		end(s)
	}},
	{name: "shutdown-timer", culprits: is("reminders"), inShutdown: true, begin: func(s *service) {
		k := newKind("reminders", "remind")
		k.do.Send(s.sys, k.spawn(s),
			func(_ *thing, c *actor.Context) { actor.After(c, time.Hour, k.do, nothing) })
		end(s)
	}},
	{name: "shutdown-hanging-pipe", culprits: is("webhooks"), inShutdown: true, begin: func(s *service) {
		k := newKind("webhooks", "call")
		k.do.Send(s.sys, k.spawn(s), func(_ *thing, c *actor.Context) {
			actor.Pipe(c, k.heard, func(context.Context) (int, error) { return <-never, nil })
		})
		end(s)
	}},
}

// shutdownGrace is longer than it takes to find the culprit.
const shutdownGrace = afterBegin + findWithin + 2*time.Second

// end ends the service, and then its system, which does not end in time.
func end(s *service) {
	s.close()
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownGrace)
		defer cancel()
		err := s.sys.Shutdown(ctx)
		s.say(sayShutdown, err.Error())
	}()
}
