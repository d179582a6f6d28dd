// Package bad has what GV1 must report. Each case is a data race.
package bad

import (
	"reflect"
	"unsafe"

	"cases/gv1/wrap"
	"cases/step"

	"github.com/gallop-go/gallop/actor"
)

type reader struct{}

type job struct {
	name string
	then func() int
}

type box struct{ jobs []job }

func (*reader) Func(_ *actor.Context, f func() int)        { step.Meet(1); f() }
func (*reader) Job(_ *actor.Context, j job)                { step.Meet(1); j.then() }
func (*reader) Box(_ *actor.Context, b box)                { step.Meet(1); b.jobs[0].then() }
func (*reader) Any(_ *actor.Context, v any)                { step.Meet(1); _ = *v.(*int) }
func (*reader) Value(_ *actor.Context, v reflect.Value)    { step.Meet(1); _ = v.Elem().Int() }
func (*reader) Pointer(_ *actor.Context, p unsafe.Pointer) { step.Meet(1); _ = *(*int)(p) }

func (*reader) Chan(_ *actor.Context, ch chan []int) {
	words := <-ch
	step.Meet(1)
	_ = words[0]
}

func (*reader) Ask(_ *actor.Context, f func() int) (int, error) {
	step.Meet(1)
	return f(), nil
}

var (
	readerType = actor.NewType[reader]("reader")
	funcs      = actor.Declare[func() int](readerType, "funcs")        // want `GV1: messages of funcs hold func\(\) int, and what that reaches is shared`
	jobs       = actor.Declare[job](readerType, "jobs")                // want `messages of jobs hold func\(\) int at .then`
	boxes      = actor.Declare[box](readerType, "boxes")               // want `messages of boxes hold func\(\) int at .jobs\[\].then`
	anys       = actor.Declare[any](readerType, "anys")                // want `messages of anys hold any`
	values     = actor.Declare[reflect.Value](readerType, "values")    // want `messages of values hold reflect.Value`
	pointers   = actor.Declare[unsafe.Pointer](readerType, "pointers") // want `messages of pointers hold unsafe.Pointer`
	chans      = actor.Declare[chan []int](readerType, "chans")        // want `messages of chans hold a channel \(chan \[\]int\) of what may not be sent`
	asks       = actor.DeclareAsk[func() int, int](readerType, "asks") // want `messages of asks hold func\(\) int`
	wrapped    = wrap.Declare[func() int](readerType, "wrapped")       // want `messages of what Declare declares hold func\(\) int`
	_          = readerType.Table(
		funcs.Handle((*reader).Func), jobs.Handle((*reader).Job), boxes.Handle((*reader).Box),
		anys.Handle((*reader).Any), values.Handle((*reader).Value), pointers.Handle((*reader).Pointer),
		chans.Handle((*reader).Chan), asks.Handle((*reader).Ask), wrapped.Handle((*reader).Func),
	)
)

func init() {
	race("funcs", func(sys *actor.System, r actor.Ref[reader], n *int) {
		funcs.Send(sys, r, func() int { return *n })
	})
	race("jobs", func(sys *actor.System, r actor.Ref[reader], n *int) {
		jobs.Send(sys, r, job{"read", func() int { return *n }})
	})
	race("boxes", func(sys *actor.System, r actor.Ref[reader], n *int) {
		boxes.Send(sys, r, box{[]job{{"read", func() int { return *n }}}})
	})
	race("anys", func(sys *actor.System, r actor.Ref[reader], n *int) { anys.Send(sys, r, n) })
	race("values", func(sys *actor.System, r actor.Ref[reader], n *int) {
		values.Send(sys, r, reflect.ValueOf(n))
	})
	race("pointers", func(sys *actor.System, r actor.Ref[reader], n *int) {
		pointers.Send(sys, r, unsafe.Pointer(n))
	})
	race("wrapped", func(sys *actor.System, r actor.Ref[reader], n *int) {
		wrapped.Send(sys, r, func() int { return *n })
	})
	race("asks", func(sys *actor.System, r actor.Ref[reader], n *int) {
		go asks.Ask(step.Background, r, func() int { return *n })
	})
	step.Case("gv1/chans", step.Race, func() {
		sys, words, ch := step.Start(), make([]int, 1), make(chan []int, 1)
		chans.Send(sys, readerType.Spawn(sys, reader{}), ch)
		ch <- words
		step.Meet(0)
		words[0]++
		_ = sys.Run()
	})
}

// race sends something that leads to a number, and changes the number.
func race(name string, send func(*actor.System, actor.Ref[reader], *int)) {
	step.Case("gv1/"+name, step.Race, func() {
		sys, n := step.Start(), new(int)
		send(sys, readerType.Spawn(sys, reader{}), n)
		step.Meet(0)
		*n++
		_ = sys.Run()
	})
}
