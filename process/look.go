package process

import (
	"bytes"
	"fmt"

	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/sched"
)

// joinedSystem is a System as the system of actors sees it that it is joined to.
type joinedSystem System

var _ joint.Processes = (*joinedSystem)(nil)

// Unwind implements joint.Processes.
func (s *joinedSystem) Unwind() { (*System)(s).unwindAll() }

// EachProcess implements joint.Processes. The lock of a shard is held for most processes at a time,
// so that a million of them do not keep others from being started.
func (s *joinedSystem) EachProcess(most int, f func(joint.ProcessLook)) (more bool) {
	r := &s.registry
	mail := mostMail
	for i := range r.shards {
		s := &r.shards[i]
		all, left := make([]joint.ProcessLook, 0, 8), false
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
func (p *Proc) look() joint.ProcessLook {
	l := joint.ProcessLook{ID: p.id, Type: p.typeName(), Names: p.namesOf(), At: p.stackIn}
	st := p.state.Load()
	if st&parked == 0 {
		return l
	}
	l.Waits, l.On = true, p.waitText(st, "a process")
	if is := opIn(st); is == opReply || is == opMailbox {
		l.Asked = p.of.Load()
	}
	if on := p.on.Load(); on != nil && on.actor != nil {
		l.On, l.Of = on.what, on.actor
	}
	return l
}

// EachTimer implements joint.Processes.
func (s *joinedSystem) EachTimer(f func(joint.ProcessHolder)) {
	ts := &s.timers
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
		var h joint.ProcessHolder
		if p != nil {
			h = joint.ProcessHolder{Who: p.who(), On: p.waiting, At: p.stackIn}
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

// Stacks implements joint.Processes. The keys are the addresses of the coroutines.
func (*joinedSystem) Stacks() map[string][]byte {
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

// stackIn is the joint.StackIn of a process. Any goroutine: the coroutine is a pointer, and a hint.
//
//go:norace
//go:noinline
func (p *Proc) stackIn(stacks map[string][]byte) []byte {
	return stacks[fmt.Sprintf("%p", p.co)]
}

// RunningTask implements joint.Processes: see LongTurnOf.
//
//go:norace
//go:noinline
func (s *joinedSystem) RunningTask(task *sched.Task) (who joint.ProcessName, at joint.StackIn, ok bool) {
	if task.Class() != &s.class {
		return who, nil, false
	}
	p := procOf(task)
	return p.who(), p.stackIn, true
}

// LongTurnOf implements joint.Processes. It looks at a process that runs, whose fields are its own:
// so the race detector is told to look away. For a hint that is sound. The task was seen in its turn,
// long after it had been made; the number never changes, and the coroutine is a pointer.
//
//go:norace
//go:noinline
func (s *joinedSystem) LongTurnOf(task *sched.Task) (who joint.ProcessName, stack func() []byte, ok bool) {
	if task.Class() != &s.class {
		return who, nil, false
	}
	p := procOf(task)
	co := p.co
	return p.who(), func() []byte {
		return sched.StackWith(fmt.Sprintf(coroutineMark+"%p", co))
	}, true
}
