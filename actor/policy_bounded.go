package actor

import "fmt"

// Overflow says what becomes of a message to an actor whose mailbox is at its bound.
type Overflow uint8

const (
	// OverflowMute takes the message in and mutes its sender until half of the mailbox is
	// free. The other two policies, and TrySend, are hard bounds; this one is not. The
	// mailbox exceeds its bound by what behaviours send that have met it, and without limit
	// by what is sent by those who are never muted: an actor that is overloaded or under
	// pressure itself, one that has supervised children, and the receiver. From outside of
	// behaviours, where nobody can be muted, OverflowMute refuses the message.
	OverflowMute Overflow = iota
	// OverflowRefuse makes a dead letter of the message, with ErrOverloaded.
	OverflowRefuse
	// OverflowDropOldest makes a dead letter, with ErrDropped, of the message that has
	// waited longest. The new message is not refused.
	OverflowDropOldest
)

// mailBound is a type's bound; zero: none.
type mailBound struct {
	limit    int
	overflow Overflow
	keeper   boundKeeper
}

// TypeBound bounds the mailbox of every actor of this type: at most limit messages wait
// for their turn, and overflow says what becomes of the others, of which OverflowMute
// takes in some. Besides these, up to a batch may have been taken out for the turn that
// runs. TypeBound panics if limit is less than 1 or overflow is none of the three.
//
//   - TrySend refuses at the bound, whatever overflow says. SendWait waits for room.
//     Ask does not: it returns ErrOverloaded at once.
//   - The actor is not overloaded for spending its batch, but while its queue is full or
//     it applies pressure. While it is muted it takes mail up to the bound.
//   - Ticks of timers and results of [Pipe] do not wait in the queue: they run behind
//     the messages that have been taken out of it, before those that are still in it.
//     Answers to [AskTo] do wait in the queue; one that finds it full is refused, or
//     drops another message, as any message would.
//   - Messages to the actor may hold no handles of package heap: if those of one of its
//     behaviours do, [Context.Heap] panics in it. The actor's state may hold handles.
//
// Sends to the actor take a lock, which costs one locked instruction more than other
// sends.
func TypeBound(limit int, overflow Overflow) TypeOption {
	if limit < 1 || overflow > OverflowDropOldest {
		panic(fmt.Sprintf("gallop: TypeBound(%d, %d): want at least 1, and OverflowMute, OverflowRefuse or OverflowDropOldest", limit, overflow))
	}
	return func(t *typeInfo) { t.bound = mailBound{limit: limit, overflow: overflow} }
}
