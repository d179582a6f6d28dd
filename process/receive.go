package process

import "time"

// Receive waits for the next message.
func (s *Self[M]) Receive() M {
	must(s != nil, "Receive of a nil Self")
	s.enter("Receive")
	for {
		s.fetch()
		if n := s.first; n != nil {
			return s.take(nil, n)
		}
		s.waitForMail()
	}
}

// waitForMail suspends the process until there may be new messages.
func (s *Self[M]) waitForMail() {
	if !s.suspend(parked | forMail | uint32(opReceive)<<opShift) {
		s.leave()
	}
}

// ReceiveMatch waits for the first message that matches. Earlier messages stay in the mailbox, in
// their order, and each later receive looks at them again: see [Self.Mark]. match must not use the
// process: each operation of the process panics there.
func (s *Self[M]) ReceiveMatch(match func(M) bool) M {
	m, _ := s.receive("ReceiveMatch", nil, match, forever)
	return m
}

// ReceiveWithin is [Self.ReceiveMatch] with a time-out: it reports false if no message matches
// within d. A nil match takes any message. With a d of 0 or less it only looks.
func (s *Self[M]) ReceiveWithin(d time.Duration, match func(M) bool) (m M, ok bool) {
	return s.receive("ReceiveWithin", nil, match, max(d, 0))
}

const forever = time.Duration(1<<63 - 1)

// receive looks after prev, waits at most for d, and never looks at a message twice.
func (s *Self[M]) receive(op string, prev *node[M], match func(M) bool,
	d time.Duration) (m M, ok bool) {
	if s == nil {
		misuse(op + " of a nil Self")
	}
	s.enter(op)
	var t *timer
	defer func() { s.sys.timers.drop(t) }() // a match may panic
	for {
		var n *node[M]
		if prev, n = s.find(prev, match); n != nil {
			return s.take(prev, n), true
		}
		switch {
		case d <= 0 || t != nil && t.fired.Load():
			return m, false
		case t == nil && d != forever:
			t = s.sys.timers.arm(&s.party, d)
		}
		s.waitForMail()
	}
}

// find returns the first message after prev that matches, and the message before it. If none
// matches, it returns the last message of the mailbox.
func (s *Self[M]) find(prev *node[M], match func(M) bool) (before, n *node[M]) {
	s.fetch()
	if prev == nil {
		n = s.first
	} else {
		n = prev.next
	}
	if match == nil || n == nil {
		return prev, n
	}
	defer s.takeBack(s.lend(inMatch))
	for ; n != nil; prev, n = n, n.next {
		if match(n.m) {
			return prev, n
		}
	}
	return prev, nil
}

// Pending returns how many messages are in the mailbox. It takes time in proportion.
func (s *Self[M]) Pending() (n int) {
	must(s != nil, "Pending of a nil Self")
	s.mustRun("Pending")
	if s.sys.stepwise {
		s.choice("Pending")
	}
	s.fetch()
	for m := s.first; m != nil; m = m.next {
		n++
	}
	return n
}
