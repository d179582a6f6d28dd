package actors_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// In a foul swarm the code of the user's misbehaves wherever the runtime calls it, by chance:
// behaviours, callbacks of types and of supervisors, interceptors, hooks, loggers, contexts, errors,
// policies, handlers, probes and the functions that processes give away. Nothing that was sent is
// lost for it, and every actor that lives has an answer.

// slip returns a misdeed once in a while, or nil.
func (s *swarm) slipWith(often int, noLocks bool) func() {
	if !s.foul.Load() {
		return nil
	}
	r := rand.New(rand.NewPCG(s.seed, 1<<32+s.slips.Add(1)))
	if r.IntN(often) > 0 {
		return nil
	}
	n := r.IntN(11)
	if n == 6 && noLocks { // a lock within a Select of a process is fatal still
		n = 8
	}
	s.note(fmt.Sprint("misdeed ", n, " in", callers()))
	switch n {
	case 0:
		return func() { panic("planted") }
	case 1:
		return func() { panic(nil) }
	case 2:
		return func() { panic(s.badError(r)) }
	case 3:
		return func() { panic((*badText)(nil)) }
	case 4:
		return func() { panic([]int{1}) }
	case 5:
		return runtime.Goexit
	case 6:
		return runtime.LockOSThread
	case 7:
		return func() {
			pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("left", "here")))
		}
	case 8: // it blocks for a while
		return func() { ch := make(chan int); go close(ch); <-ch }
	case 9: // it calls back
		return func() { s.sys.Stats(); s.sys.Why(); inspect.Names(s.sys) }
	default:
		return func() {
			if b := s.bees[r.IntN(len(s.bees))].Load(); b != nil {
				beeDo.Send(s.sys, *b, sting{s: s, mark: true})
			}
		}
	}
}

// callers names the functions that have called the code of the user's.
func callers() (text string) {
	pcs := make([]uintptr, 6)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		text += " < " + f.Function[strings.LastIndex(f.Function, ".(")+1:]
		if !more {
			return text
		}
	}
}

// note keeps a line for the report of a run that fails.
func (s *swarm) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deeds = append(s.deeds, line)
}

func (s *swarm) slip(often int) func() { return s.slipWith(often, false) }

// misbehave does a misdeed once in a while.
func (s *swarm) misbehave(often int) {
	if f := s.slip(often); f != nil {
		f()
	}
}

// badText is an error whose text cannot be had of nil.
type badText struct{ text string }

func (e *badText) Error() string { return e.text }

// badError is an error whose methods misbehave.
type badError struct{ f func() }

func (e badError) Error() string { e.f(); return "bad" }
func (e badError) Is(error) bool { e.f(); return false }
func (e badError) Unwrap() error { e.f(); return nil }

// listError is one that cannot be compared.
type listError []int

func (e listError) Error() string { return "list" }

func (s *swarm) badError(r *rand.Rand) error {
	return []error{errPlanted, (*badText)(nil), listError{1}, badError{func() { panic("no text") }},
		badError{runtime.Goexit}, badError{func() {}}}[r.IntN(6)]
}

// badContext is a context whose methods misbehave.
type badContext struct {
	context.Context
	s *swarm
}

func (c badContext) misbehave() {
	if f := c.s.slipWith(3, true); f != nil {
		f()
	}
}

func (c badContext) Err() error            { c.misbehave(); return c.Context.Err() }
func (c badContext) Done() <-chan struct{} { c.misbehave(); return c.Context.Done() }
func (c badContext) Value(key any) any     { c.misbehave(); return c.Context.Value(key) }
func (c badContext) Deadline() (time.Time, bool) {
	c.misbehave()
	return c.Context.Deadline()
}

// badLog is the handler of a logger that misbehaves.
type badLog struct{ s *swarm }

func (l badLog) Enabled(context.Context, slog.Level) bool {
	l.s.misbehave(10)
	return true
}
func (l badLog) WithGroup(string) slog.Handler      { l.s.misbehave(5); return l }
func (l badLog) WithAttrs([]slog.Attr) slog.Handler { l.s.misbehave(5); return l }
func (l badLog) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if text := fmt.Sprint(a.Value); strings.Contains(text, "nil pointer") || strings.Contains(text, "invariant") {
			l.s.t.Errorf("seed %d: %s: %s", l.s.seed, r.Message, text)
		}
		return true
	})
	l.s.misbehave(5)
	return nil
}

// badHandler takes messages of the swarm, and misbehaves.
type badHandler struct{ s *swarm }

func (h badHandler) Send(_ actor.Sender, m sting) {
	h.s.ran.Add(1)
	h.s.met(m, "handled")
	h.s.misbehave(10)
}

func (h badHandler) TrySend(_ actor.Sender, m sting) error {
	h.s.ran.Add(1)
	h.s.met(m, "handled")
	h.s.misbehave(10)
	return nil
}

func (h badHandler) Status() actor.Status { h.s.misbehave(10); return actor.StatusIdle }

// Inspect implements observe.Inspector.
func (b *bee) Inspect() any { swarms.Load().misbehave(4); return b.seat }

// started puts a child of a supervisor into its seat.
func (b *bee) started(c *actor.Context) error {
	s := swarms.Load()
	if b.seat > 0 {
		self := actor.Self[bee](c)
		s.bees[b.seat-1].Store(&self)
	}
	s.misbehave(40)
	if s.foul.Load() && s.slip(100) != nil {
		return listError{1}
	}
	return nil
}

// foulOptions are the options of a foul swarm.
func (s *swarm) foulOptions() []actor.Option {
	return []actor.Option{actor.WithLogger(slog.New(badLog{s})), actor.WithLongTurn(time.Millisecond),
		actor.WithHooks(actor.Hooks{
			DeadLetter: func(l actor.DeadLetter) { s.noteDead(l); s.misbehave(20) },
			Panic: func(p actor.PanicReport) {
				s.notePanic(p)
				s.misbehave(10)
			},
			LongTurn:         func(actor.LongTurnReport) { s.misbehave(2) },
			PressureDeadlock: func(actor.PressureDeadlock) { s.misbehave(2) },
		}),
		actor.WithInterceptor(actor.Interceptor{Before: s.before,
			After: func(_ *actor.Context, in *actor.Invocation, _ actor.Outcome) {
				if f := s.slip(200); f != nil {
					s.note("  after in " + in.Type() + "." + in.Behaviour())
					f()
				}
			}})}
}

// before refuses messages, or fails. A message that it keeps from its behaviour counts as run,
// unless it becomes a dead letter.
func (s *swarm) before(_ *actor.Context, in *actor.Invocation) error {
	m, ours := in.Message().(sting)
	ours = ours && !m.mark
	f := s.slip(200)
	if f == nil {
		return nil
	}
	if s.slips.Add(1)%3 == 0 {
		s.note("  refused in " + in.Type() + "." + in.Behaviour())
		if ours && in.IsRequest() {
			s.met(m, "refused "+in.Type()+"."+in.Behaviour())
			s.ran.Add(1)
		}
		return s.badError(rand.New(rand.NewPCG(s.seed, s.slips.Add(1))))
	}
	s.note("  in " + in.Type() + "." + in.Behaviour())
	s.within(m, ours, "interceptor of "+in.Type()+"."+in.Behaviour(), f)
	return nil
}

// within does a misdeed, if there is one, in a function that decides about m. If it does not return,
// the actor falls over m, which then has run.
func (s *swarm) within(m sting, counted bool, where string, misdeed func()) {
	if misdeed == nil {
		return
	}
	returned := false
	defer func() {
		if !returned && counted {
			s.met(m, "fell over by "+where)
			s.ran.Add(1)
		}
	}()
	misdeed()
	returned = true
}

// notePanic fails the test if the runtime itself has panicked.
func (s *swarm) notePanic(p actor.PanicReport) {
	err, isRuntime := p.Value.(runtime.Error)
	if _, planted := p.Value.(*runtime.PanicNilError); isRuntime && !planted {
		s.t.Errorf("seed %d: %s has panicked in %s: %v\n%s", s.seed, p.Type, p.Behaviour, err, p.Stack)
	}
}

// foulBee is the additional code of a bee in a foul swarm.
func (s *swarm) foulBee(c *actor.Context, seed uint64) {
	if !s.foul.Load() {
		return
	}
	r := rand.New(rand.NewPCG(seed, 5))
	b := s.bees[r.IntN(len(s.bees))].Load()
	if b == nil {
		return
	}
	mark := sting{s: s, mark: true, seed: r.Uint64()}
	switch r.IntN(60) {
	case 0:
		c.Shield(func() { s.misbehave(2) })
	case 1:
		c.Blocking(func() { s.misbehave(2) })
	case 2:
		actor.Pipe(c, beeHear, func(context.Context) (int, error) { s.misbehave(2); return 1, nil })
	case 3:
		actor.After(c, 1, beeDo, mark)
	case 4:
		c.Exit(s.badError(r))
	case 5:
		actor.StopWith(c, *b, s.badError(r))
	case 6:
		actor.Watch(c, *b, beeDown)
	case 7:
		actor.TrapExit(c, beeExit)
		actor.Link(c, *b)
	case 8:
		c.SetContext(badContext{context.WithoutCancel(c.Context()), s})
	case 9:
		ctx, stop := context.WithCancel(c.Context())
		defer stop()
		beeDo.Send(c.With(badContext{ctx, s}), *b, mark)
	case 10:
		mark.mark = false
		s.send(&mark, "pool")
		s.pool.Send(c, mark)
	case 11:
		s.topic.Publish(c, mark)
	case 12:
		s.registry.Join(c, []any{"a", []int{1}, badError{func() {}}, 1.5}[r.IntN(4)], r.IntN(3))
	case 13:
		s.registry.Members([]any{"a", []int{1}, badError{func() {}}, 1.5}[r.IntN(4)])
	case 14:
		bee := beeType.SpawnFunc(c, func(*bee) { s.misbehave(2) })
		s.bees[r.IntN(len(s.bees))].Store(&bee)
	case 15:
		// Of nobody whose restart could wait for the end of this turn.
		_, _ = beeAsk.Ask(badContext{c.Context(), s}, beeType.Spawn(c, bee{}), mark)
	case 16:
		actor.AskTo(c, beeAsk, *b, mark, beeHear, actor.Within(time.Hour))
	case 17:
		c.Stop()
	case 18:
		actor.Kill(c, *b)
	case 19:
		c.Logger().Info("here")
	default:
		s.misbehave(10)
	}
}

// foulWasp is the additional code of a process in a foul swarm.
func (s *swarm) foulWasp(self *process.Self[sting], seed uint64) {
	if !s.foul.Load() {
		return
	}
	r := rand.New(rand.NewPCG(seed, 6))
	b := s.bees[r.IntN(len(s.bees))].Load()
	if b == nil {
		return
	}
	mark := sting{s: s, mark: true, seed: r.Uint64()}
	switch r.IntN(30) {
	case 0:
		self.Exit(s.badError(r))
	case 1:
		panic(s.badError(r))
	case 2:
		_, _ = actors.CallContext(badContext{context.Background(), s}, self, beeAsk, *b, mark)
	case 3:
		actors.Watch(self, *b, func(actor.Down) sting { s.misbehave(1); return mark })
	case 4:
		self.Blocking(func() { s.misbehave(1) })
	case 5:
		process.TrySelect(self, process.When(&process.Event{}, func() bool { s.misbehave(1); return true }))
	case 6:
		s.misbehave(1)
	case 7:
		process.TrySelect(self, self.Receives(nil, func(sting) bool { s.misbehave(1); return false }))
	case 8:
		defer s.misbehave(1)
		runtime.Goexit()
	}
}

// foulBegin makes the targets of the misdeeds.
func (s *swarm) foulBegin(r *rand.Rand) {
	seat := func() int { return r.IntN(len(s.bees)) + 1 }
	decide := func(error) supervise.Decision {
		s.misbehave(10)
		return []supervise.Decision{supervise.DecideRestart, supervise.DecideResume, supervise.DecideStop,
			supervise.DecideEscalate}[s.slips.Add(1)%7%4]
	}
	child := func(name string, dropMail bool) supervise.Child {
		at := seat()
		return supervise.Worker[bee]{Name: name, Type: beeType, Backoff: supervise.NoBackoff, DropMail: dropMail,
			Decide: decide, Init: func(b *bee) { b.seat = at; s.misbehave(50) }}
	}
	spec := supervise.Spec{Name: "hive", OnEvent: func(supervise.Event) { s.misbehave(10) },
		Strategy:  []supervise.Strategy{supervise.OneForOne, supervise.OneForAll, supervise.RestForOne}[r.IntN(3)],
		Intensity: supervise.Intensity{Restarts: 20, Within: time.Hour},
		Children: []supervise.Child{child("a", false), child("b", true),
			child("c", false)}}
	s.tree = supervise.Start(s.sys, spec)
	one, two := beeType.Spawn(s.sys, bee{}), beeType.Spawn(s.sys, bee{})
	policy := group.PolicyOf(func() func(sting, group.Members) int {
		s.misbehave(20)
		return func(m sting, among group.Members) int {
			s.within(m, !m.mark, "policy", s.slip(20))
			return int(m.seed % uint64(among.Len()))
		}
	})
	s.pool = group.NewPool(policy, beeDo.To(one), beeDo.To(two), badHandler{s}).Start(s.sys)
	s.topic = group.NewTopic[sting]().Start(s.sys)
	s.topic.Subscribe(s.sys, beeDo.To(one))
	s.topic.Subscribe(s.sys, beeDo.To(two))
	s.registry = group.NewRegistry[any, int]().Start(s.sys)
	s.registry.SubscribeAll(s.sys, badChange{s})
	if r.IntN(2) == 0 {
		inspect.Around(s.sys, inspect.Probe{
			// One that panics keeps the message from its behaviour, and nobody counts it.
			Before: func(*actor.Context, inspect.Message) { s.sys.Stats(); inspect.Names(s.sys) },
			After:  func(*actor.Context, inspect.Message) { s.misbehave(300) }})
	}
}

type badChange struct{ s *swarm }

func (h badChange) Send(actor.Sender, group.Change[any, int]) { h.s.misbehave(3) }
func (h badChange) TrySend(actor.Sender, group.Change[any, int]) error {
	h.s.misbehave(3)
	return nil
}

// foulEnd looks whether each actor that lives has an answer.
func (s *swarm) foulEnd(t *testing.T) {
	s.foul.Store(false)
	ctx, cancel := context.WithTimeout(context.Background(), hangTimeout)
	defer cancel()
	for i := range s.bees {
		b := s.bees[i].Load()
		if b == nil {
			continue
		}
		_, err := beeAsk.Ask(ctx, *b, sting{s: s, mark: true})
		if ctx.Err() != nil || err == nil && b.Status() == actor.StatusEnded {
			t.Errorf("seed %d: bee %d gives no answer: %v, %v", s.seed, i, err, s.sys.Why())
		}
	}
	if _, err := s.pool.Len(ctx); err != nil && ctx.Err() != nil {
		t.Errorf("seed %d: the pool gives no answer", s.seed)
	}
	s.registry.Members("a")
}
