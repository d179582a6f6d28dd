package inspect

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/gallop-go/gallop/internal/kernel"
)

// wait is one actor's wait for another.
type wait struct {
	who, to kernel.AnyRef
	since   int64
	asks    bool
}

func waitsOf(s *kernel.System) (all []wait) {
	eachWait(s, func(who, to kernel.AnyRef, since int64, asks bool) {
		all = append(all, wait{who, to, since, asks})
	})
	slices.SortStableFunc(all, func(a, b wait) int {
		return cmp.Or(cmp.Compare(a.who.ID(), b.who.ID()), cmp.Compare(a.to.ID(), b.to.ID()))
	})
	return all
}

// atLeast returns how long the wait has certainly lasted.
func (w wait) atLeast(now int64) time.Duration {
	if w.since == 0 {
		return 0
	}
	return max(0, time.Duration(now-w.since))
}

// leastWait is how long a wait must have lasted to count for a circle. A look at all waits, twice a
// second, dates each new wait. So waits that have a date before now and still stand, all stood at
// the youngest of these dates. The rest of leastWait covers a late look, and entries of waits that
// are over but not cleared by their worker yet.
const leastWait = 500 * time.Millisecond

// confirmed returns the circles whose waits all stood at one moment before now, and stand at a
// second look. In a deterministic system waits have no dates, and nothing changes between two
// looks. With a virtual clock outside such a system, no circle can be confirmed.
func confirmed(s *kernel.System, now int64, waits []wait,
	pressed map[kernel.AnyRef]bool) [][]kernel.AnyRef {
	least := leastWait
	switch {
	case s.Sim != nil:
		least = 0
	case !datesWaits(s):
		return nil
	}
	old := standing(now, least, waits, func() []wait { return waitsOf(s) })
	return append(circles(old), throughMail(s, old, pressed)...)
}

// standing returns the waits that have lasted for at least so long, and that stand at a second look.
func standing(now int64, least time.Duration, waits []wait, again func() []wait) []wait {
	old := slices.DeleteFunc(slices.Clone(waits), func(w wait) bool { return w.atLeast(now) < least })
	if len(old) == 0 {
		return nil
	}
	stands := map[wait]bool{}
	for _, w := range again() {
		stands[w] = true
	}
	return slices.DeleteFunc(old, func(w wait) bool { return !stands[w] })
}

// circles returns disjoint circles of waits, until none is left.
func circles(waits []wait) (all [][]kernel.AnyRef) {
	next := map[kernel.AnyRef][]kernel.AnyRef{}
	for _, w := range waits {
		next[w.who] = append(next[w.who], w.to)
	}
	for trim(next); len(next) > 0; trim(next) {
		// Each remaining actor waits for a remaining actor, so following the waits leads into a
		// circle.
		at := slices.MinFunc(slices.Collect(maps.Keys(next)), byID)
		var way []kernel.AnyRef
		for !slices.Contains(way, at) {
			way = append(way, at)
			at = next[at][0]
		}
		circle := way[slices.Index(way, at):]
		for _, ref := range circle {
			delete(next, ref)
		}
		all = append(all, fromSmallest(circle))
	}
	return all
}

func byID(a, b kernel.AnyRef) int { return cmp.Compare(a.ID(), b.ID()) }

// trim drops actors that wait for no waiting actor, until none is left.
func trim(next map[kernel.AnyRef][]kernel.AnyRef) {
	for dropped := true; dropped; {
		dropped = false
		for who, to := range next {
			to = slices.DeleteFunc(to, func(ref kernel.AnyRef) bool { return next[ref] == nil })
			if next[who] = to; len(to) == 0 {
				delete(next, who)
				dropped = true
			}
		}
	}
}

// fromSmallest rotates a circle so that the actor with the smallest number comes first.
func fromSmallest(circle []kernel.AnyRef) []kernel.AnyRef {
	i := slices.Index(circle, slices.MinFunc(circle, byID))
	return slices.Concat(circle[i:], circle[:i])
}

// mostBehind is the number of waiting actors examined for each actor under pressure.
const mostBehind = 1000

// throughMail returns, for each actor under pressure, the shortest circle that its own message
// closes: the message is in the mailbox of an actor that waits for it.
func throughMail(s *kernel.System, waits []wait,
	pressed map[kernel.AnyRef]bool) (all [][]kernel.AnyRef) {
	behind := map[kernel.AnyRef][]kernel.AnyRef{}
	for _, w := range waits {
		if !w.asks {
			behind[w.to] = append(behind[w.to], w.who)
		}
	}
	remain := map[kernel.AnyRef]bool{}
	eachPressed(s, func(ref kernel.AnyRef, _ uint32) { remain[ref] = pressed[ref] })
	for _, root := range slices.SortedFunc(maps.Keys(remain), byID) {
		if circle := closedBehind(behind, root); remain[root] && circle != nil {
			all = append(all, circle)
		}
	}
	return all
}

// closedBehind returns root, then the nearest actor that waits for it and has a message from it,
// then the actors in between, on the way back to root.
func closedBehind(behind map[kernel.AnyRef][]kernel.AnyRef,
	root kernel.AnyRef) []kernel.AnyRef {
	waitsFor := map[kernel.AnyRef]kernel.AnyRef{}
	for todo := []kernel.AnyRef{root}; len(todo) > 0 && len(waitsFor) < mostBehind; todo = todo[1:] {
		for _, who := range behind[todo[0]] {
			if _, seen := waitsFor[who]; seen || who == root {
				continue
			}
			waitsFor[who] = todo[0]
			if hasMailFrom(who, root) {
				circle := []kernel.AnyRef{root}
				for at := who; at != root; at = waitsFor[at] {
					circle = append(circle, at)
				}
				return circle
			}
			todo = append(todo, who)
		}
	}
	return nil
}
