package actor

import (
	"fmt"

	"github.com/gallop-go/gallop/internal/kernel"
)

// The mailbox of an actor takes messages from any goroutine, in the order in which each sender has sent
// them, and gives them to one turn at a time. It has no bound unless [WithBound] sets one. [StatusOf]
// says whether the actor keeps up, and [WithWatermarks] when it does not. The machinery is in
// internal/kernel/mpsc (the queues), internal/kernel/policy.go and policy_bounded.go (bounds and
// watermarks), and internal/kernel/mute.go (senders that have to wait).

// Overflow selects how an actor whose mailbox is at its bound treats a further message.
type Overflow uint8

const (
	// OverflowMute takes the message in and mutes its sender until half of the mailbox is
	// free. The other two policies, and TrySend, are hard bounds; this one is not. A sender
	// is muted after its behaviour returns, and its messages until then exceed the bound.
	// Some senders are never muted, and exceed the bound without limit:
	//
	//   - an actor that is overloaded or under pressure itself;
	//   - an actor that has supervised children;
	//   - the receiver.
	//
	// Senders outside of behaviours cannot be muted. OverflowMute refuses their messages.
	OverflowMute Overflow = iota
	// OverflowRefuse makes a dead letter of the message, with ErrOverloaded.
	OverflowRefuse
	// OverflowDropOldest makes dead letters, with ErrDropped, of the messages that have waited
	// longest. The new message is not refused. The actor does this at the beginning of each turn.
	// Between two turns the mailbox takes twice its bound. From then on, each new message replaces
	// the newest message before it. So the newest message is always among the messages that run.
	// Messages of the actor to itself are taken in at any fill level, and count at its next turn.
	OverflowDropOldest
)

// WithBound bounds the mailbox of every actor of this type: at most limit messages wait
// for their turn. overflow decides about further messages; OverflowMute takes in some of
// them. Besides these, up to a batch may have been taken out for the turn that runs.
// WithBound panics if limit is less than 1 or overflow is none of the three.
//
//   - TrySend refuses at the bound with every overflow policy. SendWait waits for room.
//     Ask waits for room if its context comes from [WaitForRoom]; otherwise it returns
//     ErrOverloaded at once. Urgent requests need no room.
//   - The actor is not overloaded for spending its batch, but while its mailbox is full or
//     it applies pressure. While it is muted it takes mail up to the bound.
//   - Only messages from others, and to itself, count. Ticks of timers, results of [Pipe]
//     and answers to [AskTo] wait in the mailbox like all mail, but take no room there, are
//     never refused, and make room for no other message.
//
// A message to the actor costs one locked instruction more than to another, and a turn
// three.
func WithBound(limit int, overflow Overflow) TypeOption {
	if limit < 1 || overflow > OverflowDropOldest {
		panic(fmt.Sprintf("gallop: WithBound(%d, %d): want at least 1, and OverflowMute, "+
			"OverflowRefuse or OverflowDropOldest", limit, overflow))
	}
	return typeOption(func(t *kernel.TypeInfo) {
		t.Bound = kernel.MailBound{Limit: limit, Overflow: kernel.Overflow(overflow)}
	})
}

// WithWatermarks sets by two numbers when actors of this type are overloaded: from high
// waiting messages on, until no more than low are left. Without it, an actor is
// overloaded when it has not emptied its mailbox in a turn. While an actor is muted, it
// takes high messages before it mutes its senders. WithWatermarks panics unless
// 0 ≤ low < high.
//
// The actor counts its mail at the end of each of its turns; a send pays nothing. So
// the mailbox may exceed high by the messages that are sent during one turn, or while
// the actor waits for a turn.
func WithWatermarks(high, low int) TypeOption {
	if low < 0 || low >= high {
		panic(fmt.Sprintf("gallop: WithWatermarks(%d, %d): want 0 ≤ low < high", high, low))
	}
	return typeOption(func(t *kernel.TypeInfo) { t.Marks = kernel.Limits{High: high, Low: low} })
}
