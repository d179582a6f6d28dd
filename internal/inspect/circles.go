package inspect

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// wait is an actor that waits for another.
type wait struct {
	who, to actor.AnyRef
	since   int64
	asks    bool
}

func waitsOf(in source) (all []wait) {
	in.EachWait(func(who, to actor.AnyRef, since int64, asks bool) {
		all = append(all, wait{who, to, since, asks})
	})
	slices.SortStableFunc(all, func(a, b wait) int {
		return cmp.Or(cmp.Compare(a.who.ID(), b.who.ID()), cmp.Compare(a.to.ID(), b.to.ID()))
	})
	return all
}

// atLeast is how long it has waited, for sure.
func (w wait) atLeast(now int64) time.Duration {
	if w.since == 0 {
		return 0
	}
	return max(0, time.Duration(now-w.since))
}

// leastWait is how long a wait has to stand before it counts for a circle. A wait is dated by the
// look at all waits that comes next, twice a second. So waits that are dated before now, and are
// still there, all stood at the date of the youngest of them. The rest of the time is for a look
// that comes late, and for entries of waits that are over and that their worker has not cleared
// yet.
const leastWait = 500 * time.Millisecond

// confirmed returns the circles in which each wait stood at one moment, before now, and stands at a
// second look. In a deterministic system waits have no dates, and nothing moves between two looks;
// where a test moves the time, nothing can be said.
func confirmed(in source, now int64, waits []wait, pressed map[actor.AnyRef]bool) [][]actor.AnyRef {
	moves := !in.IsDeterministic()
	old := slices.DeleteFunc(slices.Clone(waits), func(w wait) bool {
		return moves && w.atLeast(now) < leastWait
	})
	if len(old) == 0 || moves && !in.DatesWaits() {
		return nil
	}
	again := map[wait]bool{}
	for _, w := range waitsOf(in) {
		again[w] = true
	}
	old = slices.DeleteFunc(old, func(w wait) bool { return !again[w] })
	return append(circles(old), throughMail(in, old, pressed)...)
}

// circles returns circles of waits that have no actor in common, until there are none left.
func circles(waits []wait) (all [][]actor.AnyRef) {
	next := map[actor.AnyRef][]actor.AnyRef{}
	for _, w := range waits {
		next[w.who] = append(next[w.who], w.to)
	}
	for trim(next); len(next) > 0; trim(next) {
		// Each that is left waits for one that is left: to follow leads into a circle.
		at := slices.MinFunc(slices.Collect(maps.Keys(next)), byID)
		var way []actor.AnyRef
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

func byID(a, b actor.AnyRef) int { return cmp.Compare(a.ID(), b.ID()) }

// trim drops those who wait for none that waits, and so on.
func trim(next map[actor.AnyRef][]actor.AnyRef) {
	for dropped := true; dropped; {
		dropped = false
		for who, to := range next {
			to = slices.DeleteFunc(to, func(ref actor.AnyRef) bool { return next[ref] == nil })
			if next[who] = to; len(to) == 0 {
				delete(next, who)
				dropped = true
			}
		}
	}
}

// fromSmallest turns a circle so that the actor with the smallest number comes first.
func fromSmallest(circle []actor.AnyRef) []actor.AnyRef {
	i := slices.Index(circle, slices.MinFunc(circle, byID))
	return slices.Concat(circle[i:], circle[:i])
}

// mostBehind is how many actors are looked at behind one under pressure.
const mostBehind = 1000

// throughMail returns, for each actor under pressure, the shortest circle that is closed by its own
// message: the message lies in the mailbox of an actor that waits for it.
func throughMail(in source, waits []wait, pressed map[actor.AnyRef]bool) (all [][]actor.AnyRef) {
	behind := map[actor.AnyRef][]actor.AnyRef{}
	for _, w := range waits {
		if !w.asks {
			behind[w.to] = append(behind[w.to], w.who)
		}
	}
	remain := map[actor.AnyRef]bool{}
	in.EachPressed(func(ref actor.AnyRef) { remain[ref] = pressed[ref] })
	for _, root := range slices.SortedFunc(maps.Keys(remain), byID) {
		if circle := closedBehind(in, behind, root); remain[root] && circle != nil {
			all = append(all, circle)
		}
	}
	return all
}

// closedBehind returns root, the nearest actor behind it that has a message from it, and those in
// between, on the way back to root.
func closedBehind(in source, behind map[actor.AnyRef][]actor.AnyRef,
	root actor.AnyRef) []actor.AnyRef {
	waitsFor := map[actor.AnyRef]actor.AnyRef{}
	for todo := []actor.AnyRef{root}; len(todo) > 0 && len(waitsFor) < mostBehind; todo = todo[1:] {
		for _, who := range behind[todo[0]] {
			if _, seen := waitsFor[who]; seen || who == root {
				continue
			}
			waitsFor[who] = todo[0]
			if in.HasMailFrom(who, root) {
				circle := []actor.AnyRef{root}
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
