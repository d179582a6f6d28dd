package process

import "testing"

// TestSendToOneThatWaits: a sender that is not a process of the same system, and claims a process
// that waits, has appended its message before the process goes on. The race detector sees it if it
// appends later.
func TestSendToOneThatWaits(t *testing.T) {
	const rounds = 500
	s, other := Start(Config{Workers: 1}), Start(Config{Workers: 1})
	defer s.Stop()
	defer other.Stop()
	replies := NewChan[int](0)
	r := Spawn(s, func(s *Self[int]) {
		for {
			replies.Send(s, s.Receive())
		}
	})
	exchange := func(by Party) {
		for i := range rounds {
			r.Send(by, i)
			if got, _ := replies.Recv(by); got != i {
				t.Errorf("the reply to %d is %d", i, got)
			}
		}
	}
	g, over := s.Goroutine(), NewChan[int](0)
	exchange(g)
	Go(other, func(p *Proc) { exchange(p); over.Close(p) })
	over.Recv(g)
}
