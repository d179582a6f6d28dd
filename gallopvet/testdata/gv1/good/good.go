// Package good has what GV1 must not report.
package good

import (
	"log/slog"
	"net/netip"
	"regexp"
	"time"

	"cases/gv1/wrap"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/capability"
)

type state struct{}

type tree struct {
	left, right *tree
	at          time.Time
	from        netip.Addr
	pattern     *regexp.Regexp
	log         *slog.Logger
	err         error
}

type request struct{ done func() }

type shape interface{ Area() float64 }

func generic[M any](t *actor.Type[state]) actor.Behaviour[state, M] {
	return actor.Declare[M](t, "generic")
}

var (
	stateType = actor.NewType[state]("state")
	_         = actor.Declare[tree](stateType, "trees")
	_         = actor.Declare[[]map[string]*tree](stateType, "slices")
	_         = actor.Declare[*request](stateType, "requests")
	_         = actor.Declare[chan int](stateType, "numbers")
	_         = actor.Declare[actor.Handler[int]](stateType, "handlers")
	_         = actor.Declare[capability.Iso[[]int]](stateType, "isos")
	_         = actor.Declare[shape](stateType, "shapes")
	_         = actor.Declare[error](stateType, "errors")
	_         = actor.Declare[actor.Deferred[int]](stateType, "deferred")
	_         = actor.Declare[actor.Result[string]](stateType, "results")
	_         = actor.Declare[struct{}](stateType, "nothing")
	_         = generic[int](stateType)
	_         = wrap.Declare[string](stateType, "wrapped")
)
