package bad

import (
	"errors"
	"slices"
	"sort"

	"cases/gv2/lib"
	"cases/step"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/capability"
)

var table = map[string]int{"a": 1}

func init() {
	race("slice", func(sys *actor.System, r ref) {
		all := make([]int, 1)
		ints.Send(sys, r, all) // want `GV2: all is sent and written to afterwards \(line \d+\): the two may race`
		step.Meet(0)
		all[0] = 1
		step.Meet(0)
	})
	race("map", func(sys *actor.System, r ref) {
		m := map[string]int{"a": 1}
		maps.Send(sys, r, m) // want `m is sent and written to afterwards`
		step.Meet(0)
		m["b"] = 2
		step.Meet(0)
	})
	race("deleted from a map", func(sys *actor.System, r ref) {
		m := map[string]int{"a": 1}
		maps.Send(sys, r, m) // want `m is sent and written to afterwards`
		step.Meet(0)
		delete(m, "a")
		step.Meet(0)
	})
	race("pointer", func(sys *actor.System, r ref) {
		j := &job{id: 1}
		jobs.Send(sys, r, j) // want `j is sent and written to afterwards`
		step.Meet(0)
		j.id = 2
		step.Meet(0)
	})
	race("address of a variable", func(sys *actor.System, r ref) {
		n := 1
		numbers.Send(sys, r, &n) // want `&n is sent and written to afterwards`
		step.Meet(0)
		n = 2
		step.Meet(0)
	})
	// PLDI'22, listing 1: a loop variable; here, one variable for all rounds.
	race("one variable for all rounds", func(sys *actor.System, r ref) {
		var j job
		for i := range 2 {
			j.id = i
			jobs.Send(sys, r, &j) // want `&j is sent and written to afterwards`
			if i == 0 {
				step.Meet(0)
			}
		}
		step.Meet(0)
	})
	// PLDI'22, listing 2: a captured err.
	race("one err for two", func(sys *actor.System, r ref) {
		j := &job{}
		jobs.Send(sys, r, j) // want `j is sent and written to afterwards`
		step.Meet(0)
		j.id, j.err = 3, errors.New("too late")
		step.Meet(0)
	})
	// PLDI'22, listing 3: a named result.
	race("named result", func(sys *actor.System, r ref) { _ = named(sys, r) })
	// PLDI'22, listing 4: append to a slice that others have.
	race("buffer used again", func(sys *actor.System, r ref) {
		buf := make([]int, 0, 8)
		for i := range 2 {
			buf = append(buf[:0], i)
			ints.Send(sys, r, buf) // want `buf is sent and written to afterwards`
			if i == 0 {
				step.Meet(0)
			}
		}
		step.Meet(0)
	})
	// PLDI'22, listing 5: a slice that is passed by value shares its elements.
	race("slice of a slice", func(sys *actor.System, r ref) {
		all := []int{1, 2, 3}
		head := all[:2]
		ints.Send(sys, r, head) // want `head is sent and written to afterwards`
		step.Meet(0)
		all[0] = 9
		step.Meet(0)
	})
	// PLDI'22, listing 6: a map that two write to.
	race("map in a struct", func(sys *actor.System, r ref) {
		cart := map[string]int{"a": 1}
		orders.Send(sys, r, order{"bob", cart, &job{}}) // want `order{.*} is sent and written to afterwards`
		step.Meet(0)
		cart["b"]++
		step.Meet(0)
	})
	// PLDI'22, listing 8: a method with a pointer receiver.
	race("method with a pointer receiver", func(sys *actor.System, r ref) {
		j := &job{}
		jobs.Send(sys, r, j) // want `j is sent and written to afterwards`
		step.Meet(0)
		j.finish()
		step.Meet(0)
	})
	// PLDI'22, listing 9: a message, and shared memory beside it.
	race("future", func(sys *actor.System, r ref) {
		j := &job{}
		go func() {
			step.Meet(0)
			j.id = 4
			step.Meet(0)
		}()
		jobs.Send(sys, r, j) // want `j is sent and a goroutine writes to it`
	})
	// PLDI'22, listing 10: a lock for reading does not protect a write.
	race("written in a goroutine", func(sys *actor.System, r ref) {
		all := make([]int, 1)
		go func() {
			ints.Send(sys, r, all) // want `all is sent and the function that has started this one writes to it`
		}()
		step.Meet(0)
		all[0] = 2
		step.Meet(0)
	})
	// PLDI'22, listing 11: cases of a table that share one value.
	race("cases of a table", func(sys *actor.System, r ref) {
		shared := &job{}
		for i, c := range []struct{ id int }{{1}, {2}} {
			shared.id = c.id
			jobs.Send(sys, r, shared) // want `shared is sent and written to afterwards`
			if i == 0 {
				step.Meet(0)
			}
		}
		step.Meet(0)
	})
	race("sorted afterwards", func(sys *actor.System, r ref) {
		all := []int{2, 1}
		ints.Send(sys, r, all) // want `all is sent and written to afterwards`
		step.Meet(0)
		sort.Ints(all)
		step.Meet(0)
	})
	race("reversed afterwards", func(sys *actor.System, r ref) {
		all := []int{2, 1}
		ints.To(r).Send(sys, all) // want `all is sent and written to afterwards`
		step.Meet(0)
		slices.Reverse(all)
		step.Meet(0)
	})
	race("written in another package", func(sys *actor.System, r ref) {
		all := []int{2, 1}
		ints.Send(sys, r, all) // want `all is sent and written to afterwards`
		step.Meet(0)
		lib.Zero(lib.Tail(all)[:0:0])
		lib.Zero(all)
		step.Meet(0)
	})
	race("sent by another package", func(sys *actor.System, r ref) {
		all := []int{2, 1}
		lib.Post(sys, ints.To(r), all) // want `all is sent by Post and written to afterwards`
		step.Meet(0)
		all[0] = 3
		step.Meet(0)
	})
	race("sent by a function", func(sys *actor.System, r ref) {
		all := []int{2, 1}
		post(sys, r, all) // want `all is sent by post and written to afterwards`
		step.Meet(0)
		all[0] = 3
		step.Meet(0)
	})
	race("read while the receiver writes", func(sys *actor.System, r ref) {
		all := []int{2, 1}
		change.Send(sys, r, all) // want `all is sent and used afterwards \(line \d+\), while the receiver writes to it \(receivers.go:\d+\)`
		step.Meet(0)
		_ = all[0]
		step.Meet(0)
	})
	race("sent to two that write", func(sys *actor.System, r ref) {
		all := []int{2, 1}
		change.Send(sys, r, all) // want `all is sent and sent again \(line \d+\), to receivers that write to it`
		changeToo.Send(sys, readerType.Spawn(sys, reader{}), all)
	})
	race("sent in a loop to those who write", func(sys *actor.System, r ref) {
		all := []int{2, 1}
		for range 2 {
			lib.Sort.Send(sys, lib.SorterType.Spawn(sys, lib.Sorter{}), all) // want `all is sent and sent again \(line \d+\), to receivers that write to it`
		}
		change.Send(sys, r, all) // want `all is sent and sent again`
		changeToo.Send(sys, readerType.Spawn(sys, reader{}), all)
	})
	race("variable of the package", func(sys *actor.System, r ref) {
		maps.Send(sys, r, table) // want `table is sent but stays in the package-level variable table, and is written to \(line \d+\)`
		step.Meet(0)
		table["b"] = 2
		step.Meet(0)
	})
	race("frozen", func(sys *actor.System, r ref) {
		all := []int{1}
		v := capability.NewVal(all) // want `all is frozen and written to afterwards`
		go func() {
			step.Meet(1)
			_ = v.Get()[0]
			step.Meet(1)
		}()
		step.Meet(0)
		all[0] = 2
		step.Meet(0)
	})
}

func named(sys *actor.System, r ref) (n int) {
	numbers.Send(sys, r, &n) // want `&n is sent and written to afterwards`
	step.Meet(0)
	n = 5
	step.Meet(0)
	return n
}

func (j *job) finish() { j.id = -1 }

func post(sys *actor.System, r ref, all []int) { ints.Send(sys, r, all) }
