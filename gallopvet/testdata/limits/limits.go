// Package limits has code in which searches end at a limit.
package limits

import "github.com/gallop-go/gallop/actor"

type row struct{ a, b, c, d, e, f []int }

// wide leads to 36 slices.
type wide struct{ a, b, c, d, e, f row }

type keeper struct {
	to  actor.Ref[keeper]
	all wide
}

var (
	keeperType = actor.NewType[keeper]("keeper")
	publish    = actor.Declare[int](keeperType, "publish")
	take       = actor.Declare[wide](keeperType, "take")
	_          = keeperType.Table(publish.Handle((*keeper).Publish), take.Handle((*keeper).Take))
)

// Publish sends more than is looked at. What comes last in it is written to.
func (k *keeper) Publish(c *actor.Context, n int) {
	take.Send(c, k.to, k.all)
	k.all.f.f[0] = n
}

// Take takes it.
func (k *keeper) Take(*actor.Context, wide) {}
