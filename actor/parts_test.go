package actor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/kernel"
)

// These tests take every part of an actor through every end of an actor. There are two actors for
// each end: one records the stages of which its parts are told. The other has every kind of part,
// and each part must keep the promise of its feature.

// outcomes of an end for the parts of an actor.
const (
	endsForGood = iota
	endsLife    // it is up again
	endsNothing // it goes on with its state
)

// residentEnds are the ends of an actor. stages are the stages of which its parts are told, from
// the moment when the actor has them.
var residentEnds = []struct {
	name   string
	end    func(h *house)
	of     int
	stages string
}{
	{"Stop", func(h *house) { Stop(h.sys, h.lone) }, endsForGood, theEnd},
	{"StopWith", func(h *house) { StopWith(h.sys, h.lone, errResident) }, endsForGood, theEnd},
	{"Kill", func(h *house) { Kill(h.sys, h.lone) }, endsForGood, theEnd},
	{"KillAtCheckpoint", func(h *house) {
		h.in(h.lone, func(c *Context) { Kill(c, Self[resident](c)); c.Checkpoint() })
	}, endsForGood, "close " + theEnd},
	{"Drain", func(h *house) { Drain(h.sys, h.lone) }, endsForGood, "close " + theEnd},
	{"DrainThenStop", func(h *house) {
		h.in(h.lone, func(c *Context) {
			h.in(h.lone, func(c *Context) { Stop(c, Self[resident](c)) })
			Drain(c, Self[resident](c))
		})
	}, endsForGood, "close " + theEnd},
	{"Context.Stop", func(h *house) { h.in(h.lone, (*Context).Stop) }, endsForGood, theEnd},
	{"Context.Exit", func(h *house) {
		h.in(h.lone, func(c *Context) { c.Exit(errResident) })
	}, endsForGood, theEnd},
	{"Panic", func(h *house) {
		h.in(h.lone, func(*Context) { panic(errResident) })
	}, endsForGood, "close " + theEnd},
	{"Goexit", func(h *house) {
		h.in(h.lone, func(*Context) { runtime.Goexit() })
	}, endsForGood, "close " + theEnd},
	{"PanicInOnStop", func(h *house) {
		h.onStop = func(*Context) { panic(errResident) }
		Stop(h.sys, h.lone)
	}, endsForGood, "leave close discard close close end news"},
	{"KillInOnStop", func(h *house) {
		h.onStop = func(c *Context) { Kill(c, Self[resident](c)); c.Checkpoint() }
		Stop(h.sys, h.lone)
	}, endsForGood, "leave close discard close close end news"},
	{"OnStartFails", func(h *house) { h.moveIn(func(*Context) error { return errResident }) },
		endsForGood, theEnd},
	{"OnStartPanics", func(h *house) { h.moveIn(func(*Context) error { panic(errResident) }) },
		endsForGood, "close " + theEnd},
	{"OnStartStops", func(h *house) { h.moveIn(func(c *Context) error { c.Stop(); return nil }) },
		endsForGood, theEnd},
	{"LinkEnds", func(h *house) {
		h.in(h.lone, func(c *Context) { UntrapExit(c) })
		h.in(h.peer, func(c *Context) { c.Exit(errResident) })
	}, endsForGood, notRecorded},
	{"ParentStops", func(h *house) { h.pick(h.child); Stop(h.sys, h.super) }, endsForGood, theEnd},
	{"ParentIsKilled", func(h *house) { h.pick(h.child); Kill(h.sys, h.super) }, endsForGood, theEnd},
	{"ParentDrains", func(h *house) { h.pick(h.child); Drain(h.sys, h.super) }, endsForGood,
		"close " + theEnd},
	{"ParentPanics", func(h *house) {
		h.pick(h.child)
		h.in(h.super, func(*Context) { panic(errResident) })
	}, endsForGood, theEnd},
	{"SystemStops", func(h *house) { h.sys.Stop() }, endsForGood, taken},
	{"SystemShutsDown", func(h *house) {
		if err := h.sys.Shutdown(h.t.Context()); err != nil {
			h.t.Error(err)
		}
	}, endsForGood, taken},
	{"SystemStopsWhileItIsSuspended", func(h *house) {
		h.pick(h.ward)
		h.verdict = func(*Context, ChildDown) { close(h.fallen) }
		Suspend(h.sys, h.ward)
		h.awaitFall()
		h.sys.Stop()
	}, endsForGood, "leave lifeEnd " + taken},

	{"SupervisedStop", func(h *house) { h.pick(h.ward); Stop(h.sys, h.ward) }, endsForGood, theEnd},
	{"SupervisedKill", func(h *house) { h.pick(h.ward); Kill(h.sys, h.ward) }, endsForGood, theEnd},
	{"SupervisedDrain", func(h *house) { h.pick(h.ward); Drain(h.sys, h.ward) }, endsForGood,
		"close " + theEnd},
	{"DecideStops", func(h *house) {
		h.pick(h.ward)
		h.decision = kernel.Stop
		h.in(h.ward, func(*Context) { panic(errResident) })
	}, endsForGood, theEnd},
	{"SupervisorStopsIt", func(h *house) {
		h.pick(h.ward)
		h.verdict = func(c *Context, f ChildDown) { Stop(c, f.Ref) }
		h.in(h.ward, func(*Context) { panic(errResident) })
	}, endsForGood, "leave lifeEnd " + theEnd},
	{"SupervisorKillsIt", func(h *house) {
		h.pick(h.ward)
		h.verdict = func(c *Context, f ChildDown) { Kill(c, f.Ref) }
		h.in(h.ward, func(c *Context) { c.Exit(errResident) })
	}, endsForGood, "leave lifeEnd " + theEnd},
	{"SupervisorStops", func(h *house) {
		h.pick(h.ward)
		h.verdict = func(*Context, ChildDown) { close(h.fallen) }
		Suspend(h.sys, h.ward)
		h.awaitFall()
		Stop(h.sys, h.super)
	}, endsForGood, "leave lifeEnd " + theEnd},
	{"NextInitFails", func(h *house) {
		h.pick(h.ward)
		h.init = func() { panic(errResident) }
		h.verdict = func(c *Context, f ChildDown) {
			if f.Starting {
				Stop(c, f.Ref)
				return
			}
			Restart(c, f.Ref)
		}
		h.in(h.ward, func(*Context) { panic(errResident) })
	}, endsForGood, "leave lifeEnd leave lifeEnd " + theEnd},

	{"Suspend", func(h *house) { h.pick(h.ward); Suspend(h.sys, h.ward) }, endsLife, "leave lifeEnd"},
	{"Restart", func(h *house) { h.pick(h.ward); Restart(h.sys, h.ward) }, endsLife, "leave lifeEnd"},
	{"SupervisedPanic", func(h *house) {
		h.pick(h.ward)
		h.in(h.ward, func(*Context) { panic(errResident) })
	}, endsLife, "leave lifeEnd"},
	{"SupervisedExit", func(h *house) {
		h.pick(h.ward)
		h.in(h.ward, func(c *Context) { c.Exit(errResident) })
	}, endsLife, "leave lifeEnd"},
	{"SupervisedContextStop", func(h *house) {
		h.pick(h.ward)
		h.in(h.ward, (*Context).Stop)
	}, endsLife, "leave lifeEnd"},
	{"SupervisedPanicInOnStop", func(h *house) {
		h.pick(h.ward)
		h.onStop = func(*Context) { panic(errResident) }
		Restart(h.sys, h.ward)
	}, endsLife, "leave lifeEnd"},
	{"BackOff", func(h *house) {
		h.pick(h.ward)
		h.verdict = func(c *Context, f ChildDown) { Postpone(c, f.Ref) }
		h.in(h.ward, func(*Context) { panic(errResident) })
		h.settle()
		Restart(h.sys, h.ward)
	}, endsLife, "leave lifeEnd"},

	{"DecideResumes", func(h *house) {
		h.pick(h.ward)
		h.decision = kernel.Resume
		h.in(h.ward, func(*Context) { panic(errResident) })
	}, endsNothing, ""},
}

const (
	theEnd = "leave close discard close end news"
	taken  = "close discard close end news" // its system ends it, and OnStop does not run

	notRecorded = "-" // it needs a part that is not a recorder
)

var errResident = errors.New("the resident's error")

// resident is an actor that has all parts, or records their stages.
type resident struct{ p *possessions }

// possessions records the parts of a resident, and their effects.
type possessions struct {
	a        *kernel.Cell
	had      [kernel.PartKinds]bool
	lifeDone chan struct{}
	ctx      context.Context
	lasted   bool // the context, into OnStop
	late     *kernel.Deferral

	stashed, unstashed int
	exits, downs       int      // as its peer was told
	stages             []string // as its recorders were told
}

// house is two systems. One has the residents, the other an actor with ties to a resident.
type house struct {
	t         *testing.T
	records   bool
	sys       *System
	elsewhere *System
	k         *residents

	super             Ref[resident]
	lone, child, ward Ref[resident]
	peer, target      Ref[resident]
	p                 *possessions // of the resident under test

	init     func()
	onStart  func(*Context) error
	onStop   func(*Context)
	decision kernel.Decision
	verdict  func(*Context, ChildDown)

	fallen  chan struct{}
	mu      sync.Mutex
	letters map[string]int // dead letters by behaviour
}

// residents is the type of residents, and its behaviours.
type residents struct {
	*Type[resident]
	do    Behaviour[resident, func(*Context)]
	put   Behaviour[resident, int]
	owe   AskBehaviour[resident, int, int]
	exit  Behaviour[resident, Exit]
	down  Behaviour[resident, Down]
	fell  Behaviour[resident, ChildDown]
	reply Behaviour[resident, Result[int]]
	other *Variant[resident]
}

// build makes a house. The behaviours use h, so each house has a type of its own.
func build(t *testing.T, records bool) *house {
	h := &house{t: t, records: records, decision: kernel.Restart, letters: map[string]int{},
		fallen: make(chan struct{})}
	h.verdict = func(c *Context, f ChildDown) { Restart(c, f.Ref) }
	typ := NewType[resident]("resident")
	k := &residents{Type: typ, do: Declare[func(*Context)](typ, "do"), put: Declare[int](typ, "put"),
		owe: DeclareAsk[int, int](typ, "owe"), exit: Declare[Exit](typ, "exit"),
		down: Declare[Down](typ, "down"), fell: Declare[ChildDown](typ, "fell"),
		reply: Declare[Result[int]](typ, "reply")}
	h.k = k
	typ.Table(k.do.Handle(func(_ *resident, c *Context, f func(*Context)) { f(c) }),
		k.put.Handle(func(s *resident, c *Context, n int) {
			if s.p.stashed++; s.p.stashed == 1 {
				k.put.Stash(c, n)
			} else {
				s.p.unstashed++
			}
		}), k.owe.Handle(func(s *resident, c *Context, _ int) (int, error) {
			s.p.late = Defer(c, k.owe).d
			return 0, nil
		}), k.exit.Handle(func(s *resident, _ *Context, _ Exit) { s.p.exits++ }),
		k.down.Handle(func(s *resident, _ *Context, _ Down) { s.p.downs++ }),
		k.fell.Handle(func(_ *resident, c *Context, f ChildDown) {
			if !f.Final {
				h.verdict(c, f)
			}
		}), k.reply.Handle(func(*resident, *Context, Result[int]) {}))
	k.other = typ.Variant(k.do.Handle(func(_ *resident, c *Context, f func(*Context)) { f(c) }))
	typ.OnStart(func(_ *resident, c *Context) error {
		if f := h.onStart; f != nil {
			h.onStart = nil
			return f(c)
		}
		return nil
	})
	typ.OnStop(func(s *resident, c *Context, _ error) {
		s.p.lasted = s.p.ctx != nil && s.p.ctx.Err() == nil
		if f := h.onStop; f != nil {
			h.onStop = nil
			f(c)
		}
	})
	quietLog := WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	h.sys = Start(quietLog, WithClock(NewVirtualClock(time.Unix(0, 0))),
		WithHooks(Hooks{DeadLetter: func(d DeadLetter) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.letters[d.Behaviour]++
		}}))
	h.elsewhere = Start(quietLog)
	t.Cleanup(func() { h.sys.Stop(); h.elsewhere.Stop() })
	h.super, h.lone = typ.Spawn(h.sys, resident{&possessions{}}), typ.Spawn(h.sys, resident{&possessions{}})
	h.peer = typ.Spawn(h.elsewhere, resident{&possessions{}})
	h.target = typ.Spawn(h.elsewhere, resident{&possessions{}})
	h.in(h.super, func(c *Context) {
		h.child = typ.SpawnChild(c, resident{&possessions{}})
		own := &possessions{}
		h.ward = SpawnUnder(c, typ, func(s *resident) {
			if f := h.init; f != nil {
				f()
			}
			s.p = own
		}, Care[resident]{Fell: k.fell, Decide: func(error) Decision { return h.decision }})
	})
	h.settle()
	h.furnish(h.lone)
	return h
}

// in runs f in a turn of r.
func (h *house) in(r Ref[resident], f func(*Context)) { h.k.do.Send(h.sysOf(r), r, f) }

func (h *house) sysOf(r Ref[resident]) *System { return systemOf(r.target().Sys()) }

// settle waits until both systems are quiescent.
func (h *house) settle() {
	for range 2 {
		for _, sys := range []*System{h.sys, h.elsewhere} {
			if err := sys.Wait(h.t.Context()); err != nil && !errors.Is(err, ErrSystemStopped) {
				h.t.Fatal(err)
			}
		}
	}
}

// awaitFall waits until the supervisor was told that the resident is suspended. A suspended actor
// holds the system, so settle would wait as well.
func (h *house) awaitFall() { <-h.fallen }

// furnish gives a resident all parts, by messages.
func (h *house) furnish(r Ref[resident]) {
	h.p = kernel.StateOf[resident](r.target()).p
	h.p.a = r.target()
	if !h.records {
		h.k.put.Send(h.sys, r, 1)
		h.in(h.peer, func(c *Context) { AskTo(c, h.k.owe, r, 1, h.k.reply) })
	}
	h.settle()
	h.in(r, func(c *Context) { h.equip(c) })
	h.settle()
	if !h.records {
		h.p.had = [kernel.PartKinds]bool{}
		for i, p := range r.target().Cold.Parts {
			if h.p.had[i] = p != nil; p == nil {
				h.t.Errorf("the resident has no part of kind %d", i)
			}
		}
	}
}

// pick makes another resident the one under test.
func (h *house) pick(r Ref[resident]) {
	h.in(h.lone, (*Context).Stop)
	h.settle()
	h.letters = map[string]int{}
	*kernel.StateOf[resident](h.peer.target()).p = possessions{}
	h.furnish(r)
}

// moveIn makes a new resident the one under test. It gets all parts that it can make in its
// OnStart.
func (h *house) moveIn(start func(*Context) error) {
	h.in(h.lone, (*Context).Stop)
	h.settle()
	h.letters = map[string]int{}
	*kernel.StateOf[resident](h.peer.target()).p = possessions{}
	own := &possessions{}
	h.p = own
	h.onStart = func(c *Context) error {
		own.a = c.kernel().Self
		h.equip(c)
		for i, p := range c.kernel().Self.Cold.Parts {
			own.had[i] = p != nil
		}
		return start(c)
	}
	h.k.Spawn(h.sys, resident{own})
}

// equip gives the running actor the parts that it can make itself.
func (h *house) equip(c *Context) {
	x := c.kernel().Self.MakeCold()
	if h.records {
		for i := range x.Parts {
			x.Parts[i] = &recorder{kernel.PartKind(i), h.p}
		}
		c.kernel().Sys.StopList.Add(c.kernel().Self, x) // as an actor with a stash, or its system would not end it
		return
	}
	h.p.ctx = c.Context()
	if err := c.Register("resident"); err != nil {
		h.t.Error(err)
	}
	After(c, time.Hour, h.k.put, 2)
	h.p.lifeDone = kernel.PartOf[kernel.LifeDone](x, kernel.BridgesPart).Chan()
	TrapExit(c, h.k.exit)
	Link(c, h.peer)
	Watch(c, h.target, h.k.down)
	me := Self[resident](c)
	h.in(h.peer, func(c *Context) {
		TrapExit(c, h.k.exit)
		Watch(c, me, h.k.down)
	})
	Become(c, h.k.other)
	x.Parts[kernel.OutlivesPart] = &kernel.Outlives{End: func(_ *kernel.Turn, _ error, over func()) { over() }}
}

// recorder is a part that records the stages of which it is told.
type recorder struct {
	kind kernel.PartKind
	p    *possessions
}

func (r *recorder) Ends(_ *kernel.Cell, _ kernel.Env, at kernel.Ending, _ error) {
	name := [...]string{"leave", "close", "discard", "lifeEnd", "end", "news"}[at]
	r.p.stages = append(r.p.stages, fmt.Sprint(r.kind, name))
}

// told returns the stages of which the recorders were told, one after the other, in order.
func (p *possessions) told(t *testing.T) string {
	var all []string
	for each := range slices.Chunk(p.stages, int(kernel.PartKinds)) {
		_, name, _ := strings.Cut(each[0], "0")
		for i, s := range each {
			if s != fmt.Sprint(i, name) {
				t.Errorf("part %d was told %s, want %s", i, s, name)
			}
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

// residentParts check each part, by its kind, after an end with the outcome of. look returns a
// description of the fault, or "".
var residentParts = [kernel.PartKinds]struct {
	name string
	look func(h *house, of int) string
}{
	kernel.ContextPart: {"Context", func(h *house, of int) string {
		over, next := h.p.ctx.Err() != nil, h.p.a.Flow.Load().ContextOfLife() == nil
		if h.p.lasted {
			return "the context had not ended when OnStop ran"
		}
		return whether(over == (of != endsNothing) && (next || of != endsLife),
			"the context has ended: %v, and the next life has its own: %v", over, next)
	}},
	kernel.NamesPart: {"Names", func(h *house, of int) string {
		_, err := Lookup[resident](h.sys, "resident")
		return whether((err == nil) == (of != endsForGood), "a look at the name: %v", err)
	}},
	kernel.TimersPart: {"Timers", func(h *house, of int) string {
		n := 0
		for _, r := range kernel.ArmedBy(h.p.a) {
			if kernel.TimersOf(h.p.a.Cold).Shard.Find(r) != nil {
				n++
			}
		}
		if h.p.a.Cold.Taken {
			return "" // the wheels of a system that has stopped do not turn
		}
		return whether((n == 0) == (of != endsNothing), "%d timers are armed", n)
	}},
	kernel.BridgesPart: {"Bridges", func(h *house, of int) string {
		return whether(kernel.IsClosed(h.p.lifeDone) == (of != endsNothing), "the bridges have ended: %v",
			kernel.IsClosed(h.p.lifeDone))
	}},
	kernel.DeferralsPart: {"Deferrals", func(h *house, of int) string {
		done := h.p.late.State.Load() == kernel.DeferralDone
		return whether(done == (of != endsNothing), "the caller was told: %v", done)
	}},
	kernel.LinksPart: {"Links", func(h *house, of int) string {
		ls := kernel.LinksOf(h.p.a.Cold)
		if of != endsForGood {
			return whether(ls.All.Len() == 1 && (ls.Trap == nil) == (of == endsLife),
				"%d links, and the exits are trapped: %v", ls.All.Len(), ls.Trap != nil)
		}
		n := kernel.StateOf[resident](h.peer.target()).p.exits
		return whether(n == 1 || h.peer.target().Ended(), "%d links were told", n)
	}},
	kernel.MonitorsPart: {"Monitors", func(h *house, of int) string {
		n, mine := kernel.StateOf[resident](h.peer.target()).p.downs, TiesOf(h.target)
		return whether((n == 1 || h.peer.target().Ended()) == (of == endsForGood) &&
			(mine == 0) == (of != endsNothing), "%d watchers were told, and it watches %d", n, mine)
	}},
	kernel.StashPart: {"Stash", func(h *house, of int) string {
		dead, ran, kept := h.letters["put"], h.p.unstashed, kernel.StashOf(h.p.a.Cold).Len()
		return whether([3]int{dead, ran, kept} == [...][3]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}[of],
			"of the stash %d died, %d ran, and %d are left", dead, ran, kept)
	}},
	kernel.VariantPart: {"Variant", func(h *house, of int) string {
		own := h.p.a.Cold.Parts[kernel.VariantPart] == nil
		return whether(own == (of != endsNothing) && own == !h.p.a.Became, "it is as it began: %v", own)
	}},
	kernel.OutlivesPart: {"Outlives", func(h *house, of int) string {
		free := kernel.OutlivesOf(h.p.a.Cold) == nil
		return whether(free == (of != endsNothing), "it outlives nothing: %v", free)
	}},
}

func whether(ok bool, format string, args ...any) string {
	if ok {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// TestParts: "It calls ends of all parts at each stage of an end, and each part does its work for
// that stage."
func TestParts(t *testing.T) {
	for _, tc := range residentEnds {
		t.Run(tc.name, func(t *testing.T) {
			if tc.stages != notRecorded {
				h := build(t, true)
				tc.end(h)
				h.settle()
				if got := h.p.told(t); got != tc.stages {
					t.Errorf("the parts were told %q, want %q", got, tc.stages)
				}
			}
			h := build(t, false)
			tc.end(h)
			h.settle()
			if ended := h.p.a.Ended(); ended != (tc.of == endsForGood) {
				t.Errorf("the resident has ended: %v", ended)
			}
			for kind, part := range residentParts {
				if !h.p.had[kind] {
					continue
				}
				if wrong := part.look(h, tc.of); wrong != "" {
					t.Errorf("%s: %s", part.name, wrong)
				}
			}
			if tc.of == endsForGood {
				if x := h.p.a.Cold; x.Listed.Reasons != 0 {
					t.Errorf("the resident is on the stop list for %d reasons", x.Listed.Reasons)
				}
			}
		})
	}
}
