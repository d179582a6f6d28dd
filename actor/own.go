package actor

// The first rows of every table are the runtime's own. Their messages are found and
// run like any other, so that the loop need not know them; they are never dead
// letters.
const (
	firedID = iota // the message of After
	tickID         // a message of Every
	userIDs        // from here on the type's own
)

var ownDecls = []*declaration{
	firedID: {name: "(timer)", id: firedID, run: runFired},
	tickID:  {name: "(tick)", id: tickID, run: runTick},
}

// isOwn tells whether a message is the runtime's own.
func isOwn(id uint16) bool { return id < userIDs || id == stopID }
