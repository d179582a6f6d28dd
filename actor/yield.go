package actor

import "github.com/gallop-go/gallop/internal/kernel"

// Yield continues a long computation in a later turn. The message m for b is the very next message
// that the running actor handles, before all mail in its mailbox. Other actors have their turns in
// between. State of the computation is kept in m or in the actor's state. Like any message, m runs
// exactly once, or becomes a dead letter if the actor ends before.
//
// Call Yield at most once in a behaviour, as its last action. Yield panics if b is not a behaviour
// of the running actor, or if the behaviour has yielded already. It executes no locked instruction.
func Yield[S, M any](c *Context, b Behaviour[S, M], m M) {
	turn := c.kernel()
	kernel.MustRun(turn, "Yield")
	d := kernel.AnyBehaviour(b).Descriptor().Made()
	if d.Typ != turn.Self.Typ() {
		panic("gallop: Yield: " + d.FullName() + " is not a behaviour of " + turn.Self.String())
	}
	if turn.Then&kernel.Yielded != 0 {
		panic("gallop: Yield: called twice in one behaviour of " + turn.Self.String())
	}
	n := turn.Node(d.Size)
	*kernel.PayloadOf[M](n) = m
	n.ID, n.From, n.Next = d.ID, turn.Self.ID, nil
	if turn.Travels != nil {
		n = kernel.Carry(turn, turn.Travels, n, d)
		n.From = turn.Self.ID
	}
	turn.PutFront(n, n, 1)
}
