package actors

import (
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/supervise"
)

// Child declares a process as a child of a supervisor: at each start, f runs in a new process. Set
// the restart type and similar fields in the returned value. The child fails if f panics or its
// process ends for an error. It ends normally if f returns: then a supervise.Permanent child is
// started again and a supervise.Transient one is not.
//
// When the child is told to end, the process is cancelled. It is killed if it has not unwound
// within the given time; 0 stands for 5 seconds. That replaces the deadline of supervise.Shutdown.
// Other code finds the current process by a name that f gives it ([process.Register]). Child panics
// if f is nil or an option is wrong, as process.Spawn does.
func Child[M any](name string, within time.Duration,
	f func(self *process.Self[M]), options ...process.Option) supervise.Worker[Proxy] {
	if f == nil {
		panic("gallop: actors: Child: f is nil")
	}
	options = slices.Clone(options)
	process.ForActors{}.CheckOptions("actors.Child", options)
	if within == 0 {
		within = defaultWithin
	}
	start := func(c *actor.Context) process.Process { return process.Spawn(Env(c), f, options...).Process }
	return supervise.Worker[Proxy]{Name: name, Type: ofChildren.typ,
		Stop: supervise.StopWithin(supervise.Forever),
		Init: func(p *Proxy) { *p = Proxy{start: start, within: within} }}
}
