package process

import (
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Monitor is one observation of the end of a process. See [Self.Watch].
type Monitor struct{ m *monitor }

// monitor is in two lists: that of the process which it is of, and that of the process which has it.
type monitor struct {
	of    *Proc // nil: that of NewReply, which has no process to watch
	owner *Proc // nil: it stays when its owner ends
	// It is the answer of a request. It fires even if the owner has ended, since others may wait for it.
	asks  bool
	spent seam.Bool // it has fired, or was taken back
	tell  func(d Down, w *sched.Worker, by *System)

	place entry[*monitor] // guarded by the lock of of
	owned entry[*monitor] // guarded by the lock of owner
}

// Watch sends the end of another process to the mailbox as a message, once, as wrap makes it. wrap
// runs in a goroutine of its own. The ending process waits for it, so it must be quick. If it
// panics, or calls runtime.Goexit, the process that has called Watch ends for that reason. Each
// call makes a new monitor, which exists until one of the two processes ends. If the other has
// ended already, the message comes at once.
func (s *Self[M]) Watch(of Process, wrap func(Down) M) Monitor {
	of.mustBe("Watch")
	must(s != nil && wrap != nil, "Watch: a nil Self or wrap")
	s.enter("Watch")
	post := s.poster()
	m := &monitor{of: of.p, owner: &s.Proc, tell: func(d Down, w *sched.Worker, by *System) {
		if m, ok := wrapped(&s.Proc, wrap, d, w, by); ok {
			post(m, w, by)
			s.mailbox.settle()
		}
	}}
	if !m.enter() {
		m.fire(Down{of, ErrNoProcess}, s.w, s.sys)
	}
	return Monitor{m}
}

// wrapped returns the message that wrap, a function of the user's, makes for a process. It reports
// false if wrap has not returned: then the process is told to end for that reason.
func wrapped[N, M any](owner *Proc, wrap func(N) M, news N, w *sched.Worker, by *System) (m M,
	ok bool) {
	crash := guardCall(by.sched, func() { m = wrap(news) })
	if crash == nil {
		return m, true
	}
	owner.endFor(crash, w, by)
	return m, false
}

// endFor tells the process to end for a function that it has given others to call.
func (p *Proc) endFor(crash *sched.Crash, w *sched.Worker, by *System) {
	p.reportCrash(crash)
	p.tellToEnd(&cancel{reason: crash}, w, by)
}

// enter begins the observation, and reports false if the process has ended.
func (m *monitor) enter() bool {
	m.place.of, m.owned.of = m, m
	if m.owner != nil {
		l := m.owner.getLife()
		l.mu.Lock()
		l.own.push(&m.owned)
		l.mu.Unlock()
	}
	l := m.of.getLife()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	l.monitors.push(&m.place)
	return true
}

func (m *monitor) fire(d Down, w *sched.Worker, by *System) {
	if m.spent.CompareAndSwap(false, true) {
		m.leaveOwner()
		m.tell(d, w, by)
	}
}

// Stop takes the monitor back, and reports whether its message will never come. If it reports
// false, the message has come, or is about to.
func (m Monitor) Stop() bool {
	must(m.m != nil, "Stop of a zero Monitor")
	choiceHere("Monitor.Stop")
	return m.m.stop()
}

func (m *monitor) stop() bool {
	if !m.spent.CompareAndSwap(false, true) {
		return false
	}
	m.leaveOwner()
	m.leave()
	return true
}

// disown ends the observation because its owner has ended.
func (m *monitor) disown(w *sched.Worker, by *System) {
	if !m.spent.CompareAndSwap(false, true) {
		return
	}
	m.leave()
	if m.asks {
		m.tell(Down{Process{m.of}, ErrNoProcess}, w, by)
	}
}

// leave takes the monitor out of the list of the process that it is of.
func (m *monitor) leave() {
	if m.of == nil {
		return
	}
	l := m.of.getLife()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.monitors.remove(&m.place)
}

// leaveOwner takes it out of the list of the process that has it.
func (m *monitor) leaveOwner() {
	if m.owner == nil {
		return
	}
	l := m.owner.getLife()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own.remove(&m.owned)
}
