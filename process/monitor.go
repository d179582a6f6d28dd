package process

import (
	"slices"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Monitor is one observation of the end of a process. See [Self.Monitor].
type Monitor struct{ m *monitor }

type monitor struct {
	of    *Proc
	spent seam.Bool // it has fired, or was taken back
	tell  func(d Down, w *sched.Worker, by *System)
}

// Monitor has the end of another process arrive in the mailbox as a message, once, as wrap makes
// it. wrap runs in any goroutine and must be quick. Each call makes a monitor of its own. If the
// process has ended, the message says so at once.
func (s *Self[M]) Monitor(of Process, wrap func(Down) M) Monitor {
	of.mustBe("Monitor")
	must(s != nil && wrap != nil, "Monitor: a nil Self or wrap")
	s.enter("Monitor")
	post := s.poster()
	m := &monitor{of: of.p, tell: func(d Down, w *sched.Worker, by *System) {
		post(wrap(d), w, by)
	}}
	if !m.enter() {
		m.fire(Down{of, ErrNoProcess}, s.w, s.sys)
	}
	return Monitor{m}
}

// enter begins the observation, and reports false if the process has ended.
func (m *monitor) enter() bool {
	l := m.of.getLife()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	l.monitors = append(l.monitors, m)
	return true
}

func (m *monitor) fire(d Down, w *sched.Worker, by *System) {
	if m.spent.CompareAndSwap(false, true) {
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
	if m.of == nil {
		return true // of NewReply
	}
	l := m.of.getLife()
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.monitors, m); i >= 0 {
		l.monitors = slices.Delete(l.monitors, i, i+1)
	}
	return true
}
