package actor

// An actor has mail, a load and a life. All else that it may have is a part: names, timers, a stash.
// Its owner makes a part when the actor first needs one.
//
// The life of an actor does not know which parts there are. It tells all of them how far the actor
// has come on its way to an end, and each part does what its feature promises for that stage. So a
// feature ends in its own file, and has one line in the list of kinds.
//
// A part may also be awaited, or rooted: then its messages are roots of the actor's arena. The arena
// itself is no part. It lies in the cell like the state, so that an actor with an arena needs no
// cold state, which has 368 bytes.
//
// Rejected: a slice of the parts that the actor has. Reports look at the parts on other goroutines,
// where a slice may be seen with the length of one memory and the address of another.
type part interface {
	// ends is called at each stage of an end of the actor a. Owner only.
	//
	// why is the error for those who are too late at atDiscard, atLifeEnd and atEnd, the cause for
	// contexts at atLeave, the reason of the end at atNews, and nil at atClose.
	ends(a *cell, e env, at ending, why error)
}

// awaited is a part for which others wait. holds calls note with what waits, in the words of
// [Holder], and how many there are. It is for reports: any goroutine may call it, of a nil part too.
type awaited interface {
	holds(note func(what string, n int))
}

// partKind is a kind of part. The parts of an actor end in the order of their kinds.
type partKind uint8

const (
	contextPart partKind = iota
	namesPart            // before all that tells others of the end: they may take the names
	timersPart
	bridgesPart
	deferralsPart
	linksPart
	monitorsPart
	stashPart
	variantPart
	outlivesPart
	partKinds
)

// ending is how far an actor has come on its way to an end.
//
//	it ends, or it drains before    atClose when the drain begins, atLeave, atClose, atDiscard,
//	                                atClose, atEnd, atNews
//	its system ends it              the same, without atLeave
//	it is suspended or restarted    atLeave, atLifeEnd
type ending uint8

const (
	// atLeave: it leaves. Its children are to be stopped and OnStop is to run.
	atLeave ending = iota
	// atClose: it takes no more mail, since it drains or ends. Its mailbox is still open, so no
	// other code has learned of that. It comes again after OnStop, which may make parts.
	atClose
	// atDiscard: the mail that is left becomes dead letters, beginning with those of its parts. Then
	// its mailbox is closed.
	atDiscard
	// atLifeEnd: it is suspended or restarted. OnStop has run, and the mailbox stays open.
	atLifeEnd
	// atEnd: nothing of it runs any more.
	atEnd
	// atNews: it has ended. Those who want to know are told.
	atNews
)

// endParts tells the parts of an actor how far its end has come. x may be nil. Owner only.
func (x *coldState) endParts(a *cell, e env, at ending, why error) {
	if x == nil {
		return
	}
	for i := range x.parts {
		if p := x.parts[i]; p != nil {
			p.ends(a, e, at, why)
		}
	}
}

// closeParts is endParts for an actor that takes no more mail, unless it has ended. Owner only.
func (x *coldState) closeParts(a *cell, e env) {
	if x != nil && x.state != ended {
		x.endParts(a, e, atClose, nil)
	}
}
