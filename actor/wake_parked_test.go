package actor_test

import (
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// wakeLate does the last step of a sender that has brought a parked actor a signal, and was halted
// until the signal was served. The actor is woken, and parks again.
func wakeLate[S any](t testing.TB, sys *actor.System, r actor.Ref[S]) {
	t.Helper()
	eventually(t, "it is parked", func() bool { return actor.Muted(r) })
	if !actor.WakeLate(sys, r) {
		t.Error("it was not parked any more")
	}
	eventually(t, "it is parked again", func() bool { return actor.Muted(r) })
}

// TestWakeParked_OfLeaving: "LEAVING with children, and SUSPENDED, are spent parked". An actor was
// stopped and waits for its child. It goes on waiting after it was woken without a reason, and
// ends.
func TestWakeParked_OfLeaving(t *testing.T) {
	sys := start(t, actor.WithWorkers(3))
	parent := mortalType.Spawn(sys, mortal{})
	begun, end := make(chan struct{}), make(chan struct{})
	in(t, parent, func(_ *mortal, c *actor.Context) {
		child := mortalType.SpawnChild(c, mortal{})
		doAct.Send(c, child, func(*mortal, *actor.Context) { close(begun); <-end })
	})
	receive(t, "the child to begin", begun)
	actor.Stop(sys, parent)
	wakeLate(t, sys, parent)
	wants(t, say.TrySend(sys, parent, ""), actor.ErrShutdown) // its mailbox is still closed
	close(end)
	equal(t, "reason", brief(joined(t, parent)), "shutdown")
	quiet(t, sys)
}

// TestWakeParked_OfSuspended: "the actor is suspended: it keeps its mail".
func TestWakeParked_OfSuspended(t *testing.T) {
	childDown := make(chan struct{})
	g := guard(t, mortal{}, func(*actor.Context, actor.ChildDown) { close(childDown) })
	crashAndSay(t, g, func(*mortal, *actor.Context) { panic(1) })
	receive(t, "the fall", childDown)
	wakeLate(t, g.sys, g.child)
	actor.Restart(g.sys, g.child)
	quiet(t, g.sys)
	g.diary.says(t, "child: stop panic", "super: fell panic false", "child: start", "child: 1",
		"child: 2",
		"child: 3")
}

// TestWakeParked_OfMuted: a muted actor runs no ordinary mail, and holds the system only while it
// is muted.
func TestWakeParked_OfMuted(t *testing.T) {
	sys := start(t, actor.WithWorkers(3))
	o := overload(t, sys)
	r := o.mute(t, sys)
	var early atomic.Int64
	do.Send(sys, r, func(*puppet, *actor.Context) { early.Add(1) })
	wakeLate(t, sys, r)
	equal(t, "messages run while it is muted", early.Load(), 0)
	o.release()
	allUnmuted(t, sys)
	equal(t, "messages run", early.Load(), 1)
}

// TestLink_BothAtOnce: two actors link to each other at the same time, so that neither knows the
// other's link. Each is told once of the end of the other.
func TestLink_BothAtOnce(t *testing.T) {
	var d diary
	sys := start(t, actor.WithWorkers(2))
	a, b := mortalType.Spawn(sys, mortal{name: "a", diary: &d}), mortalType.Spawn(sys,
		mortal{name: "b"})
	quiet(t, sys)
	linked, end := make(chan struct{}), make(chan struct{})
	doAct.Send(sys, b, func(_ *mortal, c *actor.Context) {
		// a has called Link, and b does not know it yet: b is in this behaviour.
		<-linked
		actor.Link(c, a)
		close(end)
	})
	doAct.Send(sys, a, func(_ *mortal, c *actor.Context) {
		actor.TrapExit(c, onExit)
		actor.Link(c, b)
		close(linked)
		<-end
	})
	quiet(t, sys)
	d.lines = nil
	actor.Stop(sys, b)
	quiet(t, sys)
	d.says(t, "a: exit shutdown")
}

// TestLink_ToStoppedSystem: "If t has ended already, the effect is as if it ended now". This holds
// if its system has stopped, even if t has only its mailbox.
func TestLink_ToStoppedSystem(t *testing.T) {
	var d diary
	sys, far := start(t), start(t)
	a, b := mortalType.Spawn(sys, mortal{name: "a", diary: &d}), puppetType.Spawn(far, puppet{})
	far.Stop()
	quiet(t, sys)
	d.lines = nil
	in(t, a, func(_ *mortal, c *actor.Context) {
		actor.TrapExit(c, onExit)
		actor.Link(c, b)
	})
	quiet(t, sys)
	d.says(t, "a: exit "+actor.ErrSystemStopped.Error())
}
