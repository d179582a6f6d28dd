package bad

import (
	"cases/step"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
)

// holder is an actor that sends to a process.
type holder struct {
	of  *process.System
	to  process.Ref[[]int]
	all []int
}

func (h *holder) Give(*actor.Context, struct{}) {
	h.to.Send(h.of, h.all) // want `h.all is sent but stays in the state \(holder.all\), and behaviours write to it`
	h.change()
}

func (h *holder) change() {
	step.Meet(0)
	h.all[0] = 2
	step.Meet(0)
}

var (
	keeperType = actor.NewType[holder]("holder")
	give       = actor.Declare[struct{}](keeperType, "give")
	_          = keeperType.Table(give.Handle((*holder).Give))
)
