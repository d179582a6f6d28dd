package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
)

// Process describes a process (package process) at one moment.
type Process struct {
	ID    uint64   // its number, as in its Ref
	Type  string   // the argument of process.WithType, or "process"
	Names []string // its registered names
	// Waits is set while the process waits, and On is the kind of object: for example "receive",
	// "channel send", "mutex", "sleep" or "reply of". A process that does not wait runs, or is
	// about to.
	Waits bool
	On    string
	// At is the line that it waits in, as a function and a place; "" if that is not known.
	At string
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

// ProcessList is the result of [Processes].
type ProcessList struct {
	Seen int  // processes examined
	More bool // there are more, which were not examined
	// Waits counts the processes by the kind of object they wait for, the most frequent first.
	Waits []ProcessWaits
	// Processes are up to 500 of them: first the processes with a name, each part sorted by number.
	Processes []Process
}

// mostProcesses is how many processes are examined in each of the sixteen parts of the system's
// list. processesShown is how many of them are described.
const (
	mostProcesses  = 4096
	processesShown = 500
)

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
	var looks []access.ProcessLook
	counts := map[string]int{}
	l.More = access.EachProcess(processes, mostProcesses, func(p access.ProcessLook) {
		l.Seen++
		counts[p.On]++
		if len(p.Names) > 0 || len(looks) < processesShown {
			looks = append(looks, p)
		}
	})
	for on, n := range counts {
		l.Waits = append(l.Waits, ProcessWaits{on, n})
	}
	slices.SortFunc(l.Waits, func(a, b ProcessWaits) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.On, b.On))
	})
	slices.SortFunc(looks, func(a, b access.ProcessLook) int {
		return cmp.Or(cmp.Compare(min(len(b.Names), 1), min(len(a.Names), 1)), cmp.Compare(a.ID, b.ID))
	})
	var stacks map[string][]byte
	if lines && len(looks) > 0 {
		stacks = access.StacksOfProcesses()
	}
	for _, p := range looks[:min(len(looks), processesShown)] {
		l.Processes = append(l.Processes, processOf(p, stacks))
	}
	return l
}

func processOf(l access.ProcessLook, stacks map[string][]byte) Process {
	p := Process{ID: l.ID, Type: l.Type, Names: l.Names, Waits: l.Waits, On: l.On}
	if len(stacks) > 0 {
		p.At = access.UserFrame(l.At(stacks))
	}
	switch to := l.Of.(type) {
	case actor.AnyRef:
		p.For = Describe(to)
	case interface{ Any() actor.AnyRef }:
		p.For = Describe(to.Any())
	}
	return p
}
