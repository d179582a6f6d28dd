package process

// Case is one thing that [Select] waits for. A case may be used again and again, by one party at a
// time, and once in each Select; making it costs an allocation, using it none.
type Case interface {
	// begin comes first in each Select.
	begin(pt *party)
	// order is where the case's lock stands among those that Select takes; 0: it has none.
	order() uint64
	lock()
	unlock()
	// poll commits the case if it is ready, and reports whether it was. wake is a party that is to
	// be woken for that. The lock is held.
	poll(pt *party) (wake *party, ok bool)
	// enroll makes pt go on when the case is or may be ready. The lock is held. mail says that
	// messages are to wake the party. If what it waits for has no lock, enroll gives the party a
	// notice if it is ready by then.
	enroll(pt *party, ticket uint32) (mail uint32)
	// withdraw takes enroll back, as far as a counterpart has not. The lock is held.
	withdraw(pt *party)
	// finish ends a case that was chosen. byOther says that it was committed by a counterpart.
	finish(byOther bool)
}

// picks is what Select needs to sort its cases.
type picks struct {
	locks []Case // with locks, in the order of locking, each lock once
	order []int  // in which cases are polled

	number uint64 // of the Select
}

// Select waits until one of the cases is ready, commits it, and returns its place among cases. If
// several are ready, each is chosen with the same probability. No case is committed but the one
// that is chosen. A nil case is never ready; nor is a Select without cases, which waits for ever.
//
// Select costs a lock for each channel, and once more if it has to wait.
func Select(by Party, cases ...Case) int {
	pt := enter(by, "Select")
	s := pt.begin(cases)
	for {
		s.lockAll()
		if i, wake := pt.poll(s, cases); i >= 0 {
			s.unlockAll()
			s.end()
			pt.wakeOther(wake)
			cases[i].finish(false)
			return i
		}
		if i := pt.waitFor(s, cases); i >= 0 {
			s.end()
			cases[i].finish(true)
			return i
		}
	}
}

// TrySelect is [Select] that does not wait: it returns -1 if no case is ready, as a select with a
// default does.
func TrySelect(by Party, cases ...Case) int {
	pt := enter(by, "TrySelect")
	s := pt.begin(cases)
	s.lockAll()
	i, wake := pt.poll(s, cases)
	s.unlockAll()
	s.end()
	if i >= 0 {
		pt.wakeOther(wake)
		cases[i].finish(false)
	}
	return i
}

// begin sorts the cases.
func (pt *party) begin(cases []Case) *picks {
	s := pt.picks
	if s == nil {
		s = &picks{}
		pt.picks = s
	}
	s.end()
	s.number++
	for i, c := range cases {
		if c == nil {
			continue
		}
		c.begin(pt)
		s.order = append(s.order, i)
		if c.order() != 0 {
			s.insert(c)
		}
	}
	return s
}

// insert adds the lock of c, if it is not there.
func (s *picks) insert(c Case) {
	at, o := len(s.locks), c.order()
	for ; at > 0 && s.locks[at-1].order() >= o; at-- {
		if s.locks[at-1].order() == o {
			return
		}
	}
	s.locks = append(s.locks, nil)
	copy(s.locks[at+1:], s.locks[at:])
	s.locks[at] = c
}

func (s *picks) lockAll() {
	for _, c := range s.locks {
		c.lock()
	}
}

func (s *picks) unlockAll() {
	for _, c := range s.locks {
		c.unlock()
	}
}

// end forgets the cases.
func (s *picks) end() {
	clear(s.locks)
	s.locks, s.order = s.locks[:0], s.order[:0]
}

// poll looks at the cases in an order that is shuffled on the way, and commits the first that is
// ready. It returns -1 if none is. The locks are held.
func (pt *party) poll(s *picks, cases []Case) (i int, wake *party) {
	returned := false
	defer func() {
		if !returned { // a match of the user's has panicked
			s.unlockAll()
		}
	}()
	i, wake = pt.pollAll(s, cases)
	returned = true
	return i, wake
}

func (pt *party) pollAll(s *picks, cases []Case) (i int, wake *party) {
	for at := range s.order {
		j := at
		if n := len(s.order) - at; n > 1 {
			j += pt.random(n)
		}
		s.order[at], s.order[j] = s.order[j], s.order[at]
		i := s.order[at]
		if wake, ok := cases[i].poll(pt); ok {
			return i, wake
		}
	}
	return -1, nil
}

// waitFor enrolls the party in all cases and waits. It returns the case that a counterpart has
// committed, or -1 if one without a counterpart may be ready. It releases the locks, which the
// caller holds.
func (pt *party) waitFor(s *picks, cases []Case) int {
	op := opSelect
	if len(s.order) == 0 {
		op = opNever
	}
	as := parked | uint32(op)<<opShift
	pt.won.StoreRelease(open) // no other has the ticket yet
	for _, i := range s.order {
		as |= cases[i].enroll(pt, uint32(i)+1)
	}
	s.unlockAll()
	live := true
	if pt.won.Load() == open {
		live = pt.suspend(as)
	}
	byOther := !pt.won.CompareAndSwap(open, withdrawn)
	s.lockAll()
	for _, i := range s.order {
		cases[i].withdraw(pt)
	}
	s.unlockAll()
	if byOther {
		return int(pt.won.Load()) - 1
	}
	if !live {
		s.end()
		pt.proc.leave()
	}
	return -1
}
