package inspect

import "github.com/gallop-go/gallop/actor"

// Holders returns the result of [actor.System.Why]. For each kind of holder it also returns the
// actors that have most of them, and two or more, up to so many actors. "stashed message" is a kind
// there, though a stash keeps no system from being quiescent. It takes as long as Why.
func Holders(sys *actor.System, most int) (why, largest []actor.Holder) {
	return of(sys).Holders(most)
}
