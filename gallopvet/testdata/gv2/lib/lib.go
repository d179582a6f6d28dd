// Package lib has functions whose effects other packages must know.
package lib

import "github.com/gallop-go/gallop/actor"

// Zero writes.
func Zero(all []int) {
	for i := range all {
		all[i] = 0
	}
}

// Tail returns a part of what it is given.
func Tail(all []int) []int { return all[1:] }

// Post sends what it is given.
func Post(from actor.Sender, to actor.Handler[[]int], all []int) { to.Send(from, all) }

// Sorter writes to what it is sent.
type Sorter struct{}

// Sort writes.
func (*Sorter) Sort(_ *actor.Context, all []int) { Zero(all) }

// A behaviour of another package.
var (
	SorterType = actor.NewType[Sorter]("sorter")
	Sort       = actor.Declare[[]int](SorterType, "sort")
	_          = SorterType.Table(Sort.Handle((*Sorter).Sort))
)
