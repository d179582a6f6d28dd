package process

// Case is one event that [Select] waits for. A case may be used again, by one party at a time, and
// once in each Select, which panics otherwise. Making a case costs an allocation, using it none.
type Case interface {
	// begin comes first in each Select.
	begin(pt *party)
	// order is the place of the case's lock in the order in which Select takes locks; 0: it has
	// none.
	order() uint64
	lock()
	unlock()
	// foreign reports whether poll, enroll or withdraw call code of the user's. Then they are called
	// while no lock is held.
	foreign() bool
	// poll commits the case if it is ready, and reports whether it was. wake is a party that is to
	// be woken for that. The lock is held.
	poll(pt *party) (wake *party, ok bool)
	// enroll makes pt go on when the case is or may be ready. The lock is held. mail is forMail if
	// messages must wake the party. A case without a lock gives the party a notice if it is ready
	// already.
	enroll(pt *party, ticket uint32) (mail uint32)
	// withdraw takes enroll back, as far as a counterpart has not. The lock is held.
	withdraw(pt *party)
	// waits returns the kind of wait and, if it is for a process, its number, as in Blocked.
	waits() (op, uint64)
	// finish ends a case that was chosen. byOther says that it was committed by a counterpart. No
	// lock is held. It comes before the withdrawal of cases that call code of the user's.
	finish(byOther bool)
}

// picks is the memory of Select for its sorted cases.
type picks struct {
	locks []Case // with locks, in the order of locking, each lock once
	order []int  // in which cases are polled

	foreign bool // there is a case that calls code of the user's
	named   bool // the process itself has a name for the wait of the Select

	// A panic has to undo these: the locks that are held, and whether the party is enrolled, or was
	// about to be. The user's code may panic, and so does a case that is used twice at a time.
	held     []Case
	enrolled bool
	one      [1]Case
}

// Select waits until one of the cases is ready, commits it, and returns its index in cases. If
// several are ready, each is chosen with the same probability. Only the chosen case is committed. A
// nil case is never ready. A Select without cases waits for ever.
//
// Select costs a lock for each channel, and once more if it has to wait.
func Select(by Party, cases ...Case) int {
	pt := enter(by, "Select")
	s := pt.picksOf()
	defer s.undo(pt, cases)
	pt.begin(s, cases)
	for {
		if i := pt.poll(s, cases); i >= 0 {
			cases[i].finish(false)
			return i
		}
		if i := pt.waitFor(s, cases); i >= 0 {
			return i
		}
	}
}

// TrySelect is [Select] that does not wait: it returns -1 if no case is ready, as a select with a
// default does.
func TrySelect(by Party, cases ...Case) int {
	pt := enter(by, "TrySelect")
	s := pt.picksOf()
	defer s.undo(pt, cases)
	pt.begin(s, cases)
	i := pt.poll(s, cases)
	if i >= 0 {
		cases[i].finish(false)
		return i
	}
	if !s.foreign {
		s.unlockAll()
	}
	s.end()
	return i
}

// picksOf returns the picks of the party.
func (pt *party) picksOf() *picks {
	if pt.picks == nil {
		pt.picks = &picks{}
	}
	return pt.picks
}

// undo ends a Select that has panicked: otherwise there is nothing to be done.
func (s *picks) undo(pt *party, cases []Case) {
	if len(s.order) == 0 {
		return
	}
	if s.enrolled {
		pt.won.CompareAndSwap(open, withdrawn) // with the locks: no counterpart commits
	}
	for _, c := range s.held {
		c.unlock()
	}
	s.held = nil
	if s.enrolled {
		pt.withdrawOwn(s, cases)
		pt.withdrawForeign(s, cases, 0)
	}
	s.end()
}

// begin sorts the cases.
func (pt *party) begin(s *picks, cases []Case) {
	for i, c := range cases {
		if c == nil {
			continue
		}
		c.begin(pt)
		s.order = append(s.order, i)
		s.foreign = s.foreign || c.foreign()
		if c.order() != 0 {
			s.insert(c)
		}
	}
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
	s.held = s.locks
}

func (s *picks) unlockAll() {
	s.held = nil
	for _, c := range s.locks {
		c.unlock()
	}
}

// end forgets the cases.
func (s *picks) end() {
	clear(s.locks)
	s.locks, s.order, s.foreign, s.enrolled = s.locks[:0], s.order[:0], false, false
}

// poll looks at the cases in an order that it shuffles on the way, and commits the first ready
// case: then the Select is over, except for finish. It returns -1 if none is ready. Then all locks
// are held, unless a case calls code of the user's.
//
// A Select without such code looks at all cases and enrolls in them under all locks. Otherwise each
// case is looked at under its own lock, if it has one. If none is ready, waitFor looks at the cases
// with a lock again, before enrolling; the others report a change in between by a notice.
func (pt *party) poll(s *picks, cases []Case) (i int) {
	if !s.foreign {
		s.lockAll()
	}
	for at := range s.order {
		j := at
		if n := len(s.order) - at; n > 1 {
			j += pt.random(n)
		}
		s.order[at], s.order[j] = s.order[j], s.order[at]
		i := s.order[at]
		if pt.pollOne(s, cases[i]) {
			return i
		}
	}
	return -1
}

// pollOne looks at one case.
func (pt *party) pollOne(s *picks, c Case) bool {
	alone := s.foreign && c.order() != 0
	if alone {
		c.lock()
		s.one[0] = c
		s.held = s.one[:]
	}
	wake, ok := c.poll(pt)
	switch {
	case alone:
		s.held, s.one[0] = nil, nil
		c.unlock()
	case ok && !s.foreign:
		s.unlockAll()
	}
	if ok {
		s.end()
		pt.wakeOther(wake)
	}
	return ok
}

// waitFor enrolls the party in all cases and waits. It returns the case that was committed, by a
// counterpart or by waitFor itself, and is finished. It returns -1 if one without a counterpart may
// be ready. It releases the locks, which the caller holds as poll says.
//
// Code of the user's, which is called to withdraw from its cases, may not return. By then the
// counterpart goes on, and the case is finished; undo withdraws from the others.
func (pt *party) waitFor(s *picks, cases []Case) (i int) {
	as := parked | pt.waitBits(s, cases)
	pt.won.StoreRelease(open) // no other has the ticket yet
	s.enrolled = true
	if s.foreign {
		as |= pt.enrollAll(s, cases, true)
		s.lockAll()
		if i, wake := pt.pollAgain(s, cases); i >= 0 {
			s.unlockAll()
			pt.wakeOther(wake)
			cases[i].finish(false)
			pt.withdrawForeign(s, cases, 0)
			s.end()
			return i
		}
	}
	as |= pt.enrollAll(s, cases, false)
	s.unlockAll()
	live := true
	if pt.won.Load() == open {
		live = pt.suspend(as)
	}
	i = -1
	if s.named {
		s.named = false
		pt.proc.on.Store(nil)
	}
	byOther := !pt.won.CompareAndSwap(open, withdrawn)
	pt.withdrawOwn(s, cases)
	if byOther {
		i = int(pt.won.Load()) - 1
		cases[i].finish(true)
	}
	pt.withdrawForeign(s, cases, 0)
	s.enrolled = false
	switch {
	case byOther:
		s.end()
	case !live:
		s.end()
		pt.proc.leave()
	}
	return i
}

// waitBits returns the wait of the Select, for reports, in bits of the wake word. A single case,
// also with a time-out, is named itself. Several cases are a select of all of them.
func (pt *party) waitBits(s *picks, cases []Case) uint32 {
	if len(s.order) == 0 {
		return uint32(opNever) << opShift
	}
	is, of := cases[s.order[0]].waits()
	if len(s.order) == 2 {
		switch second, ofSecond := cases[s.order[1]].waits(); {
		case is == opSleep:
			is, of = second, ofSecond
		case second != opSleep:
			return pt.waitBitsOfMany(s, cases)
		}
	} else if len(s.order) > 2 {
		return pt.waitBitsOfMany(s, cases)
	}
	if (is == opReply || is == opEnd) && pt.proc != nil {
		pt.proc.of.Store(of)
	}
	return uint32(is) << opShift
}

// waitBitsOfMany is waitBits for a select. If it waits for several processes, it leaves a list.
func (pt *party) waitBitsOfMany(s *picks, cases []Case) uint32 {
	bits, one, several := uint32(opSelect)<<opShift, uint64(0), false
	for _, i := range s.order {
		is, of := cases[i].waits()
		bits |= 1 << (kindShift + is)
		several = several || of != 0 && one != 0
		one = max(one, of)
	}
	if pt.proc == nil {
		return bits
	}
	if pt.proc.of.Store(one); several && pt.proc.on.Load() == nil {
		names := make(waitNames, 0, len(s.order))
		for _, c := range cases {
			if c != nil {
				is, of := c.waits()
				names = append(names, waitName{is, of})
			}
		}
		s.named = true
		pt.proc.on.Store(&waitsFor{what: "select", names: names})
	}
	return bits
}

// enrollAll enrolls the party in the cases that call code of the user's, or in the others.
func (pt *party) enrollAll(s *picks, cases []Case, foreign bool) (mail uint32) {
	for _, i := range s.order {
		if !s.foreign || cases[i].foreign() == foreign {
			mail |= cases[i].enroll(pt, uint32(i)+1)
		}
	}
	return mail
}

// withdrawOwn takes enrollAll back, of the cases that call no code of the user's.
func (pt *party) withdrawOwn(s *picks, cases []Case) {
	s.lockAll()
	for _, i := range s.order {
		if !s.foreign || !cases[i].foreign() {
			cases[i].withdraw(pt)
		}
	}
	s.unlockAll()
}

// withdrawForeign is withdrawOwn for the other cases, from a place in the order on. It withdraws from
// all of them, also if the code of one does not return.
func (pt *party) withdrawForeign(s *picks, cases []Case, from int) {
	if !s.foreign {
		return
	}
	at := from
	defer func() {
		if at < len(s.order) {
			pt.withdrawForeign(s, cases, at+1)
		}
	}()
	for ; at < len(s.order); at++ {
		if c := cases[s.order[at]]; c.foreign() {
			c.withdraw(pt)
		}
	}
}

// pollAgain looks at the cases with a lock once more. All locks are held.
func (pt *party) pollAgain(s *picks, cases []Case) (i int, wake *party) {
	for _, i := range s.order {
		if cases[i].order() == 0 {
			continue
		}
		if wake, ok := cases[i].poll(pt); ok {
			return i, wake
		}
	}
	return -1, nil
}
