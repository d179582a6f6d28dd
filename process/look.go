package process

import (
	"bytes"
	"fmt"

	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/sched"
)

func init() {
	access.EachProcess = eachProcess
	access.TimersOf = timersOf
	access.RunningTask = runningTask
	access.StacksOfProcesses = stacksOfProcesses
}

// eachProcess is access.EachProcess. The lock of a shard is held for most processes at a time, so
// that a million of them do not keep others from being started.
func eachProcess(processes any, most int, f func(access.ProcessLook)) (more bool) {
	r := &processes.(*System).registry
	mail := mostMail
	for i := range r.shards {
		s := &r.shards[i]
		all, left := make([]access.ProcessLook, 0, 8), false
		s.mu.Lock()
		for p := s.first; p != nil; p = p.next {
			if len(all) == most {
				left = true
				break
			}
			one := p.look()
			one.Queued = p.peekMail(min(mail, mostMailOfOne))
			mail -= one.Queued
			all = append(all, one)
		}
		s.mu.Unlock()
		more = more || left
		for _, l := range all {
			f(l)
		}
	}
	return more
}

// A look at all processes counts so many messages in all, and of one process.
const (
	mostMail      = 100_000
	mostMailOfOne = 1000
)

// peekMail counts messages in the mailbox, as a hint. The caller holds the lock of the process's
// shard, so that the process has its runner still.
//
//go:norace
//go:noinline
func (p *Proc) peekMail(most int) int { return p.run.peekMail(most) }

// look looks at a process. The caller holds the lock of its shard.
func (p *Proc) look() access.ProcessLook {
	l := access.ProcessLook{ID: p.id, Type: p.typeName(), Names: p.namesOf(), At: p.stackIn}
	st := p.state.Load()
	if st&parked == 0 {
		return l
	}
	l.Waits, l.On = true, p.waitText(st, "a process")
	if is := opIn(st); is == opReply || is == opMailbox {
		l.Asked = p.of.Load()
	}
	if on := p.on.Load(); on != nil {
		if _, many := on.of.(waitNames); !many {
			l.On, l.Of = on.what, on.of
		}
	}
	return l
}

// timersOf is access.TimersOf.
func timersOf(processes any, f func(access.ProcessHolder)) {
	ts := &processes.(*System).timers
	if !ts.holds {
		return
	}
	ts.mu.Lock()
	all := make([]*Proc, len(ts.heap))
	for i, t := range ts.heap {
		if all[i] = t.kills; t.pt != nil {
			all[i] = t.pt.proc
		}
	}
	ts.mu.Unlock()
	for _, p := range all {
		var h access.ProcessHolder
		if p != nil {
			h = access.ProcessHolder{Who: p.who(), On: p.waiting, At: p.stackIn}
		}
		f(h)
	}
}

// waiting describes the wait of a process; "" if it does not wait. Any goroutine.
func (p *Proc) waiting() string {
	st := p.state.Load()
	if st&parked == 0 {
		return ""
	}
	return p.waitsOn(st)
}

const coroutineMark = "process.(*coroutine).loop("

// stacksOfProcesses is access.StacksOfProcesses. The keys are the addresses of the coroutines.
func stacksOfProcesses() map[string][]byte {
	all := map[string][]byte{}
	for _, one := range bytes.Split(sched.Stacks(), []byte("\n\n")) {
		if _, after, ok := bytes.Cut(one, []byte(coroutineMark)); ok {
			if n := bytes.IndexAny(after, ",)?"); n > 0 {
				all[string(after[:n])] = one
			}
		}
	}
	return all
}

// stackIn returns the stack of a process, out of those that stacksOfProcesses has returned. Any
// goroutine: the coroutine is a pointer, and a hint.
//
//go:norace
//go:noinline
func (p *Proc) stackIn(stacks map[string][]byte) []byte {
	return stacks[fmt.Sprintf("%p", p.co)]
}

// runningTask is access.RunningTask: see longTurnOf.
//
//go:norace
//go:noinline
func runningTask(processes, task any) (who access.ProcessName,
	at func(stacks map[string][]byte) []byte, ok bool) {
	t := task.(*sched.Task)
	if t.Class() != &processes.(*System).class {
		return who, nil, false
	}
	p := procOf(t)
	return p.who(), p.stackIn, true
}
