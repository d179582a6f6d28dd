package process

import "testing"

// TestGoesOn: a process goes on after it woke another one if it has more to receive: from the channel
// that it received from last, or from its mailbox. It does not if it has waited since, or has had
// its turn.
func TestGoesOn(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	c := NewChan[int](4)
	for i := range 3 {
		c.TrySend(s, i)
	}
	goes := func(p *Proc) bool { return goesOn(p.w, &p.task) }
	check := func(p *Proc, when string, want bool) {
		if got := goes(p); got != want {
			t.Errorf("%s: goes on is %v", when, got)
		}
	}
	Go(s, func(p *Proc) {
		check(p, "before the first", false)
		c.Recv(p)
		check(p, "two are left", true)
		budget := p.budget
		p.budget = 1
		check(p, "at the end of its turn", false)
		p.budget = budget
		_ = Go(p, func(*Proc) {}).Join(p)
		check(p, "it has waited", false)
		Select(p, RecvFrom(c, nil, nil))
		check(p, "one is left", true)
		c.Recv(p)
		check(p, "none is left", false)
		Go(p, func(q *Proc) {
			c.Send(q, 0)
			c.Send(q, 1)
		})
		c.Recv(p)
		check(p, "another has come while it waited for a worker", true)
	})
	Spawn(s, func(p *Self[int]) {
		p.Ref().Send(p, 1)
		p.Ref().Send(p, 2)
		check(&p.Proc, "mail", true)
		p.Receive()
		check(&p.Proc, "more mail", true)
		p.Receive()
		check(&p.Proc, "no mail", false)
	})
	quiet(t, s)
}
