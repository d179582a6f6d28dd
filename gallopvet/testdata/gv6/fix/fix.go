// Package fix has what GV6 can put right.
package fix

import (
	"os/exec"
	"time"

	"github.com/gallop-go/gallop/actor"
)

type worker struct{ err error }

// Run waits.
func (s *worker) Run(c *actor.Context, again bool) {
	time.Sleep(time.Second) // want `time.Sleep waits`
	var err error
	err = exec.Command("true").Run() // want `os/exec.Cmd.Run waits`
	s.err = err
	if again {
		s.err = exec.Command("true").Run() // want `os/exec.Cmd.Run waits`
	}
	if err := exec.Command("true").Run(); err != nil { // want `os/exec.Cmd.Run waits`
		s.err = err
	}
	out, _ := exec.Command("true").Output() // want `os/exec.Cmd.Output waits`
	_ = out
}

// Unnamed has no name for the context.
func (s *worker) Unnamed(*actor.Context, bool) {
	time.Sleep(time.Second) // want `time.Sleep waits`
}

var (
	workerType = actor.NewType[worker]("worker")
	run        = actor.Declare[bool](workerType, "run")
	unnamed    = actor.Declare[bool](workerType, "unnamed")
	_          = workerType.Table(run.Handle((*worker).Run), unnamed.Handle((*worker).Unnamed))
)
