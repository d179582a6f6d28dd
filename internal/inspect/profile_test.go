package inspect_test

import (
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/process"
)

// TestProfile: an actor that runs is the busiest, its worker is busy, and an idle one is not. A
// turn that blocks keeps no worker busy.
func TestProfile(t *testing.T) {
	sys := start(t)
	p := inspect.NewProfiler(sys)
	busy, blocked := dollType.Spawn(sys, doll{}), dollType.Spawn(sys, doll{})
	release := stuck(t, sys, busy)
	blocks, stay := make(chan struct{}), make(chan struct{})
	do.Send(sys, blocked, func(_ *doll, c *actor.Context) {
		c.Blocking(func() { close(blocks); <-stay })
	})
	<-blocks
	at := time.Now()
	for i := range 10 {
		p.Look(at.Add(time.Duration(i) * time.Second))
	}
	all := p.Actors(5)
	if len(all) != 1 || all[0].Actor != busy.ID() || all[0].Type != "doll" ||
		all[0].Behaviour != "do" || all[0].Samples != 10 || all[0].Share != 1 {
		t.Errorf("%+v", all)
	}
	of := p.Behaviours()
	if len(of) != 1 || of[0].Actor != 0 || of[0].Samples != 10 {
		t.Errorf("%+v", of)
	}
	for _, w := range p.Workers() {
		want := 0.0
		if w.Actor == busy.ID() {
			want = 1
		}
		equal(t, "share of a worker", w.Busy, want)
	}
	p.Reset()
	looks, running := p.Samples()
	equal(t, "looks after Reset", looks+running, 0)
	close(stay)
	release()
	quiet(t, sys)
}

// TestProfile_Stop: a profiler looks by itself, and leaves nothing behind: TestMain looks.
func TestProfile_Stop(t *testing.T) {
	sys := start(t)
	r := dollType.Spawn(sys, doll{})
	release := stuck(t, sys, r)
	p := inspect.Profile(sys, time.Millisecond)
	eventually(t, "it has seen the actor", func() bool { return len(p.Actors(1)) == 1 })
	p.Stop()
	p.Stop()
	equal(t, "it stays", p.Actors(1)[0].Actor, r.ID())
	release()
}

// TestProfile_Saturation: only the turns of the system's own workers count, or of those that stand in
// for them: neither blocked turns, nor those that have lost their worker's slot, nor pinned ones.
func TestProfile_Saturation(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	p := inspect.NewProfiler(sys)
	look := func(what string, want uint64) {
		t.Helper()
		p.Reset()
		p.Look(time.Now())
		looks, busy := p.Saturation()
		equal(t, what+": looks", looks, 1)
		equal(t, what+": busy", busy, want)
	}
	look("idle", 0)
	blocks, stay := make(chan struct{}), make(chan struct{})
	do.Send(sys, dollType.Spawn(sys, doll{}), func(_ *doll, c *actor.Context) {
		c.Blocking(func() { close(blocks); <-stay })
	})
	<-blocks
	pinned := make(chan struct{})
	pinnedDo.Send(sys, pinnedType.Spawn(sys, doll{}), func(*doll, *actor.Context) {
		close(pinned)
		<-stay
	})
	<-pinned
	look("one blocks, one is pinned", 0)
	release := stuck(t, sys, dollType.Spawn(sys, doll{}))
	look("one runs", 1)
	second := stuck(t, sys, dollType.Spawn(sys, doll{})) // by another worker, in the place of the first
	p.Look(time.Now())
	if looks, busy := p.Saturation(); busy > looks {
		t.Errorf("two run: %d of %d looks", busy, looks)
	}
	second()
	release()
	eventually(t, "both have run", func() bool {
		p.Reset()
		p.Look(time.Now())
		_, busy := p.Saturation()
		return busy == 0
	})
	process.Go(join(sys), func(*process.Proc) { look("a process", 1) })
	close(stay)
	quiet(t, sys)
}

var (
	pinnedType = actor.NewType[doll]("pinned doll", actor.WithPinnedThread())
	pinnedDo   = actor.Declare[deed](pinnedType, "do")
	_          = pinnedType.Table(pinnedDo.Handle(func(d *doll, c *actor.Context, f deed) { f(d, c) }))
)
