package supervise

import (
	"strconv"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
)

// The members of a pool of package group are the children of a supervisor with SimpleOneForOne. It
// keeps as many as the pool asks for, and tells the pool which actors they are.

// memberList is the list of a supervisor of members. Owner: the supervisor.
type memberList struct {
	size  int // initial number of members
	tell  func(c any, news access.MemberNews)
	all   []*child
	named int // names given so far
}

// resizeMembers is sent by the pool.
var resizeMembers = actor.Declare[int](supervisorType, "resize")

func init() {
	supervisorType.Table(resizeMembers.Handle((*supervisor).resizeMembers))
	access.StartMembers = func(c, spec any, size int,
		tell func(c any, news access.MemberNews)) any {
		sp := mustCheck("StartMembers", spec.(Spec))
		sp.template.stop = Shutdown{shutdownAsSupervisor, Forever}
		root := rootUnder(c.(*actor.Context), sp)
		root.members = &memberList{size: size, tell: tell}
		return listed(Supervisor{supervisorType.SpawnChild(c.(*actor.Context), root)})
	}
	access.ResizeMembers = func(from, members any, size int) {
		resizeMembers.Send(from.(actor.Sender), members.(Supervisor).Ref, size)
	}
}

// growMembers adds members until there are n.
func (s *supervisor) growMembers(c *actor.Context, n int) {
	m := s.members
	news := access.MemberNews{Size: n}
	for len(m.all) < n {
		m.named++
		made, _ := (&childSpec{name: strconv.Itoa(m.named)}).instantiate(s.spec.template)
		ch := s.children.add(made)
		ch.member = len(m.all)
		m.all = append(m.all, ch)
		s.launch(c, ch)
		news.Changed = append(news.Changed, access.Member{Index: ch.member, Ref: ch.ref})
	}
	m.tell(c, news)
}

// resizeMembers adds members, or lets the youngest leave: the pool sends them nothing more, and has
// them drained after their mail. Until they end they are restarted as others are: a message over
// which one fails costs no other.
func (s *supervisor) resizeMembers(c *actor.Context, n int) {
	m := s.members
	if n >= len(m.all) {
		s.growMembers(c, n)
		return
	}
	news := access.MemberNews{Size: n}
	for _, ch := range m.all[n:] {
		ch.leaving = true
		news.Leaving = append(news.Leaving, ch.ref)
	}
	clear(m.all[n:])
	m.all = m.all[:n]
	m.tell(c, news)
}

// tellMember tells the pool which actor a member is, and whether it waits for its back-off.
func (s *supervisor) tellMember(c *actor.Context, ch *child, down bool) {
	if m := s.members; m != nil && !ch.leaving {
		m.tell(c, access.MemberNews{Size: len(m.all),
			Changed: []access.Member{{Index: ch.member, Ref: ch.ref, Down: down}}})
	}
}

// memberEnded handles the end of a member that has ended for good, as by actor.Stop. Such an end is
// no failure: another actor takes the member's place at once. If the member is to leave the pool,
// no actor takes its place. memberEnded reports false if ch is no member of a pool.
func (s *supervisor) memberEnded(c *actor.Context, ch *child) bool {
	switch {
	case s.members == nil:
		return false
	case ch.leaving:
		s.childEnded(c, ch)
	default:
		ch.timer.Cancel(c)
		ch.consecutive = 0
		s.launch(c, ch)
		s.tellMember(c, ch, false)
	}
	return true
}
