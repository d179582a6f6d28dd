package backpressure

// Load says how an actor stands, as far as muting is concerned. Owned by the
// actor's runner.
type Load uint8

const (
	// Overloaded: its last turn ended with the batch spent and mail left.
	Overloaded Load = 1 << iota
	// Pressed: it has said itself that it wants no more (a slow socket).
	Pressed
	// Muted: it may not run before others have recovered.
	Muted
)

// MustShut tells whether an actor in state l keeps its gate shut.
func (l Load) MustShut() bool { return l != 0 }

// MayBeMuted tells whether a sender in state l can be muted at all. One that is
// overloaded or pressed must go on: others wait for it to recover.
func (l Load) MayBeMuted() bool { return l&(Overloaded|Pressed) == 0 }
