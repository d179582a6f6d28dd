package supervise

import (
	"time"

	"github.com/gallop-go/gallop/actor"
)

// reaper kills an actor that has not ended in time. It is an actor of its own, because a supervisor
// that is ending has no timers any more.
type reaper struct {
	who    actor.AnyRef
	within time.Duration
}

func (r *reaper) start(c *actor.Context) error {
	actor.Watch(c, r.who, reaperDown)
	actor.After(c, r.within, reaperDue, actor.None{})
	return nil
}

func (r *reaper) due(c *actor.Context, _ actor.None)  { actor.Kill(c, r.who); c.Stop() }
func (r *reaper) down(c *actor.Context, _ actor.Down) { c.Stop() }

var (
	reaperType = actor.NewType[reaper]("reaper")
	reaperDue  = actor.Declare[actor.None](reaperType, "due")
	reaperDown = actor.Declare[actor.Down](reaperType, "down")
)

func init() {
	reaperType.OnStart((*reaper).start).Table(reaperDue.Do((*reaper).due), reaperDown.Do((*reaper).down))
}
