package process

import (
	"fmt"
	"slices"
)

// Blocked is a process that waits for another.
type Blocked struct {
	// Process is the process.
	Process Process
	// On is the object of its wait, like "receive", "channel send", "mutex", "reply of depot#3" or
	// "select of channel receive, end of process 7".
	On string
	// Names are the names that it has.
	Names []string
}

// String describes the process and its wait.
func (b Blocked) String() string {
	if len(b.Names) > 0 {
		return fmt.Sprintf("%v %q waits: %s", b.Process, b.Names, b.On)
	}
	return fmt.Sprintf("%v waits: %s", b.Process, b.On)
}

// Blocked returns the processes that wait, in the order in which they were started on each worker.
// When the system is quiet, they are blocked for ever, unless a goroutine outside helps. A process
// that no other can reach is kept, and listed, until the system stops.
func (s *System) Blocked() []Blocked {
	s.mustBeReady("Blocked")
	choiceHere("Blocked")
	var out []Blocked
	s.registry.each(func(p *Proc) {
		if st := p.state.Load(); st&parked != 0 {
			out = append(out, Blocked{Process{p}, p.waitsOn(st), p.namesOf()})
		}
	})
	slices.SortFunc(out, func(a, b Blocked) int { return int(a.Process.ID()) - int(b.Process.ID()) })
	return out
}

func (p *Proc) namesOf() []string {
	l := p.life.Load()
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.names)
}
