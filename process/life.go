package process

import (
	"slices"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// life is what others have to do with the end of a process. It is made when it is first needed, and
// when the process ends. Its lock comes after those of channels; of two lives, only one lock is
// held at a time.
type life struct {
	mu       seam.QuickMutex
	over     bool       // guarded by mu
	links    []*Proc    // guarded by mu
	monitors []*monitor // guarded by mu: of this process
	waiters  []*party   // guarded by mu: in Select, for the end
	names    []string   // guarded by mu
	trap     trap       // guarded by mu; nil: exits end the process

	slot seam.Pointer[any] // see access.SlotOf
}

// trap delivers an exit as a message.
type trap func(e Exit, w *sched.Worker, by *System)

// Exit says that a linked process has ended, or that the process is to end.
type Exit struct {
	// From is the process that has ended; the zero value if the exit was sent by Cancel.
	From Process
	// Reason is why; nil for a normal end.
	Reason error
}

// Down says that a monitored process has ended.
type Down struct {
	// Of is the process that has ended.
	Of Process
	// Reason is why: nil for a normal end, ErrNoProcess if it had ended before it was monitored.
	Reason error
}

// getLife returns the life of a process, and makes it if there is none.
func (p *Proc) getLife() *life {
	if l := p.life.Load(); l != nil {
		return l
	}
	p.life.CompareAndSwap(nil, &life{})
	return p.life.Load()
}

func (l *life) isEnded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// alreadyOver is the life of all processes that end before any other had to do with them.
var alreadyOver = &life{over: true}

// announceEnd tells those who want to know that the process has ended.
func (p *Proc) announceEnd(w *sched.Worker) {
	if p.life.CompareAndSwap(nil, alreadyOver) {
		return
	}
	l := p.life.Load()
	l.mu.Lock()
	l.over = true
	links, monitors, waiters, names := l.links, l.monitors, l.waiters, l.names
	l.links, l.monitors, l.waiters, l.names, l.trap = nil, nil, nil, nil, nil
	l.mu.Unlock()
	p.sys.names.removeAll(p, names)
	for _, pt := range waiters {
		pt.wake(w, p.sys)
	}
	for _, m := range monitors {
		m.fire(Down{Process{p}, p.reason}, w, p.sys)
	}
	for _, o := range links {
		if o.unlink(p) {
			o.exited(Exit{Process{p}, p.reason}, w, p.sys)
		}
	}
}

// Link links the process that calls to another: when one of them ends for a reason other than nil,
// the other ends as well, for a [LinkedError], or receives an [Exit] if it traps exits. Linking
// twice is the same as linking once. A process that has ended counts as ending now, for
// [ErrNoProcess].
func (p *Proc) Link(to Process) {
	to.mustBe("Link")
	p.enter("Link")
	link(p, to.p)
}

func link(p, to *Proc) {
	if p == to {
		return
	}
	p.getLife().addLink(to)
	if !to.getLife().addLink(p) && p.unlink(to) {
		p.exited(Exit{Process{to}, ErrNoProcess}, p.w, p.sys)
	}
}

// addLink enters a link to another process, and reports false if this one has ended.
func (l *life) addLink(to *Proc) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	if !slices.Contains(l.links, to) {
		l.links = append(l.links, to)
	}
	return true
}

// Unlink takes back [Proc.Link], by whichever side it was made. Afterwards the process does not end
// because of the other.
func (p *Proc) Unlink(from Process) {
	from.mustBe("Unlink")
	p.enter("Unlink")
	if p.unlink(from.p) {
		from.p.unlink(p)
	}
}

// unlink removes a link of p, and reports whether there was one.
func (p *Proc) unlink(from *Proc) bool {
	l := p.life.Load()
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.links, from)
	if i >= 0 {
		l.links = slices.Delete(l.links, i, i+1)
	}
	return i >= 0
}

// exited tells p that a linked process has ended.
func (p *Proc) exited(e Exit, w *sched.Worker, by *System) {
	if p.trapped(e, w, by) || e.Reason == nil {
		return
	}
	p.tellToEnd(&cancel{reason: &LinkedError{e.From, e.Reason}}, w, by)
}

// exitSignal tells p to end.
func (p *Proc) exitSignal(from Env, e Exit) {
	sys, w := act(from)
	if !p.trapped(e, w, sys) {
		p.tellToEnd(&cancel{reason: e.Reason}, w, sys)
	}
}

// trapped delivers an exit as a message, if the process traps exits.
func (p *Proc) trapped(e Exit, w *sched.Worker, by *System) bool {
	l := p.life.Load()
	if l == nil {
		return false
	}
	l.mu.Lock()
	t := l.trap
	l.mu.Unlock()
	if t != nil {
		t(e, w, by)
	}
	return t != nil
}

// TrapExit makes exits messages: from now on, the end of a linked process, and [Process.Cancel],
// arrive in the mailbox as wrap makes them, normal ends included, and do not end the process. A nil
// wrap ends that. wrap runs in any goroutine and must be quick. A [Process.Kill] is never trapped.
func (s *Self[M]) TrapExit(wrap func(Exit) M) {
	must(s != nil, "TrapExit of a nil Self")
	s.mustRun("TrapExit")
	if s.sys.stepwise {
		s.choice("TrapExit")
	}
	l := s.getLife()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trap = nil; wrap != nil {
		post := s.poster()
		l.trap = func(e Exit, w *sched.Worker, by *System) { post(wrap(e), w, by) }
	}
}
