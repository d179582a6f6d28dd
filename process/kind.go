package process

// kind is what a process was spawned as.
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

// typeName is what reports call the process.
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

// WithType says of what type a process is, such as "saga": logs, reports of panics and of long turns,
// dead letters, [System.Blocked] and the live page have it in the place of "process", as they have the
// type of an actor. Any number of processes may have it. It panics if name is empty.
func WithType(name string) Option {
	if name == "" {
		misuse("WithType: the name is empty")
	}
	return typeOption(name)
}

type bestEffortOption struct{}

func (bestEffortOption) set(l *settings) { l.kind.bestEffort = true }

// WithBestEffort says that messages to the process may come too late, such as an acknowledgement that
// comes twice. Its dead letters are counted and given to hooks, with a mark, and are not logged, as
// those of a behaviour that is declared actor.BestEffort.
func WithBestEffort() Option { return bestEffortOption{} }
