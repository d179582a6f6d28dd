package backpressure

// Load is the state of an actor with regard to muting. The actor's runner owns it.
type Load uint8

const (
	// Overloaded: the actor's last turn ended with the batch spent and mail left, or more
	// mail waits than its high watermark allows.
	Overloaded Load = 1 << iota
	// Pressed: the actor has declared that it wants no more mail, for example because of a slow
	// socket.
	Pressed
	// Muted: the actor may not run before others have recovered.
	Muted
	// Exempt: the actor was released although a receiver that it waited for has not recovered. It
	// keeps this bit until it has run the mail that waited for it then.
	Exempt
	// Counted: the actor's mail is counted against watermarks. Never changes.
	Counted
	// Bounded: the actor's mail waits in a queue with a limit. Its gate is never open, so that
	// every sender enters it. Never changes.
	Bounded
	// Withheld: the actor has sent so much in urgent behaviours, while it was muted or could not be
	// muted, that its urgent mail waits too.
	Withheld
)

// MustShut reports whether senders to an actor with load l have to wait.
func (l Load) MustShut() bool { return l&(Overloaded|Pressed|Muted) != 0 }

// BatchOnly reports whether an actor with load l is overloaded only because it has spent its batch.
// Senders whose messages are bounded in another way need not wait then.
func (l Load) BatchOnly() bool { return l&(Overloaded|Pressed|Muted|Counted|Bounded) == Overloaded }

// OnlyMuted reports whether muting is the only reason for which an actor with load l makes senders
// wait. Such an actor takes more mail, up to a limit: see the package's README.
func (l Load) OnlyMuted() bool { return l&(Overloaded|Pressed|Muted) == Muted }

// MayBeMuted reports whether a sender with load l can be muted at all. An overloaded or pressed
// sender must go on, since others wait for it to recover. An exempt sender must run the mail for
// which it was released.
func (l Load) MayBeMuted() bool { return l&(Overloaded|Pressed|Exempt) == 0 }
