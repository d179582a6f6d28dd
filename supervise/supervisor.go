package supervise

import (
	"context"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/face"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/members"
)

// Supervisor is a running supervisor. It is an actor like others, and can be stopped, joined,
// watched and linked like one. Get one from [Start], [StartWait] or [FindSupervisor]. It may be
// copied. The zero Supervisor is no supervisor, and asking it panics.
//
// Its Ref is the target of the requests [StartChild], [StopChild], [RestartChild], [RemoveChild]
// and [FindChild].
type Supervisor struct{ actor.Ref[supervisor] }

// asked returns the ref of the supervisor. It panics, naming call, if s is zero.
func (s Supervisor) asked(call string) actor.Ref[supervisor] {
	if s.IsZero() {
		panic("gallop: supervise: " + call +
			" of a zero Supervisor: get one from Start or FindSupervisor")
	}
	return s.Ref
}

// Start starts a supervisor and its tree, and returns at once. Children start one after another,
// each when the child before it is up; [Find] does not find a child before it was started. A failed
// start counts as a failure and is retried; [StartWait] waits until the tree is up, and returns an
// error instead. Start panics if the declaration is wrong.
//
// The supervisor has no parent. Its end is the end of the tree: see [Supervisor.Wait]. Keep the
// Supervisor: an idle tree without outside references is collected by the GC like any unreachable
// actor, and its OnStop functions do not run. Serve and Wait keep it.
func Start(from actor.Sender, s Spec) Supervisor {
	return listed(Supervisor{supervisorType.Spawn(from, newRoot(mustCheck("Start", s)))})
}

// StartUnder is [Start] for a supervisor that ends with the running actor. If that is the child of
// a supervisor itself, the paths in events and in the log begin with the child's.
func StartUnder(c *actor.Context, s Spec) Supervisor {
	sp := mustCheck("StartUnder", s)
	root := rootUnder(c, sp)
	if pool, ok := s.Template.(members.Pool); ok {
		return startMembers(c, root, pool)
	}
	return listed(Supervisor{supervisorType.SpawnChild(c, root)})
}

// rootUnder is newRoot for a supervisor that ends with the running actor.
func rootUnder(c *actor.Context, sp *supervisorSpec) supervisor {
	root := newRoot(sp)
	if path := kernel.TurnOf(c).PathOf(); path != "" {
		root.path = path + "/" + sp.name
		root.place = root.path
	}
	return root
}

func mustCheck(call string, s Spec) *supervisorSpec {
	sp := checkSpec(s)
	if sp.problem != "" {
		panic("gallop: supervise: " + call + ": " + sp.problem)
	}
	return sp
}

func newRoot(sp *supervisorSpec) supervisor {
	return supervisor{spec: sp, path: sp.name, place: sp.name, names: newNameTable(nil)}
}

// Wait blocks, from outside, until the supervisor has ended with all its children. It returns nil
// if the supervisor was stopped or drained, or has ended normally, and otherwise its reason: an
// *[EscalationError] if it gave up. If ctx ends first, Wait returns its error, and
// [actor.ErrSystemStopped] if the system stops. It panics where [actor.Join] does.
func (s Supervisor) Wait(ctx context.Context) error {
	r := s.asked("Wait")
	d, err := actor.Join(ctx, r)
	if err == nil && !actor.IsNormal(d.Reason) {
		err = d.Reason
	}
	return err
}

// supervisor is the state of a supervisor. It is a state machine of three parts that do not know
// each other: handleDown decides the consequences of a child's end, groupDown suspends the children
// of a group restart, and startNext starts pending children. advance runs the latter two after
// every message.
type supervisor struct {
	spec         *supervisorSpec
	path         string     // its path from the root
	place        string     // as placeOf of its parent says
	names        *nameTable // the same table as in children
	children     children
	window       restartWindow
	groupRestart *child      // oldest child of the group restart; nil: none
	exiting      bool        // it has called Exit; nothing else matters
	members      *memberList // of a pool; nil: it is an ordinary supervisor
	// it ends if a child fails its first start; reset when all children are up
	failFast bool

	parent     actor.Ref[supervisor]      // zero: it is a root
	reportedUp bool                       // the parent knows that all were up
	upWaiters  []actor.Deferred[struct{}] // callers that wait until all are up
	killTimer  actor.Ref[killTimer]       // zero: not needed yet
}

var (
	supervisorType = actor.NewType[supervisor]("supervisor")
	childDown      = actor.Declare[kernel.ChildDown](supervisorType, "child down")
	childUp        = actor.Declare[kernel.ChildUp](supervisorType, "child up", actor.Urgent())
	startBlocked   = actor.Declare[actor.AnyRef](supervisorType, "start blocked", actor.Urgent())
	restartDue     = actor.Declare[*child](supervisorType, "restart due")
	stopTimeout    = actor.Declare[*child](supervisorType, "stop timeout")
)

func init() {
	(*kernel.AnyType)(supervisorType).Info().Unrefused = true
	supervisorType.OnStart((*supervisor).onStart).OnStop((*supervisor).onStop).Table(
		childDown.Handle((*supervisor).childDown), childUp.Handle((*supervisor).childUp),
		startBlocked.Handle((*supervisor).startBlocked),
		restartDue.Handle((*supervisor).restartDue), stopTimeout.Handle((*supervisor).stopTimeout))
}

func (s *supervisor) onStart(c *actor.Context) error {
	s.names.reset()
	s.children.byID, s.children.names, s.children.grouped = map[uint64]*child{}, s.names,
		s.spec.strategy.restartsGroup()
	for _, spec := range s.spec.children {
		s.children.add(spec).declared = true
	}
	if s.members != nil {
		s.growMembers(c, s.members.pool.Size())
	}
	s.advance(c)
	return nil
}

// onStop runs when all children have ended and the supervisor ends or is suspended.
func (s *supervisor) onStop(c *actor.Context, reason error) {
	if !s.killTimer.IsZero() {
		actor.Drain(c, s.killTimer) // it may have to say whom it has killed
	}
	if s.parent.IsZero() {
		s.reportSelf(c, ChildEnded, reason)
	}
}

// makePending is called when the restart of a child is due. The child starts at once or, in a
// group, in order.
func (s *supervisor) makePending(c *actor.Context, ch *child) {
	if s.children.setState(ch, Pending); !s.spec.strategy.restartsGroup() {
		s.launch(c, ch)
	}
}

func (s *supervisor) restartDue(c *actor.Context, ch *child) {
	s.makePending(c, ch)
	s.advance(c)
}

// stopTimeout kills a child that was not suspended, or has not ended, in time.
func (s *supervisor) stopTimeout(c *actor.Context, ch *child) {
	if !ch.ref.IsZero() {
		ch.kill(c)
		s.newEvent(c, ChildOverdue, ch).reportLate(c, s.spec.onEvent, ch.spec.stop.within,
			s.placeOf(ch))
	}
}

func (s *supervisor) childUp(c *actor.Context, r kernel.ChildUp) {
	ch := s.children.byID[r.Ref.ID()]
	if ch == nil || s.exiting {
		return
	}
	switch ch.state {
	case Starting, Running:
	case Pending, BackingOff: // restarted from elsewhere
		ch.timer.Cancel(c)
	case Suspending: // restarted from elsewhere, or an old message
		kernel.AnyRef(ch.ref).Suspend(kernel.TurnOf(c))
		return
	default:
		return
	}
	ch.markDown(c.Now()) // it was up if restarted from elsewhere
	ch.upSince = c.Now()
	s.children.setState(ch, Running)
	if ch.wasUp || ch.failed {
		s.reportRestarted(c, ch)
	}
	ch.wasUp = true
	if ch.consecutive > 0 {
		s.tellMember(c, ch, false)
	}
	if ch.startIsAbandoned() {
		s.remove(c, ch)
		return
	}
	ch.answerStart(c, nil)
	s.advance(c)
}

// advance suspends or starts the next child, as far as that is possible now.
func (s *supervisor) advance(c *actor.Context) {
	if s.exiting || !s.groupDown(c) {
		return
	}
	if s.children.count[Pending] > 0 {
		s.startNext(c)
	}
	if s.isUp() {
		s.announceUp(c)
	}
}

// isUp reports whether every child is up, is ending or has ended. Only then does a supervisor count
// as up for its parent.
func (s *supervisor) isUp() bool {
	n := &s.children.count
	return n[Pending]+n[Starting]+n[Suspending]+n[BackingOff] == 0
}

// announceUp tells the parent and waiting callers that all children are up.
func (s *supervisor) announceUp(c *actor.Context) {
	if s.failFast {
		s.failFast = false
		s.names.setStarting(nil)
	}
	if !s.reportedUp && !s.parent.IsZero() {
		childUp.Send(c, s.parent, kernel.ChildUp{Ref: kernel.AnyRef(actor.Self[supervisor](c))})
	}
	s.reportedUp = true
	for _, d := range s.upWaiters {
		d.Reply(c, struct{}{}, nil)
	}
	s.upWaiters = nil
}

// startNext starts the oldest pending child, if all older ones are up.
func (s *supervisor) startNext(c *actor.Context) {
	if ch := s.children.nextToStart(); ch != nil && ch.startIsAbandoned() {
		s.remove(c, ch)
	} else if ch != nil {
		s.launch(c, ch)
	}
}

// launch starts a child: in place, or as a new actor.
func (s *supervisor) launch(c *actor.Context, ch *child) {
	ch.markDown(c.Now()) // RestartChild of a child that is up
	s.children.setState(ch, Starting)
	if s.failFast {
		s.names.setStarting(ch)
	}
	if !ch.ref.IsZero() {
		kernel.AnyRef(ch.ref).Restart(kernel.TurnOf(c))
		return
	}
	s.children.setActor(ch, ch.spec.spawn(c, spawnArgs{
		options: s.optionsFor(ch), parent: s, child: ch,
		failFast: s.failFast && !ch.wasUp || ch.cold != nil &&
			(ch.cold.request != nil || ch.cold.wasStopped),
	}))
}

// optionsFor returns the options of the runtime for a child that is spawned.
func (s *supervisor) optionsFor(ch *child) kernel.ChildOptions {
	spec := ch.spec
	o := kernel.ChildOptions{
		Down: kernel.AnyBehaviour(childDown).Descriptor(),
		Stop: func(c *kernel.Turn, child kernel.AnyRef) {
			s.endChild(face.Context(c), ch, actor.AnyRef(child))
		},
		Before:   kernel.AnyRef(s.children.youngerActor(ch)),
		Together: s.spec.strategy == SimpleOneForOne,
		DropMail: spec.dropMail, Backlog: spec.whileDown,
		Decide: decisions(spec.decide), Restarts: spec.restart.afterFall(),
		Path: s.pathOf(ch), Family: s.names,
	}
	if spec.supervisor == nil {
		o.Up = kernel.AnyBehaviour(childUp).Descriptor() // a supervisor announces it itself
	}
	if spec.stop.mode == shutdownAsSupervisor {
		o.Stop = nil
	}
	return o
}
