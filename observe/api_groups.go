package observe

import "github.com/gallop-go/gallop/internal/inspect"

type apiProcess struct {
	ID    uint64    `json:"id"`
	Type  string    `json:"type"`
	Names []string  `json:"names,omitempty"`
	Waits bool      `json:"waits"`
	On    string    `json:"on,omitempty"`
	For   *apiActor `json:"for,omitempty"`

	Asked  uint64 `json:"asked,omitempty"` // the process that it waits for
	Queued int    `json:"queued"`
	Line   string `json:"line,omitempty"` // the line of code that it is in
}

type apiProcessWaits struct {
	On    string `json:"on"` // empty: running, or about to run
	Count int    `json:"count"`
}

type apiProcesses struct {
	Seen      int               `json:"seen"`
	More      bool              `json:"more,omitempty"` // Seen is not all of them
	Waits     []apiProcessWaits `json:"waits"`
	Processes []apiProcess      `json:"processes"`
}

type apiGroup struct {
	Actor   apiActor `json:"actor"`
	What    string   `json:"what"`
	Of      string   `json:"of,omitempty"`
	Members int      `json:"members"`
	Down    int      `json:"down,omitempty"`
	Keys    int      `json:"keys,omitempty"`
	Silent  bool     `json:"silent,omitempty"` // it did not answer, so its figures are unknown
}

type apiGroups struct {
	Groups  []apiGroup `json:"groups"`
	LeftOut int        `json:"left_out,omitempty"`
}

func (p present) processes() apiProcesses {
	l := p.v.processes
	a := apiProcesses{Seen: l.Seen, More: l.More, Waits: []apiProcessWaits{},
		Processes: []apiProcess{}}
	for _, w := range l.Waits {
		a.Waits = append(a.Waits, apiProcessWaits(w))
	}
	for _, one := range l.Processes {
		a.Processes = append(a.Processes, p.process(one))
	}
	return a
}

func (p present) process(one inspect.Process) apiProcess {
	b := apiProcess{ID: one.ID, Type: p.name(one.Type), Waits: one.Waits, On: one.On,
		Asked: one.Asked, Queued: one.Queued, Line: one.At}
	for _, n := range one.Names {
		b.Names = append(b.Names, p.name(n))
	}
	if one.For.ID != 0 {
		to := p.actor(one.For)
		b.For = &to
	}
	return b
}

func (p present) groups() apiGroups {
	a := apiGroups{Groups: []apiGroup{}, LeftOut: p.v.groupsLeftOut}
	for _, g := range p.v.groups {
		a.Groups = append(a.Groups, apiGroup{p.actor(g.Actor), g.What, g.Of, g.Members, g.Down, g.Keys,
			g.Silent})
	}
	return a
}

// Up to these numbers, processes and groups are sampled at every tick; beyond them, as often as the
// census.
const (
	fewProcesses = 4000
	fewGroups    = 100
)

// withLines adds the lines of a look before, for processes that wait for the same as they did. Lines
// are looked at less often.
func withLines(now, before inspect.ProcessList) inspect.ProcessList {
	type wait struct {
		id uint64
		on string
	}
	lines := map[wait]string{}
	for _, p := range before.Processes {
		lines[wait{p.ID, p.On}] = p.At
	}
	for i := range now.Processes {
		if p := &now.Processes[i]; p.At == "" && p.Waits {
			p.At = lines[wait{p.ID, p.On}]
		}
	}
	return now
}

// sampleGroups looks at processes and groups.
func (t *toolbox) sampleGroups(s *sample) {
	all := t.ticks%censusEvery == 0
	if all || t.processes.Seen < fewProcesses {
		t.processes = withLines(inspect.Processes(t.sys, t.ticks%censusEvery == 0), t.processes)
	}
	if all || len(t.groups) < fewGroups {
		ctx, cancel := treeContext()
		defer cancel()
		t.groups, t.groupsLeftOut = inspect.Groups(ctx, t.sys, refsIn(s.trees, nil))
	}
	s.processes, s.groups, s.groupsLeftOut = t.processes, t.groups, t.groupsLeftOut
}
