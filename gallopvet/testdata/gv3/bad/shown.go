package bad

import (
	"cases/step"

	"github.com/gallop-go/gallop/capability"
)

var kept []string

func init() {
	race("kept in a variable", func(give func(iso)) []string {
		i := made()
		var all []string
		i.Use(func(w *words) {
			all = w.all // want `what Use shows to its function is kept outside of the function`
		})
		give(i.Move())
		return all
	})
	race("kept in a global", func(give func(iso)) []string {
		i := capability.NewIso(func(w *words) {
			w.all = []string{"word"}
			kept = w.all // want `what NewIso shows to its function is kept outside of the function`
		})
		give(i.Move())
		return kept
	})
	race("kept in a struct", func(give func(iso)) []string {
		i := made()
		var h struct{ w *words }
		i.Use(func(w *words) {
			h.w = w // want `what Use shows to its function is kept outside of the function`
		})
		give(i.Move())
		return h.w.all
	})
	race("kept in a map", func(give func(iso)) []string {
		i, m := made(), map[string][]string{}
		i.Use(func(w *words) {
			m["all"] = w.all // want `what Use shows to its function is kept outside`
		})
		give(i.Move())
		return m["all"]
	})
	race("sent into a channel", func(give func(iso)) []string {
		i, ch := made(), make(chan []string, 1)
		i.Use(func(w *words) {
			ch <- w.all // want `what Use shows to its function is sent into a channel`
		})
		give(i.Move())
		return <-ch
	})
	race("built from a slice", func(give func(iso)) []string {
		all := []string{"word"}
		i := capability.NewIso(func(w *words) {
			w.all = all // want `an Iso is built from memory that stays reachable outside \(it is used in line \d+\)`
		})
		give(i.Move())
		all[0] = "first"
		return all
	})
	race("built from a global", func(give func(iso)) []string {
		kept = []string{"word"}
		i := capability.NewIso(func(w *words) {
			w.all = kept // want `an Iso is built from memory that stays reachable outside \(the variable kept\)`
		})
		give(i.Move())
		return kept
	})
	step.Case("gv3/used in a goroutine", step.Race, func() {
		i := made()
		i.Use(func(w *words) {
			go func() { // want `what Use shows to its function is used in a goroutine`
				step.Meet(1)
				w.all[0] = "theirs"
				step.Meet(1)
			}()
		})
		step.Meet(0)
		i.Use(func(w *words) { w.all[0] = "mine" })
		step.Meet(0)
	})
	step.Case("gv3/write in a view", step.Race, func() {
		sys, v := step.Start(), made().Freeze()
		seen.Send(sys, readerType.Spawn(sys, reader{}), v)
		step.Meet(0)
		v.View(func(w *words) {
			w.all[0] = "mine" // want `a write to what View shows`
		})
		_ = sys.Run()
	})
	step.Case("gv3/write to what a Val points to", step.Race, func() {
		sys, v := step.Start(), made().Freeze()
		seen.Send(sys, readerType.Spawn(sys, reader{}), v)
		step.Meet(0)
		w := v.Get()
		w.all[0] = "mine" // want `a write to what the value of a Val points to \(Get is in line \d+\)`
		_ = sys.Run()
	})
	step.Case("gv3/write to a map of a Val", step.Race, func() {
		m := capability.NewVal(map[string]int{"a": 1})
		go func() {
			step.Meet(1)
			_ = m.Get()["a"]
			step.Meet(1)
		}()
		step.Meet(0)
		m.Get()["b"] = 2 // want `a write to what the value of a Val points to`
		step.Meet(0)
	})
}

// race gives an Iso away, and writes to what was kept of it.
func race(name string, keep func(give func(iso)) []string) {
	step.Case("gv3/"+name, step.Race, func() {
		sys := step.Start()
		all := keep(func(i iso) { read.Send(sys, readerType.Spawn(sys, reader{}), i) })
		step.Meet(0)
		all[0] = "mine"
		_ = sys.Run()
	})
}
