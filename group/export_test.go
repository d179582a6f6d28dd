package group

import "github.com/gallop-go/gallop/actor"

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
