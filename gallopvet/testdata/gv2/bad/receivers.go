// Package bad has what GV2 must report. Each case is a data race.
package bad

import (
	"cases/step"

	"github.com/gallop-go/gallop/actor"
)

type job struct {
	id    int
	parts []int
	err   error
}

type order struct {
	name string
	cart map[string]int
	job  *job
}

type reader struct{ kept []int }

func (*reader) Ints(_ *actor.Context, all []int) {
	step.Meet(1)
	_ = all[0]
	step.Meet(1)
}

func (*reader) Map(_ *actor.Context, m map[string]int) {
	step.Meet(1)
	_ = m["a"]
	step.Meet(1)
}

func (*reader) Job(_ *actor.Context, j *job) {
	step.Meet(1)
	_ = j.id
	step.Meet(1)
}

func (*reader) Order(_ *actor.Context, o order) {
	step.Meet(1)
	_ = o.cart["a"]
	_ = o.job.id
	step.Meet(1)
}

func (*reader) Number(_ *actor.Context, n *int) {
	step.Meet(1)
	_ = *n
	step.Meet(1)
}

// Change writes to what it gets.
func (*reader) Change(_ *actor.Context, all []int) {
	step.Meet(1)
	all[0] = 7
	step.Meet(1)
}

// ChangeToo writes to what it gets, while another does.
func (*reader) ChangeToo(_ *actor.Context, all []int) {
	step.Meet(0)
	all[0] = 8
	step.Meet(0)
}

// Keep keeps what it was asked with.
func (r *reader) Keep(_ *actor.Context, all []int) (int, error) {
	r.kept = all
	return len(all), nil
}

// Kept uses what was kept.
func (r *reader) Kept(*actor.Context, struct{}) {
	step.Meet(1)
	_ = r.kept[0]
	step.Meet(1)
}

var (
	readerType = actor.NewType[reader]("reader")
	ints       = actor.Declare[[]int](readerType, "ints")
	maps       = actor.Declare[map[string]int](readerType, "maps")
	jobs       = actor.Declare[*job](readerType, "jobs")
	orders     = actor.Declare[order](readerType, "orders")
	numbers    = actor.Declare[*int](readerType, "numbers")
	change     = actor.Declare[[]int](readerType, "change")
	changeToo  = actor.Declare[[]int](readerType, "changeToo")
	keep       = actor.DeclareAsk[[]int, int](readerType, "keep")
	kept       = actor.Declare[struct{}](readerType, "kept")
	_          = readerType.Table(
		ints.Handle((*reader).Ints), maps.Handle((*reader).Map), jobs.Handle((*reader).Job),
		orders.Handle((*reader).Order), numbers.Handle((*reader).Number), change.Handle((*reader).Change), changeToo.Handle((*reader).ChangeToo),
		keep.Handle((*reader).Keep), kept.Handle((*reader).Kept),
	)
)

type ref = actor.Ref[reader]

// race runs a sender outside of behaviours.
func race(name string, f func(sys *actor.System, r ref)) {
	step.Case("gv2/"+name, step.Race, func() {
		sys := step.Start()
		f(sys, readerType.Spawn(sys, reader{}))
		_ = sys.Run()
	})
}
