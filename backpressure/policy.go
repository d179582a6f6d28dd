package backpressure

// Load says how an actor stands, as far as muting is concerned. Owned by the
// actor's runner.
type Load uint8

const (
	// Overloaded: its last turn ended with the batch spent and mail left, or more
	// waits than its high watermark allows.
	Overloaded Load = 1 << iota
	// Pressed: it has said itself that it wants no more (a slow socket).
	Pressed
	// Muted: it may not run before others have recovered.
	Muted
	// Spared: it was let go although somebody it waited for has not recovered, and
	// has not yet run all the mail that waited for it then.
	Spared
	// Counted: its mail is counted against watermarks. Never changes.
	Counted
	// Bounded: its mail waits in a queue of its own that has a limit, and its gate
	// is never open, so that every sender comes by. Never changes.
	Bounded
)

// MustShut tells whether senders to an actor in state l have to wait.
func (l Load) MustShut() bool { return l&(Overloaded|Pressed|Muted) != 0 }

// Lenient tells whether l is overloaded for having spent its batch and nothing else, so
// that senders whose messages are bounded in another way need not wait.
func (l Load) Lenient() bool { return l&(Overloaded|Pressed|Muted|Counted|Bounded) == Overloaded }

// MayBeMuted tells whether a sender in state l can be muted at all. One that is
// overloaded or pressed must go on: others wait for it to recover. One that was
// let go must run what it was let go for.
func (l Load) MayBeMuted() bool { return l&(Overloaded|Pressed|Spared) == 0 }
