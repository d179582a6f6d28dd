package supervise

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

// Supervisor is a running supervisor. It is an actor like others, and can be stopped, joined,
// watched and linked like one. Get one from [Start], [StartWait] or [Sub]. It may be copied.
// The zero Supervisor is no supervisor, and asking it panics.
type Supervisor struct{ ref }

type ref = actor.Ref[supervisor]

// asked returns the ref of a supervisor that call asks. It panics if there is none.
func (s Supervisor) asked(call string) ref {
	if s.IsZero() {
		panic("gallop: supervise: " + call + " of a zero Supervisor: get one from Start or Sub")
	}
	return s.ref
}

// Start starts a supervisor and its tree, and returns at once. Children start one after
// another, each when the one before it is up; [Find] does not find a child before it is its
// turn. A start that fails is a fall, and is tried again: [StartWait] waits until the tree is
// up, and returns an error instead. Start panics if the declaration is wrong.
//
// The supervisor is nobody's child. Its end is the end of the tree: see [Supervisor.Wait].
func Start(from actor.Sender, s Spec) Supervisor {
	return Supervisor{supervisorType.Spawn(from, newRoot(mustPlan("Start", s)))}
}

// StartUnder is [Start] for a supervisor that ends with the running actor.
func StartUnder(c *actor.Context, s Spec) Supervisor {
	return Supervisor{supervisorType.SpawnChild(c, newRoot(mustPlan("StartUnder", s)))}
}

func mustPlan(call string, s Spec) *plan {
	p := newPlan(s)
	if p.wrong != "" {
		panic("gallop: supervise: " + call + ": " + p.wrong)
	}
	return p
}

func newRoot(p *plan) supervisor { return supervisor{plan: p, path: p.name, table: newTable(nil)} }

// Wait blocks, from outside, until the supervisor has ended with all its children. It returns
// nil if the supervisor was told to stop or to drain, or has ended normally, and otherwise its
// reason: an *[EscalationError] if it has given up. If ctx ends first, Wait returns its error,
// and [actor.ErrSystemStopped] if the system stops. It panics where [actor.Join] does.
func (s Supervisor) Wait(ctx context.Context) error {
	r := s.asked("Wait")
	d, err := actor.Join(ctx, actor.SystemOf(r), r)
	if err == nil && !actor.IsNormal(d.Reason) {
		err = d.Reason
	}
	return err
}

// supervisor is the state of a supervisor. It is a machine of three parts that do not know of each
// other: judge says what a fall means, sweep takes down the children that have to go down with
// others, and startNext starts those that are pending. step runs the latter two after everything
// that happens.
type supervisor struct {
	plan   *plan
	path   string // its names from the root on
	table  *table // that of kids
	kids   family
	window window
	sweep  *kid // all from here on go down, the youngest first; nil: nobody
	over   bool // it has given up
	strict bool // it ends if a child fails its first start; until all children are up

	boss   actor.Ref[supervisor]        // zero: it is nobody's child
	told   bool                         // the boss knows that all children were up
	upFor  []actor.Deferred[actor.None] // who wait until all children are up
	killer actor.Ref[killTimer]         // zero: no child was told to end yet because the supervisor leaves
}

var (
	supervisorType = actor.NewType[supervisor]("supervisor")
	fell           = actor.Declare[actor.Fallen](supervisorType, "fell")
	rose           = actor.Declare[actor.Risen](supervisorType, "rose", actor.Urgent())
	stalled        = actor.Declare[actor.AnyRef](supervisorType, "stalled", actor.Urgent())
	due            = actor.Declare[*kid](supervisorType, "due")
	overdue        = actor.Declare[*kid](supervisorType, "overdue")
)

func init() {
	supervisorType.OnStart((*supervisor).start).OnStop((*supervisor).stopped).Table(
		fell.Do((*supervisor).fell), rose.Do((*supervisor).rose), stalled.Do((*supervisor).stalled),
		due.Do((*supervisor).due), overdue.Do((*supervisor).overdue))
}

func (s *supervisor) start(c *actor.Context) error {
	s.table.clear()
	s.kids.byID, s.kids.table, s.kids.groups = map[uint64]*kid{}, s.table, s.plan.strategy.groups()
	for _, spec := range s.plan.children {
		s.kids.add(spec)
	}
	s.step(c)
	return nil
}

// stopped runs when all children have ended, and the supervisor ends or is taken down.
func (s *supervisor) stopped(c *actor.Context, reason error) {
	if !s.killer.IsZero() {
		actor.Stop(c, s.killer)
	}
	if s.boss.IsZero() {
		s.reportSelf(c, Ended, reason)
	}
}

// ready is for a child whose restart is due. It starts alone, or when it is its turn.
func (s *supervisor) ready(c *actor.Context, k *kid) {
	if s.kids.set(k, Pending); !s.plan.strategy.groups() {
		s.bringUp(c, k)
	}
}

func (s *supervisor) due(c *actor.Context, k *kid) {
	s.ready(c, k)
	s.step(c)
}

// overdue kills a child that has not gone down, or ended, in time.
func (s *supervisor) overdue(c *actor.Context, k *kid) {
	if !k.ref.IsZero() {
		k.kill(c)
	}
}

func (s *supervisor) rose(c *actor.Context, r actor.Risen) {
	k := s.kids.byID[r.Ref.ID()]
	if k == nil || s.over {
		return
	}
	switch k.state {
	case Starting, Running:
	case Pending, BackingOff: // somebody else has restarted it
		k.timer.Cancel(c)
	case Falling: // so it has meanwhile, or this is from before
		actor.Suspend(c, k.ref)
		return
	default:
		return
	}
	k.down(c.Now()) // it was up if somebody else has restarted it
	k.since = c.Now()
	s.kids.set(k, Running)
	if k.begun || k.fallen {
		s.reportUp(c, k)
	}
	k.begun = true
	k.answer(c, nil)
	s.step(c)
}

// step goes on with what can go on.
func (s *supervisor) step(c *actor.Context) {
	if s.over || !s.swept(c) {
		return
	}
	if s.kids.in[Pending] > 0 {
		s.startNext(c)
	}
	if s.settled() {
		s.up(c)
	}
}

// settled reports whether every child is up, ends or has ended. Only then does a supervisor
// count as up for its own supervisor.
func (s *supervisor) settled() bool {
	return s.kids.in[Pending]+s.kids.in[Starting]+s.kids.in[Falling]+s.kids.in[BackingOff] == 0
}

// up tells those who wait for it that all children are up.
func (s *supervisor) up(c *actor.Context) {
	if s.strict {
		s.strict = false
		s.table.setStarting(nil)
	}
	if !s.told && !s.boss.IsZero() {
		rose.Send(c, s.boss, actor.Risen{Ref: actor.Self[supervisor](c).Any()})
	}
	s.told = true
	for _, d := range s.upFor {
		d.Reply(c, actor.None{}, nil)
	}
	s.upFor = nil
}

// startNext starts the child whose turn it is.
func (s *supervisor) startNext(c *actor.Context) {
	if k := s.kids.next(); k != nil {
		s.bringUp(c, k)
	}
}

// bringUp starts a child: in its place, or as a new actor.
func (s *supervisor) bringUp(c *actor.Context, k *kid) {
	k.down(c.Now()) // one that is restarted by hand is up
	s.kids.set(k, Starting)
	if s.strict {
		s.table.setStarting(k)
	}
	if !k.ref.IsZero() {
		actor.Restart(c, k.ref)
		return
	}
	s.kids.born(k, k.spec.spawn(c, birth{
		care: s.careFor(k), above: s, kid: k,
		strict: s.strict && !k.begun || k.rare != nil && (k.rare.asked != nil || k.rare.stopped),
	}))
}

// careFor says how a child that is a new actor is looked after.
func (s *supervisor) careFor(k *kid) actor.Care[supervisor] {
	spec := k.spec
	care := actor.Care[supervisor]{
		Fell:     fell,
		Stop:     func(c *actor.Context, child actor.AnyRef) { s.endChild(c, spec.stop, child) },
		Before:   s.kids.behind(k),
		Together: s.plan.strategy == SimpleOneForOne,
		Decide:   spec.decide, Mail: spec.mail, Backlog: spec.whileDown, KeepReplies: spec.keepReplies,
		Path: s.pathOf(k), Family: s.table,
	}
	if spec.plan == nil {
		care.Rose = rose // a supervisor says so itself
	}
	return care
}
