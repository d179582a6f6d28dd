package process

import (
	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// life holds the relations of other processes to the end of this one. It is made when first needed,
// and when the process ends. Its lock comes after the locks of channels. No two lives are locked at
// the same time.
type life struct {
	mu       seam.QuickMutex
	over     bool           // guarded by mu
	links    links          // guarded by mu
	monitors list[*monitor] // guarded by mu: of this process
	own      list[*monitor] // guarded by mu: that this process has of others
	waiters  list[*party]   // guarded by mu: in Select, for the end
	names    []string       // guarded by mu
	trap     *trap          // guarded by mu; nil: exits end the process

	slot seam.Pointer[joint.Actor] // see ForActors.SlotOf
}

// trap has exits delivered as messages. make calls the user's wrap, and returns a function that
// posts the message, or nil if wrap has failed. settle is called after the post, while no lock is
// held. It makes a dead letter of the message if the process has ended before the post.
type trap struct {
	make   func(e Exit, w *sched.Worker, by *System) (post func(w *sched.Worker, by *System))
	settle func()
}

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

// announceEnd tells linked, monitoring and waiting parties that the process has ended.
func (p *Proc) announceEnd(w *sched.Worker) {
	if p.life.CompareAndSwap(nil, alreadyOver) {
		return
	}
	l := p.life.Load()
	l.mu.Lock()
	l.over = true
	others, monitors, own, waiters := l.links.all.all(), l.monitors.takeAll(), l.own.takeAll(),
		l.waiters.takeAll()
	names := l.names
	l.links, l.names, l.trap = links{}, nil, nil
	l.mu.Unlock()
	p.sys.names.removeAll(p, names)
	for _, pt := range waiters {
		pt.wake(w, p.sys)
	}
	for _, m := range monitors {
		m.fire(Down{Process{p}, p.reason}, w, p.sys)
	}
	for _, o := range others {
		o.to.linkEnded(p, p.reason, w, p.sys)
	}
	for _, m := range own {
		m.disown(w, p.sys)
	}
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
	if t == nil {
		return false
	}
	if post := t.make(e, w, by); post != nil {
		post(w, by)
		t.settle()
	}
	return true
}

// mostWraps is how many calls of the wrap of one process there may be at a time. There are as many as
// others tell of exits at the same moment, unless each call causes another.
const mostWraps = 1000

// TrapExit turns exits into messages. From now on, the end of a linked process, and
// [Process.Cancel], do not end the process: wrap makes a message of each, which arrives in the
// mailbox. Normal ends of linked processes arrive, too. A nil wrap ends the trap.
//
// wrap runs in a goroutine of its own. The party that causes the exit waits for it, so it must be
// quick. The process ends if wrap panics or calls runtime.Goexit. It also ends if wrap tells the
// process itself to end, since each such exit would need another call of wrap. A [Process.Kill] is
// never trapped.
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
		var calls seam.Int64 // of wrap, at the moment
		l.trap = &trap{func(e Exit, w *sched.Worker, by *System) func(*sched.Worker, *System) {
			defer calls.Add(-1)
			if calls.Add(1) > mostWraps {
				s.endFor(&sched.Crash{Value: "gallop: process: the wrap of TrapExit causes exits of its own process"},
					w, by)
				return nil
			}
			m, ok := wrapped(&s.Proc, wrap, e, w, by)
			if !ok {
				return nil
			}
			return func(w *sched.Worker, by *System) { post(m, w, by) }
		}, s.mailbox.settle}
	}
}
