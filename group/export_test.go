package group

import "github.com/gallop-go/gallop/actor"

// KeptMembers is Kept for a pool that nobody sends to, and who joins it.
func KeptMembers[M any](p Policy[M], members func(yield func(actor.Handler[M]) bool)) int {
	pool := pool[M]{policy: p.start()}
	for h := range members {
		pool.doJoin(nil, h)
	}
	return len(pool.members)
}

// Kept returns how many subscribers a topic keeps to which these have subscribed, one
// after the other, and nobody has published.
func Kept[M any](subscribers func(yield func(actor.Handler[M]) bool)) int {
	var t topic[M]
	for h := range subscribers {
		t.doSubscribe(nil, h)
	}
	if len(t.know) != len(t.list) {
		panic("a topic knows others than are in its list")
	}
	return len(t.list)
}
