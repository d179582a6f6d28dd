package supervise

import (
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Supervisor is a running supervisor. It is an actor like others, and can be stopped,
// joined, watched and linked like one. Get one from [Start] or [Sub]. It may be copied.
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
// another, each when the one before it is up; [Find] does not find a child before it is
// its turn. Start panics if the declaration is wrong.
//
// The supervisor is nobody's child. Its end is the end of the tree.
func Start(from actor.Sender, s Spec) Supervisor {
	return Supervisor{supervisorType.Spawn(from, supervisor{plan: mustPlan("Start", s)})}
}

// StartUnder is [Start] for a supervisor that ends with the running actor.
func StartUnder(c *actor.Context, s Spec) Supervisor {
	return Supervisor{supervisorType.SpawnChild(c, supervisor{plan: mustPlan("StartUnder", s)})}
}

func mustPlan(call string, s Spec) *plan {
	p := newPlan(s)
	if p.wrong != "" {
		panic("gallop: supervise: " + call + ": " + p.wrong)
	}
	return p
}

// supervisor is the state of a supervisor. It is a machine of three parts that do not know of each
// other: judge says what a fall means, sweep takes down the children that have to go down with
// others, and startNext starts those that are pending. step runs the latter two after everything
// that happens.
type supervisor struct {
	plan   *plan
	kids   family
	window window
	sweep  *kid // all from here on go down, the youngest first; nil: nobody
	over   bool // it has given up

	boss actor.Ref[supervisor] // zero: it is nobody's child
	told bool                  // the boss knows that all children were up
}

var (
	supervisorType = actor.NewType[supervisor]("supervisor")
	fell           = actor.Declare[actor.Fallen](supervisorType, "fell")
	rose           = actor.Declare[actor.Risen](supervisorType, "rose", actor.Urgent())
	due            = actor.Declare[*kid](supervisorType, "due")
	overdue        = actor.Declare[*kid](supervisorType, "overdue")
)

func init() {
	supervisorType.OnStart((*supervisor).start).Table(fell.Do((*supervisor).fell), rose.Do((*supervisor).rose),
		due.Do((*supervisor).due), overdue.Do((*supervisor).overdue))
}

func (s *supervisor) start(c *actor.Context) error {
	s.kids.byID, s.kids.byName = map[uint64]*kid{}, map[string]*kid{}
	for _, spec := range s.plan.children {
		s.kids.add(spec)
	}
	s.step(c)
	return nil
}

func (s *supervisor) fell(c *actor.Context, f actor.Fallen) {
	k := s.kids.byID[f.ActorID]
	if k == nil || s.over {
		return
	}
	if k.down(c.Now()); f.Final {
		s.kids.dead(k)
	}
	switch k.state {
	case Starting, Running:
		s.judge(c, k, f)
	case Falling:
		if !k.killed {
			k.timer.Cancel(c)
			s.wait(c, k, Pending)
		}
	case Stopping:
		if f.Final {
			s.ended(c, k)
		}
	case Pending, BackingOff, Stopped: // while it waited it was stopped, and will be a new actor; or restarted by others, in vain
		s.wait(c, k, k.state)
	}
	s.step(c)
}

// judge decides what the fall of a child that was up means.
func (s *supervisor) judge(c *actor.Context, k *kid, f actor.Fallen) {
	k.last = f.Reason
	switch {
	case k.spec.kind.restarts(f.Reason) && s.doomed(k): // it would have had to go anyway
		s.wait(c, k, Pending)
	case k.spec.kind.restarts(f.Reason):
		s.restart(c, k)
	case f.Final:
		s.ended(c, k)
	default:
		s.kids.set(k, Stopping)
		actor.Stop(c, k.ref)
	}
}

// restarts tells whether an end is a fall.
func (r Restart) restarts(reason error) bool {
	return r == Permanent || r == Transient && !isNormal(reason)
}

// isNormal does not look at what a reason wraps: a panic, an error about the end of another actor,
// and a supervisor that has given up over its child's end may all wrap ErrShutdown.
func isNormal(reason error) bool { return reason == nil || reason == actor.ErrShutdown }

// restart counts a fall, and gives up or begins to make it good.
func (s *supervisor) restart(c *actor.Context, k *kid) {
	if !s.window.add(c.Now(), s.plan.intensity) {
		s.over = true
		c.Exit(&EscalationError{s.plan.name, k.name, k.last})
		return
	}
	k.restarts++
	k.inRow++
	switch s.plan.strategy {
	case OneForAll:
		s.sweep = s.kids.oldest
	case RestForOne:
		s.sweepFrom(k)
	}
	if d := s.delay(c, k); d > 0 {
		s.wait(c, k, BackingOff)
		k.timer = actor.After(c, d, due, k)
	} else if s.plan.strategy.groups() {
		s.wait(c, k, Pending)
	} else {
		s.bringUp(c, k)
	}
}

// delay draws how long a restart is put off. Chance is used only where it is asked for.
func (s *supervisor) delay(c *actor.Context, k *kid) time.Duration {
	chance := 0.0
	if b := k.spec.backoff; b.First > 0 && b.Jitter > 0 {
		chance = c.Rand().Float64()
	}
	return k.spec.backoff.Delay(k.inRow, chance)
}

// sweepFrom takes down k and all behind it. A sweep under way may reach further.
func (s *supervisor) sweepFrom(k *kid) {
	if !s.doomed(k) {
		s.sweep = k
	}
}

// doomed tells whether k is one of the children that go down with others.
func (s *supervisor) doomed(k *kid) bool { return s.sweep != nil && k.no >= s.sweep.no }

// wait puts a child that is down into a state in which it stays for a while.
func (s *supervisor) wait(c *actor.Context, k *kid, in State) {
	s.kids.set(k, in)
	if !k.ref.IsZero() {
		actor.Postpone(c, k.ref)
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

// overdue kills a child that has not gone down in time.
func (s *supervisor) overdue(c *actor.Context, k *kid) { k.kill(c) }

// ended is for a child that has ended for good.
func (s *supervisor) ended(c *actor.Context, k *kid) {
	s.kids.set(k, Stopped)
	if k.awaited {
		actor.UnstashAll(c) // who waits for another's name too, and does so again
	}
	if k.removed || k.spec.kind == Temporary || s.plan.strategy == SimpleOneForOne {
		s.forget(k)
	}
}

func (s *supervisor) forget(k *kid) {
	if s.sweep == k {
		s.sweep = k.newer
	}
	s.kids.remove(k)
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
	if !s.told && !s.boss.IsZero() && s.settled() {
		s.told = true
		rose.Send(c, s.boss, actor.Risen{Ref: actor.Self[supervisor](c).Any()})
	}
}

// settled tells whether every child is up, ends or has ended. Only then does a supervisor count as up for
// its own supervisor.
func (s *supervisor) settled() bool {
	return s.kids.in[Pending]+s.kids.in[Starting]+s.kids.in[Falling]+s.kids.in[BackingOff] == 0
}

// swept takes down the next child that has to go down, and tells whether there was none.
func (s *supervisor) swept(c *actor.Context) bool {
	if s.sweep == nil {
		return true
	}
	for k := s.kids.lowest(s.sweep); k != nil; k = s.kids.lowest(s.sweep) {
		switch k.state {
		case Starting, Running:
			s.takeDown(c, k)
			return false
		case Stopped: // it comes up with the others
			s.kids.set(k, Pending)
		default:
			return false
		}
	}
	s.sweep = nil
	return true
}

// takeDown takes down a child that has to go down with others.
func (s *supervisor) takeDown(c *actor.Context, k *kid) {
	switch stop := k.spec.stop; {
	case k.spec.kind == Temporary:
		s.kids.set(k, Stopping)
		stop.tell(c, k.ref)
	case stop.how == howKill:
		s.kids.set(k, Falling)
		k.kill(c)
	default:
		s.kids.set(k, Falling)
		actor.Suspend(c, k.ref)
		if stop.within != Forever {
			k.timer = actor.After(c, stop.within, overdue, k)
		}
	}
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
	if !k.ref.IsZero() {
		actor.Restart(c, k.ref)
		return
	}
	care := actor.Care[supervisor]{Fell: fell, Stop: k.spec.stop.tell, Before: s.kids.behind(k)}
	if k.spec.plan == nil {
		care.Rose = rose // a supervisor says so itself
	}
	s.kids.born(k, k.spec.spawn(c, care))
}
