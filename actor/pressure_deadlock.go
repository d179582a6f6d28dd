package actor

import "github.com/gallop-go/gallop/internal/kernel"

// PressureDeadlock describes actors that have waited for long for an actor that applies
// pressure, and that might wait for ever. Either they wait in a circle, or no other work
// is left in the system.
//
// The runtime has released the actors in Waits that wait for Pressed itself, so that they
// run the mail that they have. If the pressure lasts, it does so again, each time after
// twice as long, or after the same time if the system is Idle.
type PressureDeadlock struct {
	// Pressed is the actor that has applied pressure.
	Pressed ActorName
	// Waits has an edge for each waiting actor, nearest to Pressed first, at most 32.
	Waits []WaitEdge
	// Closed says that the waiting may go in a circle: a waiting actor has a message from
	// Pressed in its mailbox, and Pressed may wait for the effect of that message.
	Closed bool
	// Idle says that nothing else was queued or running in the system, and no hold was taken:
	// only a goroutine outside, which ought to have a [System.Hold], could end the pressure.
	Idle bool
}

// Deadlock reports whether nothing in the system could have ended the waiting.
func (r PressureDeadlock) Deadlock() bool { return r.Closed && r.Idle }

// String says in one line who waits for whom, as in "socket#1 is under pressure;
// reader#2 waits for socket#1 with 3 messages, among them done from socket#1; log#3
// waits for reader#2 with 0 messages".
func (r PressureDeadlock) String() string {
	k := kernel.PressureDeadlock{Pressed: kernel.ActorName(r.Pressed)}
	for _, w := range r.Waits {
		k.Waits = append(k.Waits, w.kernel())
	}
	return k.String()
}

// pressureDeadlockOf returns the report that users get.
func pressureDeadlockOf(k kernel.PressureDeadlock) PressureDeadlock {
	r := PressureDeadlock{Pressed: ActorName(k.Pressed), Closed: k.Closed, Idle: k.Idle}
	for _, w := range k.Waits {
		r.Waits = append(r.Waits, WaitEdge{ActorName(w.Who), ActorName(w.For), w.Mail, w.From})
	}
	return r
}

// WaitEdge says that one actor is muted and waits for another.
type WaitEdge struct {
	// Who is the actor that is muted.
	Who ActorName
	// For is the actor that it waits for.
	For ActorName
	// Mail is the number of its messages, counted up to 1,000: 1,000 may mean more.
	Mail int
	// From is the behaviour of one of these messages that was sent by the actor under
	// pressure; "" if there is none.
	From string
}

// String returns a text such as "log#3 waits for reader#2 with 3 messages, among them
// done from the actor under pressure". The actor under pressure need not be reader#2;
// [PressureDeadlock.String] has its name.
func (w WaitEdge) String() string { return w.kernel().String() }

func (w WaitEdge) kernel() kernel.WaitEdge {
	return kernel.WaitEdge{Who: kernel.ActorName(w.Who), For: kernel.ActorName(w.For), Mail: w.Mail,
		From: w.From}
}
