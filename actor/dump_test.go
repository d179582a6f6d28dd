package actor

import (
	"fmt"
	"strings"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/internal/seam"
)

// Dump describes the scheduler, and the gate, permits and queues of each actor, for the report of a
// test that hangs. It only reads, and its reads race with the writes of the owners.
func Dump(sys *System, targets ...Target) string {
	var b strings.Builder
	b.WriteString(sys.kernel().sched.Dump())
	fmt.Fprintf(&b, "%d goroutines wait to send; refusing %v\n", sys.kernel().waiters.Load(), sys.kernel().refusing.Load())
	for _, t := range targets {
		b.WriteString(dumpOf(targetOf("Dump", t)) + "\n")
	}
	return b.String()
}

// dumpOf describes one actor.
func dumpOf(a *cell) string {
	s := fmt.Sprintf("%v: %v, gate open %v, ajar %v, actors muted for it %v, blocked on %d, parked %v, mailbox %d",
		a, a.status(), a.gate.IsOpen(), a.gate.IsAjar(&gateMark), a.gate.Waited(&gateMark), a.blockedOn.Count(),
		a.blockedOn.Parked(), msg.Distance(a.box.Head(), nil))
	f := seam.Peek(&a.flow)
	if f == nil {
		return s + ", no goroutine has sent to it"
	}
	return s + fmt.Sprintf(", batch only %v, ajar count %d, falls %d, suspended %v, permits %s", f.batchOnly.Load(),
		f.ajarCount.Load(), f.falls.Load(), f.suspended.Load() != nil, f.permits.Dump())
}
