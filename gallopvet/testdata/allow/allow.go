// Package allow has reports that are allowed.
package allow

import "github.com/gallop-go/gallop/actor"

// Bad is misuse.
func Bad() {
	actor.WithBatch(0) //gallop:allow GV5 to show how
	//gallop:allow GV5 on the line above
	actor.WithBatch(0)
	//gallop:allow GV5 // want `gallop:allow GV5 without a reason`
	actor.WithBatch(0) // want `WithBatch is given 0`
	//gallop:allow GV2 of another rule // want `gallop:allow GV2 allows nothing: take it away`
	actor.WithBatch(0) // want `WithBatch is given 0`
	//gallop:allow GV5 what is fine // want `gallop:allow GV5 allows nothing: take it away`
	actor.WithBatch(1)
	//gallop:allow // want `gallop:allow names no rule`
	//gallop:allow GV99 no such rule // want `gallop:allow names no rule`
}
