package process

import "testing"

// errand is the message of the clients in these tests.
type errand struct {
	n     int
	reply ReplyTo[int]
}

func runErrands(s *Self[errand]) {
	for {
		r := s.Receive()
		r.reply.Reply(s, r.n)
	}
}

func sendOn(t *testing.T, p Party, to Ref[errand], n int) {
	got, err := Call(p, to, func(r ReplyTo[int]) errand { return errand{n, r} })
	if got != n || err != nil {
		t.Errorf("the reply is %d, %v, not %d", got, err, n)
	}
}

// TestLostCoroutinesEnd: processes that change places with others and then leave by Goexit, one
// after the other, leave no more coroutines behind than there are processes.
func TestLostCoroutinesEnd(t *testing.T) {
	for _, workers := range []int{1, 2} {
		s := Start(Config{Workers: workers})
		before := byGoroutine.len()
		const servers = 3
		var to [servers]Ref[errand]
		for i := range to {
			to[i] = Spawn(s, runErrands)
		}
		driver := Go(s, func(p *Proc) {
			for i := range 1000 {
				Go(p, func(p *Proc) {
					sendOn(t, p, to[i%servers], i)
					sendOn(t, p, to[i*i%servers], i)
					p.Exit(nil)
				}).Join(p)
			}
		})
		equal(t, "reason", result(t, s, driver), nil)
		if n := byGoroutine.len() - before; n > 30 {
			t.Errorf("%d workers: %d coroutines are left of %d servers", workers, n, servers)
		}
		s.Stop()
	}
}

// TestChangedPlaces: processes that talk to each other at random, and end in each way there is, get
// all their replies, and leave nothing behind.
func TestChangedPlaces(t *testing.T) {
	s := Start(Config{Workers: 2})
	const servers, clients = 5, 2000
	var to [servers]Ref[errand]
	for i := range to {
		to[i] = Spawn(s, runErrands)
	}
	calls := NewChan[int](10 * clients)
	for i := range clients {
		Go(s, func(p *Proc) {
			for n := range i % 4 {
				sendOn(t, p, to[(i+n*n)%servers], i)
				calls.TrySend(p, 1)
			}
			switch i % 3 {
			case 0:
				p.Exit(ErrStopped)
			case 1:
				panic("the end")
			}
		})
	}
	quiet(t, s)
	equal(t, "calls", calls.Len(), clients/4*(0+1+2+3))
	equal(t, "blocked", len(s.Blocked()), servers)
	s.Stop()
	equal(t, "blocked", len(s.Blocked()), 0)
}

// len is the number of coroutines there are, of all systems.
func (a *whereabouts) len() (n int) {
	for i := range a.shards {
		p := &a.shards[i]
		p.mu.Lock()
		n += len(p.by)
		p.mu.Unlock()
	}
	return n
}

// idleCoroutine returns a coroutine that has run a process.
func idleCoroutine(s *System) *coroutine {
	c := newCoroutine()
	r := &plain{f: func(*Proc) {}}
	r.sys, r.run = s, r
	c.proc = &r.Proc
	c.own.swap()
	c.proc = nil
	return c
}

// TestRetireInAnyPlace: three coroutines that have changed places in any way, retired in any order,
// all end.
func TestRetireInAnyPlace(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for _, change := range [][][2]int{{}, {{0, 1}}, {{0, 2}}, {{1, 2}},
		{{0, 1}, {1, 2}}, {{1, 2}, {0, 1}}} {
		for _, order := range orders {
			before := byGoroutine.len()
			var c [3]*coroutine
			for i := range c {
				c[i] = idleCoroutine(s)
			}
			for _, pair := range change {
				c[pair[0]].changePlaces(c[pair[1]])
			}
			for i, which := range order {
				s.retire(c[which])
				if n := byGoroutine.len() - before; n > 2*(2-i) {
					t.Errorf("%v, %v: %d coroutines after %d", change, order, n, i+1)
				}
			}
		}
	}
}
