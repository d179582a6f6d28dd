package kernel

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/indexset"
	"github.com/gallop-go/gallop/internal/seam"
)

// Deferral is a request that has run and was not answered.
type Deferral struct {
	To    rejecter           // the lateReply of package actor that it is a part of. Read-only
	By    seam.Pointer[Cell] // its owner. Stored by the owner
	State seam.Flag
	index int // in the list of its owner; 0: it is in no list. Owner only
}

const (
	DeferralOpen  = iota
	DeferralGiven // a reply was given
	DeferralDone  // the life of its owner is over: the caller was told
)

// rejecter is a *lateReply of package actor, for all types of replies.
type rejecter interface {
	Fail(e Env, why error)
	Caller() Caller
}

// KeepBounds makes the contexts of the behaviour end with the reply that it has put off. Owner
// only, in a turn.
func (c *Turn) KeepBounds(late *Bounds) {
	late.late = true
	if old := c.bounds; old != nil {
		late.all = old.all
	}
	c.bounds = late
	c.Then |= usesContext
}

// MustBe panics if d is the deferral of a zero Deferred. Any goroutine.
func (d *Deferral) MustBe(call string) {
	if d == nil {
		PanicMisuse(call, ": a zero Deferred: use Defer")
	}
}

// Leave removes a deferral that was given from its owner's list, or tells the owner to remove it.
// Any goroutine.
func (d *Deferral) Leave(e Env) {
	by := d.By.Load() // R3
	if runsIn(e, by) {
		d.delist(by)
		return
	}
	by.Tell(e, given{d: d})
}

// given tells the owner of a deferral that another actor has replied.
type given struct {
	Unanswered
	d *Deferral
}

// Serve implements Signal.
func (s given) Serve(a *Cell, _ *Turn) {
	if s.d.By.Load() == a { // else it has been handed over since
		s.d.delist(a) // G1
	}
}

// HandOver implements actor.Deferred.HandOver. to is the new owner.
func (d *Deferral) HandOver(c *Turn, to *Cell) {
	if by := d.By.Load(); by != c.Self {
		panic("gallop: HandOver by " + c.Self.String() + " of what " + by.String() + " has to answer")
	}
	if to == c.Self || d.State.Load() != DeferralOpen {
		return
	}
	d.delist(c.Self)
	d.By.Store(to)          // H1
	to.Tell(c, adopt{d: d}) // H2
}

// adopt tells the new owner of a deferral.
type adopt struct{ d *Deferral }

// Serve implements Signal.
func (s adopt) Serve(a *Cell, c *Turn) {
	d, x := s.d, a.MakeCold()
	switch {
	case d.By.Load() != a || d.index != 0 || d.State.Load() != DeferralOpen: // A1
	case x.State == Suspended:
		d.fail(c, stoppedBecause(x.Reason))
	default:
		DeferralsOf(x).Add(a, d)
	}
}

// Refused implements Signal: it tells the caller on behalf of a, which has ended, unless a is not
// the owner any more.
func (s adopt) Refused(a *Cell, e Env) {
	if s.d.By.Load() == a {
		s.d.fail(e, a.endedBecause())
	}
}

// fail tells the caller why it gets no reply. It does nothing if the deferral is not open. Any
// goroutine.
func (d *Deferral) fail(e Env, why error) {
	if d.State.CompareAndSwap(DeferralOpen, DeferralDone) {
		d.To.Fail(e, why)
	}
}

// Crashed is fail on behalf of an actor whose behaviour has put the reply off and did not return.
// It does nothing if the deferral was handed over. Owner of the actor only.
func (d *Deferral) Crashed(e Env, why error) {
	if by := d.By.Load(); runsIn(e, by) {
		d.fail(e, why)
		d.delist(by)
	}
}

// deferrals is the part with the deferrals of an actor. The oldest is the first until one is
// removed.
type deferrals struct{ All indexset.Set[Deferral] }

// DeferralsOf returns the deferrals of an actor. The first call makes the part. Owner only.
func DeferralsOf(x *Cold) *deferrals {
	return PartOf[deferrals](x, DeferralsPart)
}

// Ends implements Part. It tells all callers that still wait why they get no reply. OnStop, which
// runs before, may have replied.
func (l *deferrals) Ends(a *Cell, e Env, at Ending, why error) {
	if at == atLifeEnd || at == atEnd {
		l.fail(a, e, why)
	}
}

// holds implements awaited.
//
//go:norace
//go:noinline
func (l *deferrals) holds(note func(what string, n int)) {
	if l != nil {
		note("put-off reply", l.All.Len())
	}
}

// Add enters a deferral into the list of a. Owner only.
func (l *deferrals) Add(a *Cell, d *Deferral) {
	if l.All.Len() == 0 {
		a.Sys().StopList.Add(a, a.Cold)
	}
	l.All.Add(d, &d.index)
}

// delist removes a deferral from the list of a, if it is there. Owner of a only.
func (d *Deferral) delist(a *Cell) {
	if d.index == 0 {
		return
	}
	if invariant.On {
		verifyDeferral(a, d)
	}
	l := DeferralsOf(a.Cold)
	l.All.Remove(&d.index)
	if l.All.Len() == 0 {
		a.Sys().StopList.remove(a.Cold)
	}
}

// fail tells all callers that wait why they get no reply. Owner only.
func (l *deferrals) fail(a *Cell, e Env, why error) {
	if l.All.Len() == 0 {
		return
	}
	left := l.All.TakeAll()
	a.Sys().StopList.remove(a.Cold)
	for _, open := range left {
		open.fail(e, why) // E1
	}
}

// verifyDeferral checks a deferral that is about to be removed from its owner's list.
func verifyDeferral(a *Cell, d *Deferral) {
	x := a.Cold
	invariant.Check(x != nil, "%v replies to what is not in its list", a)
	invariant.Check(x.Listed.Reasons > 0, "%v has put a reply off, and its system does not know", a)
	invariant.Check(DeferralsOf(x).All.Has(d, &d.index), "%v has put another reply off in its place", a)
}
