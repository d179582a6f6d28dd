package supervise

import (
	"strconv"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/members"
)

// The members of a pool of package group are the children of a supervisor with SimpleOneForOne. It
// keeps as many as the pool asks for, and tells the pool which actors they are.

// memberList is the list of a supervisor of members. Owner: the supervisor.
type memberList struct {
	pool  members.Pool
	all   []*child
	named int // names given so far
}

// resizeMembers is sent by the pool.
var resizeMembers = actor.Declare[int](supervisorType, "resize")

func init() {
	supervisorType.Table(resizeMembers.Handle((*supervisor).resizeMembers))
}

// startMembers starts root, a child of the running actor, as the supervisor of a pool's members.
func startMembers(c *actor.Context, root supervisor, pool members.Pool) Supervisor {
	root.spec.template.stop = Shutdown{shutdownAsSupervisor, Forever}
	root.members = &memberList{pool: pool}
	s := listed(Supervisor{supervisorType.SpawnChild(c, root)})
	pool.SetResize(func(from actor.Sender, n int) { resizeMembers.Send(from, s.Ref, n) })
	return s
}

// growMembers adds members until there are n.
func (s *supervisor) growMembers(c *actor.Context, n int) {
	m := s.members
	news := members.News{Size: n}
	for len(m.all) < n {
		m.named++
		made, _ := (&childSpec{name: strconv.Itoa(m.named)}).instantiate(s.spec.template)
		ch := s.children.add(made)
		ch.member = len(m.all)
		m.all = append(m.all, ch)
		s.launch(c, ch)
		news.Changed = append(news.Changed, members.Member{Index: ch.member, Ref: ch.ref})
	}
	m.pool.Tell(c, news)
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
	news := members.News{Size: n}
	for _, ch := range m.all[n:] {
		ch.leaving = true
		news.Leaving = append(news.Leaving, ch.ref)
	}
	clear(m.all[n:])
	m.all = m.all[:n]
	m.pool.Tell(c, news)
}

// tellMember tells the pool which actor a member is, and whether it waits for its back-off.
func (s *supervisor) tellMember(c *actor.Context, ch *child, down bool) {
	if m := s.members; m != nil && !ch.leaving {
		m.pool.Tell(c, members.News{Size: len(m.all),
			Changed: []members.Member{{Index: ch.member, Ref: ch.ref, Down: down}}})
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
