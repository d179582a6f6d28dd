package actor

// Standing is how an actor stands at one moment. It is a hint: by the time you have it,
// it may have changed, except for Ended, which stays.
type Standing int

// What an actor may be doing.
const (
	Idle Standing = iota // it has no mail
	Busy                 // it has mail, or is at work
	// Overloaded: it does not keep up, is muted with much mail, or is in a back-off.
	Overloaded
	// Ended: it takes no mail any more, since it has ended, or drains, or waits for its children to end.
	Ended
)

// String returns the name of the standing, in lower case.
func (s Standing) String() string {
	names := [...]string{"idle", "busy", "overloaded", "ended"}
	if s < 0 || int(s) >= len(names) {
		return "unknown"
	}
	return names[s]
}

// Standing returns how the actor stands. An actor with a bound is overloaded while its
// queue is full, it is muted, or it applies pressure. Standing panics for the zero Ref.
// It costs two loads and, for an actor with a bound, a short lock. Any goroutine.
func (r Ref[S]) Standing() Standing { return r.b.status() }

func (a *cell) status() Standing {
	if a == nil {
		panic("gallop: Standing of a zero Ref")
	}
	switch head := a.box.head.Load(); {
	case head == &closedMark || a.sys().sched.Stopping(): // of those that had no mail nobody closes the mailbox
		return Ended
	case !a.gate.IsOpen() && a.behind() || a.suspension() != nil:
		return Overloaded
	case head != nil:
		return Busy
	}
	return Idle
}
