package actor_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/actor"
)

// A session is an actor with a start and an end. Another actor wants to be told of its end.
type session struct{ user string }

func (s *session) Open(*actor.Context) error {
	fmt.Println("open", s.user)
	return nil
}
func (s *session) Close(_ *actor.Context, why error)      { fmt.Println("close", s.user, why) }
func (s *session) Work(_ *actor.Context, what string)     { fmt.Println(s.user, what) }
func (s *session) Fail(_ *actor.Context, _ struct{})      { panic("a bug") }
func (s *session) Alarm(_ *actor.Context, what string)    { fmt.Println(s.user, what) }
func (s *session) Later(c *actor.Context, what string)    { work.Stash(c, what) }
func (s *session) Pause(c *actor.Context, _ struct{})     { actor.Become(c, paused) }
func (s *session) Resume(c *actor.Context, _ struct{})    { actor.Unbecome(c); actor.UnstashAll(c) }
func (s *session) Watch(c *actor.Context, r actor.AnyRef) { actor.Watch(c, r, ended) }
func (s *session) Link(c *actor.Context, r actor.AnyRef) {
	actor.TrapExit(c, exited)
	actor.Link(c, r)
}
func (s *session) Ended(_ *actor.Context, d actor.Down) {
	fmt.Println(d.Type, "is down:", d.Reason)
}
func (s *session) Exited(_ *actor.Context, e actor.Exit) {
	fmt.Println(e.Type, "has ended:", e.Reason)
}
func (s *session) Children(c *actor.Context, users []string) {
	for _, u := range users {
		sessionType.SpawnChild(c, session{u})
	}
}

// Supervise spawns a session that starts anew when it fails.
func (s *session) Supervise(c *actor.Context, user string) (actor.Ref[session], error) {
	return actor.SpawnSupervised(c, sessionType, func(s *session) { s.user = user }, childDown), nil
}

func (s *session) ChildDown(c *actor.Context, f actor.ChildDown) {
	if !f.Final {
		fmt.Println("again:", f.Reason)
		actor.Restart(c, f.Ref)
	}
}

var (
	sessionType = actor.NewType[session]("session").OnStart((*session).Open).OnStop((*session).Close)
	work        = actor.Declare[string](sessionType, "work")
	fail        = actor.Declare[struct{}](sessionType, "fail")
	alarm       = actor.Declare[string](sessionType, "alarm", urgent)
	pause       = actor.Declare[struct{}](sessionType, "pause")
	resume      = actor.Declare[struct{}](sessionType, "resume")
	watch       = actor.Declare[actor.AnyRef](sessionType, "watch")
	tie         = actor.Declare[actor.AnyRef](sessionType, "link")
	ended       = actor.Declare[actor.Down](sessionType, "ended")
	exited      = actor.Declare[actor.Exit](sessionType, "exited")
	children    = actor.Declare[[]string](sessionType, "children")
	childDown   = actor.Declare[actor.ChildDown](sessionType, "childDown")
	supervise   = actor.DeclareAsk[string, actor.Ref[session]](sessionType, "supervise")
	_           = sessionType.Table(work.Handle((*session).Work), fail.Handle((*session).Fail),
		alarm.Handle((*session).Alarm),
		pause.Handle((*session).Pause), resume.Handle((*session).Resume), watch.Handle((*session).Watch),
		tie.Handle((*session).Link),
		ended.Handle((*session).Ended), exited.Handle((*session).Exited),
		children.Handle((*session).Children),
		childDown.Handle((*session).ChildDown), supervise.Handle((*session).Supervise))

	urgent actor.BehaviourOption = actor.Urgent()

	paused = sessionType.Variant(work.Handle((*session).Later))
)

// heart sends itself its first beat: its start function names its behaviour.
type heart struct{ beats int }

func (h *heart) Start(c *actor.Context) error {
	actor.After(c, 0, beat, struct{}{})
	return nil
}

func (h *heart) Beat(*actor.Context, struct{}) { h.beats++; fmt.Println("beat", h.beats) }

var (
	// With OnStart here, this would be an initialization cycle.
	heartType = actor.NewType[heart]("heart")
	beat      = actor.Declare[struct{}](heartType, "beat")
	_         = heartType.Table(beat.Handle((*heart).Beat)).OnStart((*heart).Start)
)

// OnStart is called after Table, so that the start function can name the type's behaviours.
func ExampleType_OnStart() {
	sys := actor.Start()
	heartType.Spawn(sys, heart{})
	_ = sys.Run()
	// Output: beat 1
}

// Drain lets an actor finish the messages that it has been sent. Stop would not.
func ExampleDrainWait() {
	ctx, sys := context.Background(), actor.Start()
	s := sessionType.Spawn(sys, session{"ann"})
	work.Send(sys, s, "reads")
	work.Send(sys, s, "writes")
	fmt.Println(actor.DrainWait(ctx, s))
	err := work.TrySend(sys, s, "comes late")
	fmt.Println(errors.Is(err, actor.ErrStopped), errors.Is(err, actor.ErrShutdown))
	_ = sys.Shutdown(ctx)
	// Output:
	// open ann
	// ann reads
	// ann writes
	// close ann gallop: shut down
	// <nil>
	// true true
}

// Children end before their parent, the youngest first.
func ExampleTarget() {
	ctx, sys := context.Background(), actor.Start(actor.WithWorkers(1))
	s := sessionType.Spawn(sys, session{"ann"})
	_ = sys.Wait(ctx)
	children.Send(sys, s, []string{"bob"})
	_ = sys.Wait(ctx)
	children.Send(sys, s, []string{"cid"})
	_ = sys.Wait(ctx)
	var t actor.Target = s // whatever its type
	_ = actor.StopWait(ctx, t)
	_ = sys.Shutdown(ctx)
	// Output:
	// open ann
	// open bob
	// open cid
	// close cid gallop: shut down
	// close bob gallop: shut down
	// close ann gallop: shut down
}

// An actor that watches another is told why it ended, even if that was long ago.
func ExampleDown() {
	ctx, sys := context.Background(), actor.Start()
	b := accountType.Spawn(sys, account{})
	closeIt.Send(sys, b, struct{}{})
	down, err := actor.Join(ctx, b) // from outside
	fmt.Println(down.Type, down.Reason, err)
	watch.Send(sys, sessionType.Spawn(sys, session{"ann"}), b.Any())
	_ = sys.Run()
	// Output:
	// account <nil> <nil>
	// open ann
	// account is down: <nil>
}

// A trap turns the end of a linked actor into a message.
func ExampleExit() {
	sys := actor.Start(actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	a, b := sessionType.Spawn(sys, session{"ann"}), accountType.Spawn(sys, account{})
	tie.Send(sys, a, b.Any())
	_ = sys.Wait(context.Background())
	crashIt.Send(sys, b, struct{}{})
	_ = sys.Run()
	// Output:
	// open ann
	// account has ended: gallop: actor panicked: a bug
}

// Urgent mail overtakes the mail that waits.
func ExampleUrgent() {
	sys := actor.Start(actor.WithWorkers(1))
	hold := sessionType.Spawn(sys, session{"ann"})
	_ = sys.Wait(context.Background())
	alarm.Send(sys, hold, "hears the bell")
	_ = sys.Run()
	// Output:
	// open ann
	// ann hears the bell
}

// A variant of the dispatch table stashes work until there is time for it.
func ExampleVariant() {
	sys := actor.Start()
	s := sessionType.Spawn(sys, session{"ann"})
	pause.Send(sys, s, struct{}{})
	work.Send(sys, s, "reads")
	work.Send(sys, s, "writes")
	_ = sys.Wait(context.Background())
	resume.Send(sys, s, struct{}{})
	_ = sys.Run()
	// Output:
	// open ann
	// ann reads
	// ann writes
}

// A supervised actor is restarted in its place: its ref and its mail stay.
func ExampleSpawnSupervised() {
	ctx, sys := context.Background(), actor.Start(actor.WithHooks(actor.Hooks{Panic: func(
		actor.PanicReport) {
	}}))
	super := sessionType.Spawn(sys, session{"super"})
	s, _ := supervise.Ask(ctx, super, "ann")
	_ = sys.Wait(ctx)
	fail.Send(sys, s, struct{}{})
	work.Send(sys, s, "goes on")
	_ = sys.Run()
	// Output:
	// open super
	// open ann
	// close ann gallop: actor panicked: a bug
	// again: gallop: actor panicked: a bug
	// open ann
	// ann goes on
}

// A killed behaviour ends at its next checkpoint, but not in a shielded part.
func ExampleContext_Shield() {
	ctx, sys := context.Background(), actor.Start(actor.WithHooks(actor.Hooks{Panic: func(
		actor.PanicReport) {
	}}))
	p := puppetType.Spawn(sys, puppet{})
	do.Send(sys, p, func(_ *puppet, c *actor.Context) {
		c.Shield(func() {
			actor.Kill(c, actor.Self[puppet](c))
			c.Checkpoint()
			fmt.Println("written whole")
		})
		fmt.Println("never")
	})
	down, _ := actor.Join(ctx, p)
	fmt.Println(down.Reason)
	_ = sys.Shutdown(ctx)
	// Output:
	// written whole
	// gallop: killed
}
