package process

import (
	"math"

	"github.com/gallop-go/gallop/sched"
)

// Links. Each of the two processes has an entry for the other, under its own lock. When a process
// ends, it tells each linked process. The effect is decided under the lock of the told process, and
// only if its entry is still there. So after Unlink has removed the entry, no exit comes:
//
//   - Without a trap, the entry stays, with the reason, and the process is asked to
//     end for a link, which it obeys at its next wait. Unlink removes the entry, and withdraws the
//     request if no other link has failed.
//   - With a trap, wrap makes the message while no lock is held, since it is the
//     user's. The message is posted under the lock, if the entry is still there.
//
// No life is locked while another is.

// links are the links of one process. Its life's lock guards them.
type links struct {
	all list[linked]
	of  map[*Proc]*entry[linked] // of all of them; nil: they are few
	// How many of them have failed by now, and how many ever did.
	failed int
	made   int
}

// linked is one of two entries of a link.
type linked struct {
	to     *Proc
	failed error // why the other has ended; nil: it has not, or exits are trapped
	place  int   // order of the failure among the failed links
}

// few is the number of links above which they are looked for by a map.
const few = 8

func (l *links) find(to *Proc) *entry[linked] {
	if l.of != nil {
		return l.of[to]
	}
	for e := l.all.first; e != nil; e = e.next {
		if e.of.to == to {
			return e
		}
	}
	return nil
}

func (l *links) add(to *Proc) {
	if l.find(to) != nil {
		return
	}
	e := &entry[linked]{of: linked{to: to}}
	l.all.push(e)
	switch {
	case l.of != nil:
		l.of[to] = e
	case l.all.n > few:
		l.of = map[*Proc]*entry[linked]{}
		for e := l.all.first; e != nil; e = e.next {
			l.of[e.of.to] = e
		}
	}
}

func (l *links) remove(e *entry[linked]) {
	if !l.all.remove(e) {
		return
	}
	delete(l.of, e.of.to)
	if e.of.failed != nil {
		l.failed--
	}
}

// fail notes that the process is to end because of a link.
func (l *links) fail(e *entry[linked], why error) {
	l.made++
	e.of.failed, e.of.place = why, l.made
	l.failed++
}

// first returns why the process is to end: because of the link that has failed first, if that was
// among so many failures. nil: none was.
func (l *links) first(among int) (why error) {
	if l.failed == 0 {
		return nil
	}
	first := among + 1
	for e := l.all.first; e != nil; e = e.next {
		if e.of.failed != nil && e.of.place < first {
			first, why = e.of.place, e.of.failed
		}
	}
	return why
}

// linkFailed asks a process to end for the reason that its links have. Unlink takes it back.
var linkFailed = &cancel{after: math.MaxInt - 1}

// Link links the calling process to another. When one of them ends for a reason other than nil, the
// other ends as well, for a [LinkedError], or receives an [Exit] if it traps exits. A second Link
// does nothing. A process that has ended already counts as ending now, for [ErrNoProcess].
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
	if !to.getLife().addLink(p) {
		p.linkEnded(to, ErrNoProcess, p.w, p.sys)
	}
}

// addLink enters a link to another process, and reports false if this one has ended.
func (l *life) addLink(to *Proc) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.links.add(to)
	}
	return !l.over
}

// Unlink undoes [Proc.Link], from either side. Afterwards the process does not end because of the
// other. If it traps exits, no [Exit] of the other comes except one that is already in its mailbox.
// A process that must already end because of the other may end within Unlink.
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
	e := l.links.find(from)
	if e == nil {
		return false
	}
	l.links.remove(e)
	if l.links.failed == 0 {
		p.cause.CompareAndSwap(linkFailed, nil)
	}
	return true
}

// linkEnded tells p that another process has ended, if the two are linked still. Any goroutine.
func (p *Proc) linkEnded(o *Proc, reason error, w *sched.Worker, by *System) {
	l := p.life.Load()
	if l == nil {
		return
	}
	var post func(w *sched.Worker, by *System)
	var made *trap
	for {
		t, done := l.endLink(p, o, reason, made, post, w, by)
		if done {
			break
		}
		made, post = t, t.make(Exit{Process{o}, reason}, w, by)
	}
	if post != nil {
		made.settle()
	}
	if p.cause.Load() != nil {
		p.wake(w, by)
	}
}

// endLink ends the link of p to o, if there is one. If p traps exits, it posts the message, which
// was made for one trap; if that is not the trap any more, it returns the trap and does nothing.
func (l *life) endLink(p, o *Proc, reason error, made *trap, post func(*sched.Worker, *System),
	w *sched.Worker, by *System) (t *trap, done bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.links.find(o)
	switch {
	case e == nil || e.of.failed != nil:
	case l.trap != nil && l.trap != made:
		return l.trap, false
	case l.trap != nil:
		l.links.remove(e)
		if post != nil {
			post(w, by)
		}
	case reason == nil:
		l.links.remove(e)
	default:
		l.links.fail(e, &LinkedError{Process{o}, reason})
		p.cause.CompareAndSwap(nil, linkFailed)
	}
	return nil, true
}

// failedLink returns why the process is to end because of its links, or nil. It counts so many failures
// of links.
func (p *Proc) failedLink(among int) error {
	l := p.life.Load()
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.links.first(among)
}

// linksFailed returns how many links of the process have failed by now, one of which has.
func (p *Proc) linksFailed() int {
	l := p.life.Load()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.links.made
}
