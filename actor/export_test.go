package actor

import "time"

// Muted tells whether an actor is parked, for tests.
func Muted[S any](r Ref[S]) bool { return r.b.debt.Parked() }

// OutsideRoom is how many messages from outside may wait for one actor.
const OutsideRoom = outsideRoom

// Waiting is how many goroutines wait in an actor's lobby.
func Waiting[S any](r Ref[S]) (n int) {
	f := r.b.flow.Load()
	if f == nil {
		return 0
	}
	f.lobby.mu.Lock()
	defer f.lobby.mu.Unlock()
	for o := f.lobby.first; o != nil; o = o.next {
		n++
	}
	return n
}

// GiveBack gives places in an actor's lobby back, as when messages have run.
func GiveBack[S any](r Ref[S], n int) { r.b.flow.Load().lobby.giveBack(n, r.b) }

// Places is how many places there are in an actor's lobby.
func Places[S any](r Ref[S]) int {
	l := &r.b.flow.Load().lobby
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.room
}

// WhoWaits says who waits for whom because of applied pressure. It looks at what it does
// not own: for a system that does nothing any more.
func WhoWaits(s *System) (lines []string) {
	s.stalls.mu.Lock()
	defer s.stalls.mu.Unlock()
	for _, b := range s.stalls.roots {
		lines = append(lines, b.survey().String())
	}
	return lines
}

// StallEvery sets how often actors under pressure are looked at.
func StallEvery(d time.Duration) Option { return func(o *options) { o.stallPeriod = d } }
