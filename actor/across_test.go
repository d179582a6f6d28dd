package actor_test

import (
	"context"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Tests with two systems in one process, whose actors send to each other.

// inShutdown runs f in a behaviour of an actor whose system is in Shutdown, and returns
// the outcomes that come to its note.
func inShutdown(t *testing.T, r actor.Ref[puppet], sys *actor.System,
	f func(c *actor.Context)) []actor.Result[any] {
	t.Helper()
	var got []actor.Result[any]
	begun := make(chan struct{})
	do.Send(sys, r, func(p *puppet, c *actor.Context) {
		p.note = func(_ *actor.Context, res actor.Result[any]) { got = append(got, res) }
		close(begun)
		eventually(t, "Shutdown to refuse", func() bool { return refuses(sys) })
		f(c)
	})
	receive(t, "the behaviour to begin", begun)
	must(t, sys.Shutdown(soon(t)))
	return got
}

// refuses reports whether a system refuses callers from outside.
func refuses(sys *actor.System) bool {
	release, err := sys.Hold()
	release()
	return err != nil
}

// TestAskTo_AcrossInShutdown: "If to ends before it comes to the request, … the outcome has the
// error … and comes at once"; "the outcome comes unless the caller's system has stopped; a system
// in System.Shutdown still gets it".
func TestAskTo_AcrossInShutdown(t *testing.T) {
	for name, ask := range map[string]func(c *actor.Context, to actor.Ref[puppet], f trick){
		"AskTo": func(c *actor.Context, to actor.Ref[puppet], f trick) {
			actor.AskTo(c, try, to, f, note)
		},
		"AskToWithin": func(c *actor.Context, to actor.Ref[puppet], f trick) {
			actor.AskTo(c, try, to, f, note, actor.Within(time.Second))
		},
	} {
		for end, c := range map[string]struct {
			do   func(sys *actor.System, r actor.Ref[puppet])
			want error
		}{
			"actor": {func(sys *actor.System, r actor.Ref[puppet]) {
				must(t, actor.StopWait(soon(t), r))
			}, actor.ErrStopped},
			"system": {func(sys *actor.System, _ actor.Ref[puppet]) { sys.Stop() }, actor.ErrSystemStopped},
			"nobody": {func(*actor.System, actor.Ref[puppet]) {}, nil},
		} {
			t.Run(name+"/"+end, func(t *testing.T) {
				here, _ := onVirtualTime(t) // a lost outcome hangs no caller
				there := start(t)
				to := puppetType.Spawn(there, puppet{})
				c.do(there, to)
				got := inShutdown(t, puppetType.Spawn(here, puppet{}), here, func(ctx *actor.Context) {
					ask(ctx, to, func(*puppet, *actor.Context) (any, error) { return 42, nil })
					if err := there.Wait(soon(t)); err != nil {
						wants(t, err, actor.ErrSystemStopped)
					}
				})
				equal(t, "outcomes", len(got), 1)
				wants(t, got[0].Err, c.want)
				equal(t, "dead letters", here.Stats().DeadLetters, 0)
			})
		}
	}
}

// TestAskTo_AcrossInShutdownBounded: the same for a caller with a bound.
func TestAskTo_AcrossInShutdownBounded(t *testing.T) {
	typ := actor.NewType[puppet]("bounded caller", actor.WithBound(8, actor.OverflowMute))
	begin, answered := actor.Declare[deed](typ, "begin"), actor.Declare[actor.Result[any]](typ,
		"answered")
	var got []error
	typ.Table(begin.Handle((*puppet).Do), answered.Handle(func(_ *puppet, _ *actor.Context,
		r actor.Result[any]) {
		got = append(got, r.Err)
	}))
	here, there := start(t), start(t)
	to, r := puppetType.Spawn(there, puppet{}), typ.Spawn(here, puppet{})
	there.Stop()
	begun := make(chan struct{})
	begin.Send(here, r, func(_ *puppet, c *actor.Context) {
		close(begun)
		eventually(t, "Shutdown to refuse", func() bool { return refuses(here) })
		actor.AskTo(c, try, to, nil, answered)
	})
	receive(t, "the behaviour to begin", begun)
	must(t, here.Shutdown(soon(t)))
	equal(t, "outcomes", len(got), 1)
	wants(t, got[0], actor.ErrSystemStopped)
}

// TestAcross_WaitsPanic: "It panics if a behaviour or a process of any system calls it", for actors
// of the caller's system and of another one.
func TestAcross_WaitsPanic(t *testing.T) {
	here, there := start(t), start(t)
	kept, _ := there.Hold()
	defer kept()
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // a call that does not panic must not hang either
	other := puppetType.Spawn(there, puppet{})
	inside(t, here, func(c *actor.Context) {
		self := actor.Self[puppet](c)
		for name, f := range map[string]func(sys *actor.System, r actor.Ref[puppet]){
			"StopWait":  func(sys *actor.System, r actor.Ref[puppet]) { _ = actor.StopWait(ctx, r) },
			"DrainWait": func(sys *actor.System, r actor.Ref[puppet]) { _ = actor.DrainWait(ctx, r) },
			"KillWait":  func(sys *actor.System, r actor.Ref[puppet]) { _ = actor.KillWait(ctx, r) },
			"Join":      func(sys *actor.System, r actor.Ref[puppet]) { _, _ = actor.Join(ctx, r) },
		} {
			panics(t, name+" called from a behaviour", func() { f(there, self) })
			panics(t, name+" called from a behaviour", func() { f(here, other) })
		}
	})
	equal(t, "the other actor", other.Status(), actor.StatusIdle)
}

// TestAcross_TrySendAndPipe: an actor of another system mutes no sender. TrySend finds no room
// there, and SendWait in a function that Pipe runs waits for it.
func TestAcross_TrySendAndPipe(t *testing.T) {
	here, there := start(t), start(t)
	to, release := busyPuppet(t, there)
	sent := 0
	inside(t, here, func(c *actor.Context) {
		var err error
		for ; err == nil && sent <= 4096; sent++ {
			err = count.TrySend(c, to, 1)
		}
		wants(t, err, actor.ErrOverloaded)
		sent--
	})
	got := make(chan error, 1)
	caller := puppetType.Spawn(here, puppet{note: func(_ *actor.Context, r actor.Result[any]) {
		got <- r.Err
	}})
	do.Send(here, caller, func(_ *puppet, c *actor.Context) {
		actor.Pipe(c, note, func(ctx context.Context) (any, error) {
			return nil, count.SendWait(ctx, to, 1)
		})
	})
	eventually(t, "SendWait to wait", func() bool { return actor.Waiting(to) == 1 })
	equal(t, "outcomes before there is room", len(got), 0)
	release()
	must(t, receive(t, "the outcome", got))
	n, err := value.Ask(soon(t), to, struct{}{})
	must(t, err)
	equal(t, "messages", n, sent+1)
	equal(t, "mutes", here.Stats().Mutes, 0)
}

// TestAcross_DeterministicAsks: a deterministic system counts the requests that come to it from
// another system. It counts after the push, when the receiver owns the message: if the count used
// the message, this test would fail under the race detector.
func TestAcross_DeterministicAsks(t *testing.T) {
	bounded := actor.NewType[puppet]("bounded", actor.WithBound(100, actor.OverflowMute))
	boundedDo, boundedReply := actor.Declare[deed](bounded,
		"do"), actor.Declare[actor.Result[int]](bounded, "reply")
	bounded.Table(boundedDo.Handle((*puppet).Do), boundedReply.Handle((*puppet).Reply))
	for range scaled(20) {
		here, there := start(t, actor.WithDeterministic(1)), start(t)
		far := puppetType.Spawn(there, puppet{})
		caller, boundedCaller := puppetType.Spawn(here, puppet{}), bounded.Spawn(here, puppet{})
		for range 50 {
			do.Send(here, caller, func(_ *puppet, c *actor.Context) {
				actor.AskTo(c, value, far, struct{}{}, reply, actor.Within(time.Hour))
			})
			boundedDo.Send(here, boundedCaller, func(_ *puppet, c *actor.Context) {
				actor.AskTo(c, value, far, struct{}{}, boundedReply, actor.Within(time.Hour))
			})
		}
		quiet(t, here)
		quiet(t, there)
		quiet(t, here)
		st := here.Stats()
		equal(t, "messages sent", here.SimCounts().Sent, st.Messages+st.DeadLetters)
	}
}
