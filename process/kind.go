package process

// kind has the type and the mark that a process was spawned with.
type kind struct {
	typ        string // "": none
	bestEffort bool
}

// kindOf returns the kind of a process that was spawned without options, or of p.
func (p *Proc) kindOf() kind {
	if p.kind == nil {
		return kind{}
	}
	return *p.kind
}

// typeName is the name of the process's type in reports.
func (p *Proc) typeName() string {
	if k := p.kindOf(); k.typ != "" {
		return k.typ
	}
	return "process"
}

type typeOption string

func (o typeOption) set(l *settings) {
	if l.kind.typ != "" {
		l.wrong = "two types"
	}
	l.kind.typ = string(o)
}

// WithType gives a process a type, such as "saga". The type replaces "process" in logs, reports of
// panics and of long turns, dead letters, [System.Blocked] and the live page. Any number of
// processes may have the same type. WithType panics if name is empty.
func WithType(name string) Option {
	if name == "" {
		misuse("WithType: the name is empty")
	}
	return typeOption(name)
}

type bestEffortOption struct{}

func (bestEffortOption) set(l *settings) { l.kind.bestEffort = true }

// WithBestEffort marks a process to which messages may come too late, such as a second
// acknowledgement. Its dead letters are counted and given to hooks, with a mark, and are not
// logged, like the dead letters of a behaviour declared actor.BestEffort.
func WithBestEffort() Option { return bestEffortOption{} }
