package process

import "testing"

// TestCancelOfOneThatIsCommitted: a process waits at one channel, mutex or wait group, and is
// cancelled after a counterpart has committed it. Its operation completes.
func TestCancelOfOneThatIsCommitted(t *testing.T) {
	for _, cancelFirst := range []bool{false, true} {
		s := Start(Config{Workers: 1})
		in, out, got := NewChan[int](0), NewChan[int](0), NewChan[int](4)
		var m Mutex
		var g WaitGroup
		m.Lock(s.Goroutine())
		g.Add(s, 1)
		then := func(wait func(p *Proc), what int) Process {
			return Go(s, func(p *Proc) {
				wait(p)
				got.TrySend(p, what)
			})
		}
		victims := []Process{
			then(func(p *Proc) { in.Recv(p) }, 1),
			then(func(p *Proc) { out.Send(p, 2) }, 2),
			then(func(p *Proc) { m.Lock(p) }, 3),
			then(func(p *Proc) { g.Wait(p) }, 4),
		}
		quiet(t, s)
		committed := 0
		Go(s, func(p *Proc) { // the victims do not run before it has ended
			cancel := func() {
				for _, v := range victims {
					v.Cancel(p, ErrStopped)
				}
			}
			if cancelFirst {
				cancel()
			}
			if in.TrySend(p, 1) {
				committed++
			}
			if v, _, _ := out.TryRecv(p); v == 2 {
				committed++
			}
			m.Unlock(p)
			g.Done(p)
			cancel()
		})
		quiet(t, s)
		equal(t, "committed", committed, 2)
		equal(t, "values", got.Len(), 4)
		equal(t, "blocked", len(s.Blocked()), 0)
		s.Stop()
	}
}

// TestCancelStormAtOneChannel: processes that wait at one channel, half of them to send, are
// cancelled at any moment. A counterpart's view of each value agrees with the process's.
func TestCancelStormAtOneChannel(t *testing.T) {
	for seed := range uint64(30) {
		cancelStormAtOneChannel(t, seed)
	}
}

func cancelStormAtOneChannel(t *testing.T, seed uint64) {
	const each = 40
	s := Start(Config{Workers: 2, Seed: seed})
	defer s.Stop()
	in, out := NewChan[int](0), NewChan[int](0)
	received, sent := NewChan[int](each), NewChan[int](each)
	given, taken := NewChan[int](each), NewChan[int](each)
	for range each {
		victims := []Process{
			Go(s, func(p *Proc) { in.Recv(p); received.TrySend(p, 1) }),
			Go(s, func(p *Proc) { out.Send(p, 1); sent.TrySend(p, 1) }),
		}
		Go(s, func(p *Proc) {
			p.Yield()
			if in.TrySend(p, 1) {
				given.TrySend(p, 1)
			}
			if _, ok, _ := out.TryRecv(p); ok {
				taken.TrySend(p, 1)
			}
		})
		Go(s, func(p *Proc) {
			for _, v := range victims {
				p.Yield()
				v.Cancel(p, nil)
			}
		})
	}
	quiet(t, s)
	equal(t, "received", received.Len(), given.Len())
	equal(t, "sent", sent.Len(), taken.Len())
}
