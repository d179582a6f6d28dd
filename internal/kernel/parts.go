package kernel

// Part is a feature of an actor besides its mail, its load and its life: names, timers, a stash.
// The owner makes a part when the actor first needs it.
//
// The code of life.go knows no single part. It calls Ends of all parts at each stage of an end, and
// each part does its work for that stage. So a feature is ended in its own file, and has one line
// in the list of kinds.
//
// A part may also be awaited, or rooted: then its messages are roots of the actor's arena. The
// arena itself is no part. It lies in the cell like the state, so that an actor with an arena needs
// no cold state, which has 368 bytes.
//
// Rejected: a slice of the parts that the actor has. Reports look at the parts on other goroutines,
// where a slice may be seen with the length of one memory and the address of another.
type Part interface {
	// Ends is called at each stage of an end of the actor a. Owner only.
	//
	// why depends on the stage:
	//
	//   - atLeave: the cause for contexts;
	//   - atClose: nil;
	//   - atDiscard, atLifeEnd, atEnd: the error for senders and callers that come too late;
	//   - atNews: the reason of the end.
	Ends(a *Cell, e Env, at Ending, why error)
}

// awaited is a part that may be the reason why the system is not quiescent. holds calls note with a
// kind of waiting, in the words of Holder, and its number. It is for reports: any goroutine may
// call it, even on a nil part.
type awaited interface {
	holds(note func(what string, n int))
}

// PartKind is a kind of part. The parts of an actor end in the order of their kinds.
type PartKind uint8

// The kinds of parts, and their number.
const (
	ContextPart PartKind = iota
	NamesPart            // before all parts that tell others of the end, who may take the names
	TimersPart
	BridgesPart
	DeferralsPart
	LinksPart
	MonitorsPart
	StashPart
	VariantPart
	OutlivesPart
	PartKinds
)

// Ending is a stage on the way of an actor to an end.
//
//	it ends, or it drains before    atClose when the drain begins, atLeave, atClose, atDiscard,
//	                                atClose, atEnd, atNews
//	its system ends it              the same, without atLeave
//	it is suspended or restarted    atLeave, atLifeEnd
type Ending uint8

const (
	// atLeave: the actor leaves. Next its children are stopped, and OnStop runs.
	atLeave Ending = iota
	// atClose: the actor takes no more mail, since it drains or ends. Its mailbox is still open, so
	// other code cannot know this yet. This stage comes again after OnStop, which may make parts.
	atClose
	// atDiscard: the remaining mail becomes dead letters, the messages of the parts first. Then the
	// mailbox is closed.
	atDiscard
	// atLifeEnd: the actor is suspended or restarted. OnStop has run, and the mailbox stays open.
	atLifeEnd
	// atEnd: no code of the actor runs any more.
	atEnd
	// atNews: the actor has ended. Links, watchers and other observers are told.
	atNews
)

// endParts calls Ends of each part of an actor. x may be nil. Owner only.
func (x *Cold) endParts(a *Cell, e Env, at Ending, why error) {
	if x == nil {
		return
	}
	for i := range x.Parts {
		if p := x.Parts[i]; p != nil {
			p.Ends(a, e, at, why)
		}
	}
}

// PartOf returns the part of a kind, whose parts are *T. The first call makes it. Owner only.
func PartOf[T any, P interface {
	*T
	Part
}](x *Cold, kind PartKind) P {
	p, _ := x.Parts[kind].(P)
	if p == nil {
		p = new(T)
		x.Parts[kind] = p
	}
	return p
}

// closeParts is endParts for an actor that takes no more mail, unless it has ended. Owner only.
func (x *Cold) closeParts(a *Cell, e Env) {
	if x != nil && x.State != ended {
		x.endParts(a, e, atClose, nil)
	}
}
