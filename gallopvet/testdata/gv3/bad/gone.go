// Package bad has what GV3 must report. Each case panics, or is a data race.
package bad

import (
	"cases/step"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/capability"
)

type words struct{ all []string }

type iso = capability.Iso[words]

type holder struct{ w iso }

func made() iso {
	return capability.NewIso(func(w *words) { w.all = []string{"word"} })
}

const gone = "gallop: capability: iso is gone"

func init() {
	panics("use after move", func() {
		i := made()
		j := i.Move()
		i.Use(func(*words) {}) // want `GV3: i was given away by Move \(line \d+\) and is used here`
		_ = j
	})
	panics("take after freeze", func() {
		i := made()
		_ = i.Freeze()
		_ = i.Take() // want `i was given away by Freeze`
	})
	panics("tag after take", func() {
		i := made()
		_ = i.Take()
		_ = i.Tag() // want `i was given away by Take`
	})
	panics("on one branch", func() {
		i := made()
		if step.Background.Err() == nil {
			_ = i.Move()
		}
		_ = i.Freeze() // want `i was given away by Move`
	})
	panics("by a copy", func() {
		i := made()
		j := i
		_ = i.Move()
		_ = j.Move() // want `j was given away by Move`
	})
	panics("in a loop", func() {
		i := made()
		for range 2 {
			_ = i.Move() // want `i was given away by Move`
		}
	})
	panics("of one of two", func() {
		i, j := made(), made()
		if step.Background.Err() == nil {
			j = i
		}
		_ = i.Move()
		_ = j.Move() // want `j was given away by Move`
	})
	panics("in a field", func() {
		h := &holder{made()}
		_ = h.w.Move()
		_ = h.w.Move() // want `h.w was given away by Move`
	})
	panics("in a captured variable", func() {
		i := made()
		use := func() { _ = i.Tag() }
		_ = i.Move()
		_ = i.Tag() // want `i was given away by Move`
		use()
	})
	panics("sent after move", func() {
		sys := step.Start()
		i := made()
		_ = i.Move()
		read.Send(sys, readerType.Spawn(sys, reader{}), i) // want `i was given away by Move`
		_ = sys.Run()
	})
	step.Case("gv3/used after send", step.Race, func() {
		sys := step.Start()
		i := made()
		read.Send(sys, readerType.Spawn(sys, reader{}), i)
		step.Meet(0)
		i.Use(func(w *words) { w.all[0] = "mine" }) // want `i was sent by Send \(line \d+\) and is used here`
		_ = sys.Run()
	})
	step.Case("gv3/used after send in a struct", step.Race, func() {
		sys := step.Start()
		i := made()
		letters.Send(sys, readerType.Spawn(sys, reader{}), letter{"a", i})
		step.Meet(0)
		i.Use(func(w *words) { w.all[0] = "mine" }) // want `i was sent by Send`
		_ = sys.Run()
	})
}

func panics(name string, f func()) { step.Case("gv3/"+name, gone, f) }

type letter struct {
	to   string
	what iso
}

type reader struct{}

func (*reader) Read(_ *actor.Context, w iso) {
	w.Use(func(w *words) {
		step.Meet(1)
		_ = w.all[0]
	})
}

func (r *reader) Letter(c *actor.Context, l letter) { r.Read(c, l.what) }

// Seen reads words that are shared.
func (*reader) Seen(_ *actor.Context, v capability.Val[words]) {
	v.View(func(w *words) {
		step.Meet(1)
		_ = w.all[0]
	})
}

var (
	readerType = actor.NewType[reader]("reader")
	read       = actor.Declare[iso](readerType, "read")
	letters    = actor.Declare[letter](readerType, "letters")
	seen       = actor.Declare[capability.Val[words]](readerType, "seen")
	_          = readerType.Table(read.Handle((*reader).Read), letters.Handle((*reader).Letter), seen.Handle((*reader).Seen))
)
