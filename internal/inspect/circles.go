package inspect

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// wait is one actor's wait for another.
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

// circles returns disjoint circles of waits, until none is left.
func circles(waits []wait) (all [][]actor.AnyRef) {
	next := map[actor.AnyRef][]actor.AnyRef{}
	for _, w := range waits {
		next[w.who] = append(next[w.who], w.to)
	}
	for trim(next); len(next) > 0; trim(next) {
		// Each remaining actor waits for a remaining actor, so following the waits leads into a
		// circle.
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

// trim drops actors that wait for no waiting actor, until none is left.
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

// fromSmallest rotates a circle so that the actor with the smallest number comes first.
func fromSmallest(circle []actor.AnyRef) []actor.AnyRef {
	i := slices.Index(circle, slices.MinFunc(circle, byID))
	return slices.Concat(circle[i:], circle[:i])
}

// mostBehind is the number of waiting actors examined for each actor under pressure.
const mostBehind = 1000

// throughMail returns, for each actor under pressure, the shortest circle that its own message
// closes: the message is in the mailbox of an actor that waits for it.
func throughMail(in source, waits []wait, pressed map[actor.AnyRef]bool) (all [][]actor.AnyRef) {
	behind := map[actor.AnyRef][]actor.AnyRef{}
	for _, w := range waits {
		if !w.asks {
			behind[w.to] = append(behind[w.to], w.who)
		}
	}
	remain := map[actor.AnyRef]bool{}
	in.EachPressed(func(ref actor.AnyRef, _ uint32) { remain[ref] = pressed[ref] })
	for _, root := range slices.SortedFunc(maps.Keys(remain), byID) {
		if circle := closedBehind(in, behind, root); remain[root] && circle != nil {
			all = append(all, circle)
		}
	}
	return all
}

// closedBehind returns root, then the nearest actor that waits for it and has a message from it,
// then the actors in between, on the way back to root.
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
