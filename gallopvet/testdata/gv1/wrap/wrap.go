// Package wrap declares behaviours for others.
package wrap

import "github.com/gallop-go/gallop/actor"

// Declare declares a behaviour for messages of type M.
func Declare[M, S any](t *actor.Type[S], name string) actor.Behaviour[S, M] {
	return declare[M](t, name)
}

func declare[M, S any](t *actor.Type[S], name string) actor.Behaviour[S, M] {
	return actor.Declare[M](t, name)
}
