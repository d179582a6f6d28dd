package actor

import (
	"fmt"
	"strings"

	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/seam"
)

// Dump describes the scheduler, and the gate, permits and queues of each actor, for the report of a
// test that hangs. It only reads, and its reads race with the writes of the owners.
func Dump(sys *System, targets ...Target) string {
	var b strings.Builder
	b.WriteString(sys.kernel().Sched.Dump())
	fmt.Fprintf(&b, "%d goroutines wait to send; refusing %v\n", sys.kernel().Waiters.Load(), sys.kernel().Refusing.Load())
	for _, t := range targets {
		b.WriteString(dumpOf(targetOf("Dump", t)) + "\n")
	}
	return b.String()
}

// dumpOf describes one actor.
func dumpOf(a *kernel.Cell) string {
	s := fmt.Sprintf("%v: %v, gate open %v, ajar %v, actors muted for it %v, blocked on %d, parked %v, mailbox %d",
		a, a.Status(), a.Gate.IsOpen(), a.Gate.IsAjar(&kernel.GateMark), a.Gate.Waited(&kernel.GateMark), a.BlockedOn.Count(),
		a.BlockedOn.Parked(), msg.Distance(a.Box.Head(), nil))
	f := seam.Peek(&a.Flow)
	if f == nil {
		return s + ", no goroutine has sent to it"
	}
	return s + fmt.Sprintf(", batch only %v, ajar count %d, falls %d, suspended %v, permits %s", f.BatchOnly.Load(),
		f.AjarCount.Load(), f.Falls.Load(), f.Suspended.Load() != nil, f.Permits.Dump())
}
