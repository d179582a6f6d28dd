package actor

// extras is what only some actors need. Owner only, except what is read-only after the spawn.
// Anybody may read err once the box is closed, and reason once the lane is: they do not change
// then, nor does the pointer to the extras.
type extras struct {
	// Where it stands: lifecycle.go.
	reason  error // why it leaves, or has ended
	err     error // what those are told who send to it too late
	exitWhy error // what Context.Exit was called with
	fault   *fault
	phase   phase
	goal    goal     // what comes when it has left
	verb    verb     // how its children are stopped
	inTodo  uint8    // the greatest order that is in todo, as greatestIn has it, or notAsked
	inLane  uint8    // and in the lane, from toldTo on
	due     bool     // it has not been started
	down    bool     // it is not up: OnStop does not run
	waiting bool     // it waits for its children or its supervisor: a debt and a hold of its own
	resting bool     // it waits, but no longer with a hold: Postpone
	drained bool     // its mailbox is closed, and what is left of it is run
	over    bool     // nothing is left of it
	life    uint16   // how many lives it has had before, as far as its outcomes are concerned: see ask_life.go
	taken   bool     // its system took it along. Its reason does not say so: a user may give the same one
	tomb    bool     // all that is left of an actor that ended plainly: its lane may be open. Read-only
	linking bool     // it has called Link
	stashes bool     // it is a ward for its stash
	where   callback // that runs
	ward    int32    // why it is one: see wards
	guards  int32    // children that it supervises
	place   int      // among them; guarded by their lock

	todo  messageList // taken from the lane and not yet served
	held  messageList // urgent mail of a suspended actor
	stash messageList
	back  messageList // what the behaviour that runs has unstashed

	toldTo *message // the newest in the lane that told has looked at

	kid      *child // as a child; read-only
	children family
	sup      *supervision // read-only

	links    links
	watchers roster[monitor] // who watches it
	watching roster[monitor] // whom it watches
	trap     func(c *Context, b *body, e Exit)

	table    *table        // that of a Variant
	timers   timerKeeper   // nil: it has never armed one
	tick     *message      // of Every, that runs: what it owns is the timer's
	names    nameKeeper    // nil: it has none
	lifeOver chan struct{} // closed when the life ends, or the actor; nil: nobody waits for it
	deferred *lifeEnd      // of *deferrals; nil: it has never put a reply off
	inlets   any           // an *inlets, if it has ever called FromChan: not in a program that does not
}

// mine returns the actor's extras, and makes them at first. Owner only. It is called in
// fifty places and seldom, so it is not inlined.
//
//go:noinline
func (b *body) mine() *extras {
	if b.extra == nil {
		b.extra = new(extras)
	}
	return b.extra
}

// ticks tells whether m, which is about to run, is a tick of Every. Owner only.
func (b *body) ticks(m *message) bool { return b.extra != nil && b.extra.tick == m }

// plain tells whether an actor has nothing to see to at its end but its mail.
func (b *body) plain() bool { return b.extra == nil && b.kind().typ.onStop == nil }

// giveUpNamesAndTimers ends what ends with the actor and is known to others, its bridges too. Names
// go first, and all of it goes before the mailbox is closed: anyone that learns of the actor's end,
// by a dead letter, by ErrStopped or by a message, finds its names free. Owner only; it may be
// called again.
func (b *body) giveUpNamesAndTimers(r replier) {
	x := b.extra
	if x == nil || x.phase == ended {
		return
	}
	if x.names != nil {
		x.names.release(b)
		x.names = nil
	}
	if x.timers != nil {
		x.timers.end(r, b)
	}
	x.cutOff()
}
