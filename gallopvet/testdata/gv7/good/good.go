// Package good has what GV7 must not report.
package good

import (
	"errors"

	"github.com/gallop-go/gallop/actor"
)

type server struct {
	later []actor.Deferred[int]
	last  actor.Deferred[int]
	to    actor.Ref[server]
}

// Keep keeps it on every path.
func (s *server) Keep(c *actor.Context, q int) (int, error) {
	d := actor.Defer(c, keep)
	if q > 0 {
		s.later = append(s.later, d)
	} else {
		s.last = d
	}
	return 0, nil
}

// Give gives it in a goroutine, or at once.
func (s *server) Give(c *actor.Context, q int) (int, error) {
	if q == 0 {
		return 0, errors.New("nothing")
	}
	d, sys := actor.Defer(c, give), c.System()
	if q == 1 {
		d.Reply(c, 1, nil)
		return 0, nil
	}
	go func() { d.Reply(sys, q, nil) }()
	return 0, nil
}

// Panic ends the actor, so that the asker hears.
func (s *server) Panic(c *actor.Context, q int) (int, error) {
	d := actor.Defer(c, panics)
	if q == 0 {
		panic("q")
	}
	d.Reply(c, q, nil)
	return 0, nil
}

// Send looks at errors.
func (s *server) Send(c *actor.Context, n int) {
	if err := add.TrySend(c, s.to, n); err != nil {
		return
	}
	_ = add.TrySend(c, s.to, n)
}

// Hold holds, and lets go.
func Hold(sys *actor.System) error {
	release, err := sys.Hold()
	if err != nil {
		return err
	}
	defer release()
	return nil
}

// Holder keeps the release.
type Holder struct{ release func() }

// Hold holds until Close.
func (h *Holder) Hold(sys *actor.System) (err error) {
	h.release, err = sys.Hold()
	return err
}

var (
	serverType = actor.NewType[server]("server")
	keep       = actor.DeclareAsk[int, int](serverType, "keep")
	give       = actor.DeclareAsk[int, int](serverType, "give")
	panics     = actor.DeclareAsk[int, int](serverType, "panics")
	add        = actor.Declare[int](serverType, "add")
	_          = serverType.Table(
		keep.Handle((*server).Keep), give.Handle((*server).Give), panics.Handle((*server).Panic),
		add.Handle((*server).Send),
	)
)
