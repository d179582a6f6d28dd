package actor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/sched"
)

// foreignTask is a task of a scheduler that has no actors, such as that of processes.
type foreignTask struct {
	sched.Task
	f    func() error
	done chan error
}

func (k *foreignTask) RunTask(w *sched.Worker) (again bool) {
	k.done <- k.f()
	w.PrepareNext()
	return false
}

func (k *foreignTask) TaskTerminated(_ *sched.Worker, cause error) { k.done <- cause }

// TestForeignTask: "It panics if a behaviour or a process of any system calls it". A task that is
// neither counts as outside: it may ask, send and wait as a goroutine may.
func TestForeignTask(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	r := puppetType.Spawn(sys, puppet{})
	s, err := sched.New(sched.Config{Workers: 1})
	must(t, err)
	k := &foreignTask{done: make(chan error, 1), f: func() error {
		ctx := context.Background()
		_, asked := value.Ask(ctx, r, struct{}{})
		return errors.Join(count.SendWait(ctx, r, 1), asked, actor.StopWait(ctx, r))
	}}
	k.Init(k, nil)
	s.Inject(&k.Task)
	must(t, receive(t, "the turn", k.done))
	<-s.Stop()
}
