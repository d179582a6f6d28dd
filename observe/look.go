package observe

import (
	"context"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
)

const (
	tick = time.Second
	// beat is the interval of glances, and of checks whether the system has ended.
	beat = tick / 10
	// idleAfter is the time from the last request to the end of the looks, if there is no stream.
	idleAfter = 30 * time.Second
)

// A look is shared by all clients of a handler: one goroutine that samples once a second while
// there are clients.
type look struct {
	src      source
	rules    func() []rule // makes new rules whenever the looks begin
	settings settings

	mu      sync.Mutex
	on      bool // the goroutine runs
	over    bool // the system has ended, and latest is the last view of it
	seen    shown
	streams int
	used    time.Time // time of the last request
	latest  *view     // nil before the first sample
	next    chan struct{}
	// ended is closed when the goroutine has ended and its instruments are closed.
	ended chan struct{}
}

// A view is one sample with the findings of the rules up to it. It is immutable.
type view struct {
	*sample
	since  time.Time
	before *sample // nil for the first
	over   bool    // the system has ended, so there is no later one
	lints  []lint
	past   *history
	// overview returns the answer of the API of this name, as JSON. It is made once.
	overview func() []byte
}

func newLook(src source, rules func() []rule, settings settings) *look {
	return &look{src: src, rules: rules, settings: settings, seen: shown{}, next: make(chan struct{})}
}

// use notes a request and starts the looks if needed. The caller holds mu.
func (l *look) use() {
	l.used = time.Now()
	if l.on || l.over {
		return
	}
	l.on, l.latest, l.ended = true, nil, make(chan struct{})
	tools, ended := l.src.begin(), l.ended
	guard.Go(func() { l.run(tools, ended) })
}

// current returns the latest view, and a channel that is closed when there is a newer one. It waits
// for the first view.
func (l *look) current(ctx context.Context) (*view, <-chan struct{}, error) {
	for {
		l.mu.Lock()
		l.use()
		v, next := l.latest, l.next
		l.mu.Unlock()
		if v != nil {
			return v, next, nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// join counts a stream. While there are streams, the looks go on.
func (l *look) join() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams++
}

func (l *look) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams--
	l.used = time.Now()
}

// run samples until the last client has left.
func (l *look) run(tools instruments, ended chan<- struct{}) {
	defer close(ended)
	defer tools.close()
	beats := time.NewTicker(beat)
	defer beats.Stop()
	rules, past := newJudge(l.rules()), &history{}
	since, at := time.Now(), time.Now()
	var before *sample
	for n := 0; ; n++ {
		if n%int(tick/beat) == 0 {
			before = l.look(tools, since, at, before, rules, past, false)
		}
		at = <-beats.C
		tools.glance(at)
		over := tools.over()
		if over {
			before = l.look(tools, since, at, before, rules, past, true)
		}
		if l.leaveIfIdle(at, over) {
			return
		}
	}
}

// look takes a sample and shows it with the findings of the rules. A panic on the way costs only
// its part of the page, where a line reports it.
func (l *look) look(tools instruments, since, at time.Time, before *sample, rules *judge,
	past *history, over bool) *sample {
	var s *sample
	fault := guard.Apart(func() { s = tools.sample(at) })
	if fault != nil {
		s = new(sample)
		if before != nil {
			*s = *before
		}
		s.at = at
	}
	past.add(before, s)
	v := viewOf(since, before, s, rules, past.copy())
	if fault != nil {
		v.lints = append(v.lints, ownFault(at, "The sample of this page", fault))
	}
	sortLints(v.lints)
	v.over = over
	v.overview = overviewOf(v, l.settings)
	l.show(v)
	return s
}

// judge has the rules, and makes findings of their signals.
type judge struct {
	rules  []rule
	causes *causes
}

func newJudge(rules []rule) *judge { return &judge{rules, newCauses()} }

func viewOf(since time.Time, before, s *sample, by *judge, past *history) *view {
	v := &view{sample: s, since: since, before: before, past: past}
	var signals []lint
	for _, r := range by.rules {
		var found []lint
		if f := guard.Apart(func() { found = r.step(v) }); f != nil {
			found = []lint{ownFault(s.at, "A rule of this page", f)}
		}
		signals = append(signals, found...)
	}
	if f := guard.Apart(func() { v.lints = by.causes.findings(v, signals) }); f != nil {
		v.lints = append(signals, ownFault(s.at, "The search for causes", f))
	}
	sortLints(v.lints)
	return v
}

// ownFault returns the lint for a panic in a part of the page itself.
func ownFault(at time.Time, part string, f *guard.Fault) lint {
	return lint{rule: "page", severity: warn, since: at, subject: part,
		says: "has panicked, and is left out: " + clip(f.String())}
}

func (l *look) show(v *view) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latest = v
	l.seen.see(v)
	close(l.next)
	l.next = make(chan struct{})
}

// leaveIfIdle reports whether the looks end: soon after the last client has left, or at once if the
// system has ended. Later requests are answered from the last view then.
func (l *look) leaveIfIdle(now time.Time, over bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !over && (l.streams > 0 || now.Sub(l.used) < idleAfter) {
		return false
	}
	l.on, l.over = false, over
	if !over {
		l.latest = nil
		clear(l.seen)
	}
	return true
}

// seconds returns how long the system has been looked at.
func (v *view) seconds() float64 { return v.at.Sub(v.since).Seconds() }

// isNew reports whether a look, whose time is in the samples, was repeated since the sample before.
func (v *view) isNew(look func(*sample) time.Time) bool {
	at := look(v.sample)
	return v.before == nil || at.IsZero() || !at.Equal(look(v.before))
}

func graphAt(s *sample) time.Time { return s.graphAt }
func whyAt(s *sample) time.Time   { return s.whyAt }

// rate returns the growth of a total per second, since the sample before.
func (v *view) rate(total func(*sample) uint64) float64 {
	if v.before == nil {
		return 0
	}
	return rateOf(v.before, v.sample, total)
}

// starved returns how many threads of the process waited for a processor, on average since the
// sample before.
func (v *view) starved() float64 {
	return v.rate(func(s *sample) uint64 { return uint64(s.machine.waited) }) / float64(time.Second)
}

func rateOf(before, s *sample, total func(*sample) uint64) float64 {
	d := s.at.Sub(before.at).Seconds()
	if was, is := total(before), total(s); d > 0 && is > was {
		return float64(is-was) / d
	}
	return 0
}
