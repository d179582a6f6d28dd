// Package dictionary has workers who read and write a dictionary, after the concurrent dictionary
// of Savina. In addition it has snapshots, which go out as a Val.
package dictionary

import (
	"context"
	"maps"
	"sync/atomic"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/capability"
)

type entry struct{ key, value int }

type dictionary struct {
	data  map[int]int
	saved []capability.Val[map[int]int]
}

func (s *dictionary) begin(*actor.Context) error {
	s.data = map[int]int{}
	return nil
}

func (s *dictionary) write(_ *actor.Context, e entry) (int, error) {
	old := s.data[e.key]
	s.data[e.key] = e.value
	return old, nil
}

func (s *dictionary) read(_ *actor.Context, key int) (int, error) { return s.data[key], nil }

func (s *dictionary) snapshot(*actor.Context, struct{}) (capability.Val[map[int]int], error) {
	v := capability.NewVal(maps.Clone(s.data))
	s.saved = append(s.saved, v)
	return v, nil
}

// save writes snapshots away, in a goroutine of its own.
func (s *dictionary) save(c *actor.Context, to *atomic.Int64) {
	saved := s.saved
	s.saved = nil
	actor.Pipe(c, written, func(context.Context) (int, error) {
		n := 0
		for _, v := range saved {
			v.View(func(m *map[int]int) { n += len(*m) })
		}
		to.Add(int64(n))
		return n, nil
	})
}

func (*dictionary) written(*actor.Context, actor.Result[int]) {}

type worker struct {
	left int
	dict actor.Ref[dictionary]
}

func (s *worker) work(c *actor.Context, _ actor.Result[int]) {
	if s.left == 0 {
		c.Stop()
		return
	}
	s.left--
	key := c.Rand().IntN(1000)
	if c.Rand().IntN(10) == 0 {
		actor.AskTo(c, write, s.dict, entry{key, s.left}, work)
		return
	}
	actor.AskTo(c, read, s.dict, key, work)
}

var (
	dictionaryType = actor.NewType[dictionary]("dictionary")
	write          = actor.DeclareAsk[entry, int](dictionaryType, "write")
	read           = actor.DeclareAsk[int, int](dictionaryType, "read")
	snapshot       = actor.DeclareAsk[struct{}, capability.Val[map[int]int]](dictionaryType,
		"snapshot")
	save    = actor.Declare[*atomic.Int64](dictionaryType, "save")
	written = actor.Declare[actor.Result[int]](dictionaryType, "written")
	_       = dictionaryType.Table(
		write.Handle((*dictionary).write), read.Handle((*dictionary).read),
		snapshot.Handle((*dictionary).snapshot), save.Handle((*dictionary).save),
		written.Handle((*dictionary).written),
	).OnStart((*dictionary).begin)

	workerType = actor.NewType[worker]("worker")
	work       = actor.Declare[actor.Result[int]](workerType, "work")
	_          = workerType.Table(work.Handle((*worker).work))
)

// start makes a dictionary, and workers that use it.
func start(sys *actor.System, workers, operations int) actor.Ref[dictionary] {
	d := dictionaryType.Spawn(sys, dictionary{})
	for range workers {
		work.Send(sys, workerType.Spawn(sys, worker{operations, d}), actor.Result[int]{})
	}
	return d
}
