package actor_test

import (
	"context"
	"fmt"

	"github.com/gallop-go/gallop/actor"
)

// A keeper restarts what it keeps, and knows when it is up.
type keeper struct{ kept actor.AnyRef }

func (k *keeper) Keep(c *actor.Context, user string) {
	var care = actor.Care[keeper]{
		Fell: keeperFell,
		Rose: keeperRose,
		Stop: func(c *actor.Context, child actor.AnyRef) {
			fmt.Println("time to go")
			actor.Drain(c, child)
		},
	}
	k.kept = actor.SpawnUnder(c, sessionType, func(s *session) { s.user = user }, care).Any()
}

func (k *keeper) Fell(c *actor.Context, f actor.ChildDown) {
	if !f.Final {
		actor.Restart(c, f.Ref)
	}
}

func (k *keeper) Rose(_ *actor.Context, r actor.Risen) { fmt.Println("up:", r.Ref == k.kept) }

var (
	keeperType = actor.NewType[keeper]("keeper")
	keep       = actor.Declare[string](keeperType, "keep")
	keeperFell = actor.Declare[actor.ChildDown](keeperType, "fell")
	keeperRose = actor.Declare[actor.Risen](keeperType, "rose")
)

func init() {
	keeperType.Table(keep.Handle((*keeper).Keep), keeperFell.Handle((*keeper).Fell),
		keeperRose.Handle((*keeper).Rose))
}

// SpawnUnder is for those who supervise: package supervise is made of it.
func ExampleSpawnUnder() {
	sys := actor.Start(actor.WithWorkers(1))
	k := keeperType.Spawn(sys, keeper{})
	keep.Send(sys, k, "ann")
	_ = sys.Wait(context.Background())
	fmt.Println(actor.StopWait(context.Background(), k))
	sys.Stop()
	// Output:
	// open ann
	// up: true
	// time to go
	// close ann gallop: shut down
	// <nil>
}
