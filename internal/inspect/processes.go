package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Process describes a process (package process) at one moment.
type Process struct {
	ID    uint64   // its number, as in its Ref
	Type  string   // the argument of process.WithType, or "process"
	Names []string // its registered names
	// Waits is set while the process waits, and On is the kind of object: for example "receive",
	// "channel send", "mutex", "sleep" or "reply of". A process that does not wait runs, or is
	// about to.
	Waits  bool
	On     string
	Queued int // messages in its mailbox, counted up to MaxQueued
	// At is the line that it waits in, as a function and a place; "" if that is not known.
	At string
	// Asked is the process that it waits for, if On is "reply of" a process or "full mailbox";
	// otherwise 0.
	Asked uint64
	// For is the actor that it waits for, if On is "reply of" or "overload of"; otherwise zero.
	For Actor
}

// String describes the process and its wait.
func (p Process) String() string {
	typ := cmp.Or(p.Type, "process")
	switch {
	case !p.Waits:
		return fmt.Sprintf("%s#%d runs", typ, p.ID)
	case p.For.ID != 0:
		return fmt.Sprintf("%s#%d waits: %s %v", typ, p.ID, p.On, p.For)
	}
	return fmt.Sprintf("%s#%d waits: %s", typ, p.ID, p.On)
}

// ProcessWaits is the number of processes that wait for the same kind of object.
type ProcessWaits struct {
	On    string // as in [Process]; "" for processes that run, or are about to
	Count int    // of processes
}

// ProcessGroup is a number of processes of one type, or one process that others ask.
type ProcessGroup struct {
	Type  string
	ID    uint64 // 0: of the type
	Count int
}

// ProcessList is the result of [Processes].
type ProcessList struct {
	Seen int  // processes examined
	More bool // there are more, which were not examined
	// Waits counts the processes by the kind of object they wait for, the most frequent first.
	Waits []ProcessWaits
	// Types counts the processes by type, without those that wait for another process. Asked counts
	// the latter by the process that they wait for. Both have the most frequent ones first, ten at
	// most.
	Types, Asked []ProcessGroup
	// Processes are up to 500 of them: first the processes with a name or with much mail, each part
	// sorted by number.
	Processes []Process
}

// mostProcesses is how many processes are examined in each of the sixteen parts of the system's
// list. processesShown is how many of them are described.
const (
	mostProcesses  = 4096
	processesShown = 500
)

// queuedMuch is the number of messages with which a process is described in any case.
const queuedMuch = 100

// Processes looks at the processes that were joined to the system (package process/actors). It
// examines up to 4,096 in each of the sixteen parts of the list, the newest first, and takes about
// 100 ns for each. Their waits are hints while the system works. With lines it also says in which
// line each of the described ones is, if the program has at most 500 goroutines. That stops the
// program for two microseconds for each goroutine.
func Processes(sys *actor.System, lines bool) ProcessList {
	in := of(sys)
	processes := in.Processes()
	if processes == nil {
		return ProcessList{}
	}
	var l ProcessList
	var looks []joint.ProcessLook
	counts, types, asked, named := map[string]int{}, map[string]int{}, map[uint64]int{}, map[uint64]string{}
	l.More = processes.EachProcess(mostProcesses, func(p joint.ProcessLook) {
		l.Seen++
		counts[p.On]++
		if named[p.ID] = p.Type; p.Asked != 0 {
			asked[p.Asked]++
		} else {
			types[p.Type]++
		}
		if len(p.Names) > 0 || p.Queued >= queuedMuch || len(looks) < processesShown {
			looks = append(looks, p)
		}
	})
	for typ, n := range types {
		l.Types = append(l.Types, ProcessGroup{Type: typ, Count: n})
	}
	for id, n := range asked {
		l.Asked = append(l.Asked, ProcessGroup{Type: named[id], ID: id, Count: n})
	}
	l.Types, l.Asked = mostOfGroups(l.Types), mostOfGroups(l.Asked)
	for on, n := range counts {
		l.Waits = append(l.Waits, ProcessWaits{on, n})
	}
	slices.SortFunc(l.Waits, func(a, b ProcessWaits) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.On, b.On))
	})
	first := func(p joint.ProcessLook) int { return min(len(p.Names)+p.Queued/queuedMuch, 1) }
	slices.SortFunc(looks, func(a, b joint.ProcessLook) int {
		return cmp.Or(cmp.Compare(first(b), first(a)), cmp.Compare(a.ID, b.ID))
	})
	var stacks map[string][]byte
	if lines && len(looks) > 0 {
		stacks = processes.Stacks()
	}
	for _, p := range looks[:min(len(looks), processesShown)] {
		l.Processes = append(l.Processes, processOf(p, stacks))
	}
	return l
}

// FindProcess returns the process with a number and, if the program has at most 500 goroutines, its
// stack. It examines as many processes as [Processes].
func FindProcess(sys *actor.System, id uint64) (p Process, stack string, ok bool) {
	processes := of(sys).Processes()
	if processes == nil {
		return Process{}, "", false
	}
	var found joint.ProcessLook
	processes.EachProcess(mostProcesses, func(l joint.ProcessLook) {
		if l.ID == id {
			found, ok = l, true
		}
	})
	if !ok {
		return Process{}, "", false
	}
	stacks := processes.Stacks()
	if len(stacks) > 0 {
		stack = string(found.At(stacks))
	}
	return processOf(found, stacks), stack, true
}

func mostOfGroups(all []ProcessGroup) []ProcessGroup {
	slices.SortFunc(all, func(a, b ProcessGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID))
	})
	return all[:min(len(all), 10)]
}

func processOf(l joint.ProcessLook, stacks map[string][]byte) Process {
	p := Process{ID: l.ID, Type: l.Type, Names: l.Names, Waits: l.Waits, On: l.On,
		Queued: l.Queued, Asked: l.Asked}
	if len(stacks) > 0 {
		p.At = UserFrame(l.At(stacks))
	}
	if to, ok := l.Of.(kernel.AnyRef); ok && !to.IsZero() {
		p.For = Describe(actor.AnyRef(to))
	}
	return p
}
