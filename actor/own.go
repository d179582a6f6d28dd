package actor

// The first rows of every table are the runtime's own. Their messages are found and run like any
// other, so that the loop need not know them; they are never dead letters. They have no names, so
// they take none from the user's behaviours, which must have names.
const (
	systemID   = iota // a signal's: see signal.go
	firedID           // a timer's
	permitID          // SendWait's messages before this one have run
	lookID            // mail has come in to an empty bounded queue
	deadlockID        // somebody has waited for long because of applied pressure
	carriedID         // a message of the user's with a context: see carried.go
	userIDs           // from here on the type's own
)

var ownDescs = []*descriptor{
	systemID:   systemDesc,
	firedID:    {id: firedID, run: func(c *Context, a *cell, m *message) { a.cold.timers.fired(c, a, m) }},
	permitID:   permitDecl,
	lookID:     lookDesc,
	deadlockID: deadlockDecl,

	carriedID: carriedDesc,
}

// isOwn reports whether a message is the runtime's own.
func isOwn(id uint16) bool { return id < userIDs }

// isMail reports whether a message is the user's, with a context or without.
func isMail(id uint16) bool { return id >= carriedID }

// placeOf is the number that a behaviour has in its type's table for the user: from 1;
// 0 if it is the runtime's own.
func placeOf(id uint16) uint16 {
	if isOwn(id) {
		return 0
	}
	return id - userIDs + 1
}
