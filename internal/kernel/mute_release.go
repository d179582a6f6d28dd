package kernel

import (
	"slices"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// ReleaseAtOnce bounds how many entries of wait lists a turn deals with, in some tens of
// microseconds. A receiver that recovers may have made tens of thousands of senders wait. It is a
// variable for explorations alone.
var ReleaseAtOnce = 256

// waitLists are wait lists that were opened, and whose entries are yet to be unblocked. They belong
// to the goroutine that opened them, or to a laterRelease.
type waitLists []*backpressure.Waiter[Waiting]

// release unblocks all actors in a wait list that was opened, oldest first: a part of them at once,
// and the rest in turns of its own. An actor that no other gate holds back runs again, and first
// opens its own gate. Its waiters are appended to the list, so the chain needs no recursion.
func release(e Env, list *backpressure.Waiter[Waiting]) {
	if list == nil {
		return
	}
	sys := list.Who.Muted.Sys()
	first := [4]*backpressure.Waiter[Waiting]{list}
	if rest := waitLists(first[:1]).release(e, ReleaseAtOnce); len(rest) > 0 {
		later := &laterRelease{sys: sys, rest: slices.Clone(rest)}
		later.task.Init(later, nil)
		sys.Sched.Inject(&later.task)
	}
}

// release unblocks at most the given number of entries, oldest first, and returns the rest (G2).
func (l waitLists) release(e Env, most int) (rest waitLists) {
	for ; most > 0 && len(l) > 0; most-- {
		w := l[0]
		if l[0] = w.Next(); l[0] == nil {
			l = l[1:]
		}
		a, to := w.Who.Muted, w.Who.to
		keepWaiter(e, w)
		if a.BlockedOn.Unblock() {
			if behind := a.unmute(e, to); behind != nil {
				l = append(l, behind)
			}
		}
	}
	return l
}

// laterRelease is the rest of wait lists of which a turn has unblocked a part. It is a task, so it
// has its turns as actors have, and other actors have turns in between. It alone has its entries,
// and a task is run or terminated: so each entry is unblocked exactly once.
//
// Rejected: to leave the rest in the gate, for the receiver's next turn. The gate would have to be
// shut meanwhile, or senders that enter later would come first; and a receiver that has ended has
// no next turn.
type laterRelease struct {
	task  sched.Task
	sys   *System
	rest  waitLists
	ended seam.Uint32
}

// RunTask implements sched.Runner. Actors are made runnable from outside: they wait where all
// workers look.
func (r *laterRelease) RunTask(w *sched.Worker) (again bool) {
	if r.rest = r.rest.release(r.sys, ReleaseAtOnce); len(r.rest) > 0 {
		return true
	}
	w.PrepareNext()
	r.ended.Add(1) // the read-modify-write that gives the task up
	return false
}

// TaskTerminated implements sched.Runner: the system has stopped, and ends the actors that are made
// runnable.
func (r *laterRelease) TaskTerminated(*sched.Worker, error) {
	for len(r.rest) > 0 {
		r.rest = r.rest.release(r.sys, ReleaseAtOnce)
	}
}
