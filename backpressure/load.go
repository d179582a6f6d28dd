package backpressure

// Load says how an actor stands, as far as muting is concerned. It is owned by the
// actor's runner.
type Load uint8

const (
	// Overloaded: the actor's last turn ended with the batch spent and mail left, or more
	// mail waits than its high watermark allows.
	Overloaded Load = 1 << iota
	// Pressed: the actor has said itself that it wants no more mail, as for a slow socket.
	Pressed
	// Muted: the actor may not run before others have recovered.
	Muted
	// Exempt: the actor was released although a receiver that it waited for has not recovered,
	// and it has not yet run all the mail that waited for it then.
	Exempt
	// Counted: the actor's mail is counted against watermarks. Never changes.
	Counted
	// Bounded: the actor's mail waits in a queue of its own that has a limit, and its gate
	// is never open, so that every sender comes by. Never changes.
	Bounded
	// Withheld: the actor has sent so much in urgent behaviours while it was muted, or could
	// not be, that its urgent mail waits too.
	Withheld
)

// MustShut reports whether senders to an actor with load l have to wait.
func (l Load) MustShut() bool { return l&(Overloaded|Pressed|Muted) != 0 }

// BatchOnly reports whether an actor with load l is overloaded only because it has spent
// its batch, so that senders whose messages are bounded in another way need not wait.
func (l Load) BatchOnly() bool { return l&(Overloaded|Pressed|Muted|Counted|Bounded) == Overloaded }

// OnlyMuted reports whether an actor with load l makes senders wait for no other reason
// than that it is muted. Such an actor takes more mail, up to a limit: see the package's
// README.
func (l Load) OnlyMuted() bool { return l&(Overloaded|Pressed|Muted) == Muted }

// MayBeMuted reports whether a sender with load l can be muted at all. A sender that is
// overloaded or pressed must go on: others wait for it to recover. One that was released
// must run what it was released for.
func (l Load) MayBeMuted() bool { return l&(Overloaded|Pressed|Exempt) == 0 }
