package actors_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// inProcess runs f in a process of a system with one worker and a puppet, and waits for its end.
func inProcess(b *testing.B, f func(p *process.Proc, r actor.Ref[puppet])) {
	sys := actor.Start(actor.WithWorkers(1))
	defer sys.Stop()
	r, done := puppetType.Spawn(sys, puppet{}), make(chan struct{})
	b.ReportAllocs()
	b.ResetTimer()
	process.Go(actors.Join(sys), func(p *process.Proc) {
		defer close(done)
		f(p, r)
	})
	<-done
}

// BenchmarkCall is a request of a process to an actor, and its reply.
func BenchmarkCall(b *testing.B) {
	inProcess(b, func(p *process.Proc, r actor.Ref[puppet]) {
		for b.Loop() {
			_, _ = actors.Call(p, double, r, 1)
		}
	})
}

// BenchmarkSend is a message of a process to an actor, which keeps up.
func BenchmarkSend(b *testing.B) {
	inProcess(b, func(p *process.Proc, r actor.Ref[puppet]) {
		s := actors.Sender(p)
		for i := 0; b.Loop(); i++ {
			do.Send(s, r, nothing)
			if i%50 == 0 {
				p.Yield()
			}
		}
	})
}

func nothing(*puppet, *actor.Context) {}

// BenchmarkAskTo is a request of an actor to a process, by a process that waits in its place.
func BenchmarkAskTo(b *testing.B) {
	inProcess(b, func(p *process.Proc, r actor.Ref[puppet]) {
		ref := process.Spawn(p, func(self *process.Self[process.ReplyTo[int]]) {
			for {
				self.Receive().Reply(self, 1)
			}
		})
		s := actors.Sender(p)
		for b.Loop() {
			do.Send(s, r, func(_ *puppet, c *actor.Context) {
				actors.AskTo(c, ref, func(to process.ReplyTo[int]) process.ReplyTo[int] {
					return to
				}, quietly)
			})
			p.Yield()
		}
	})
}
