package observe

import "time"

// A pace bounds what a look costs: one that took a time is repeated after paceRest times as long at
// the earliest, and after paceMost at the latest.
type pace struct{ next time.Time }

const (
	paceRest = 100
	paceMost = 15 * time.Second
)

// do calls look if it is time for it, and reports whether it did.
func (p *pace) do(now time.Time, look func()) bool {
	if now.Before(p.next) {
		return false
	}
	begin := time.Now()
	look()
	p.next = now.Add(min(paceRest*time.Since(begin), paceMost))
	return true
}
