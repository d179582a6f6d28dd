package actor

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/actor/internal/stack"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// A system of actors may have processes on its workers: package process/actors joins the two. This
// file has the part of package actor that it needs: see decision 42. No code on the path of a
// message between actors knows of processes.

func init() {
	access.Join = func(sys any, start func(access.Shared) (any, func())) any {
		return sys.(*System).kernel().joinProcesses(start)
	}
	access.UserFrame = userFrame
	access.WorkerOf = func(c any, call string) (sys, worker any) {
		in := c.(*Context).kernel()
		mustRun(in, call)
		return in.sys.face(), in.w
	}
	access.Travels = func(c any) context.Context { return c.(*Context).kernel().travels }
	access.ProcessSender = func(sys any, p access.Running, stand access.Stand) any {
		return &processEnv{kernelSystem: sys.(*System).kernel(), p: p, stand: stand}
	}
	access.AskFor = func(ctx context.Context, sender, to, question, handler any) {
		to.(interface {
			askFor(context.Context, env, any, any)
		}).askFor(ctx, envOf(sender.(Sender)), question, handler)
	}
	access.With = func(sender any, ctx context.Context) any {
		return &carrier{env: sender.(Sender).sender(), ctx: travelling(ctx)}
	}
	access.Outcome = func(c, behaviour any) func(sender, outcome any) {
		return outcomeFor(c.(*Context).kernel(), descriptorOf(behaviour).made())
	}
	access.Blocking = func(worker any, f func()) {
		w := worker.(*sched.Worker)
		defer beginProcess(w).endProcess()
		w.Blocking(f)
	}
	access.ActorOn = func(worker any) uint64 {
		if c, ok := worker.(*sched.Worker).Local().(*kernelTurn); ok && c.self != nil {
			return c.self.id
		}
		return 0
	}
	access.Outlive = func(c any, end func(c any, why error, over func())) {
		c.(*Context).kernel().self.makeCold().parts[outlivesPart] = &outlives{
			end: func(c *kernelTurn, why error, over func()) { end(c.face(), why, over) }}
	}
}

// joined links a system to the processes that have been joined to it.
type joined struct {
	// A *process.System; nil: none has been joined. Stored under mu.
	sys    seam.Pointer[any]
	mu     sync.Mutex
	unwind func() // guarded by mu: ends it
	over   bool   // guarded by mu: no worker is left
}

// joinProcesses is access.Join.
func (s *kernelSystem) joinProcesses(start func(access.Shared) (any, func())) any {
	if s == nil {
		panicMisuse("Join", " of a nil or zero System")
	}
	j := &s.processes
	if sys := j.sys.Load(); sys != nil {
		return *sys
	}
	s.mustBeStarted("Join")
	if s.opts.bind {
		panicMisuse("Join", " of a system WithCPUBinding: a coroutine cannot be switched to on a thread "+
			"that is locked")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if sys := j.sys.Load(); sys != nil {
		return *sys
	}
	var sys any
	sys, j.unwind = start(access.Shared{Actors: s.face(), Scheduler: s.sched, Clock: s.opts.clock,
		Seed: s.opts.seed, Stepwise: s.sim != nil, Stop: s.Stop, DeadLetter: s.deadProcess,
		Panicked: s.panickedProcess, Event: s.sim.processEvents()})
	if j.over {
		j.unwind()
	}
	j.sys.Store(&sys)
	return sys
}

// end unwinds all processes. After all workers have gone.
func (j *joined) end() {
	j.mu.Lock()
	j.over = true
	unwind := j.unwind
	j.mu.Unlock()
	if unwind != nil {
		unwind()
	}
}

// report reports a process that runs or blocks for long, if it still does so. It returns false if
// the task is no process. The turn belongs to this process alone: after the monitor has asked the
// worker to answer, no process hands on its turn to another. Any goroutine.
func (j *joined) report(s *kernelSystem, w *sched.Worker, task *sched.Task, atLeast time.Duration,
	blocking bool, goesOn func() bool) bool {
	processes := j.sys.Load()
	if processes == nil {
		return false
	}
	who, stack, ok := access.LongTurnOf(*processes, task)
	if !ok {
		return false
	}
	if goesOn() && s.longTurns.mayReport() {
		s.tellLongTurn(LongTurnReport{Type: who.Type, ActorID: who.ID, Name: who.Name, Worker: w.ID(),
			Blocking: blocking, AtLeast: atLeast}, stack, goesOn)
	}
	return true
}

// processHolder is a process that keeps its system from being quiescent.
type processHolder struct {
	who   access.ProcessName
	where func(stacks map[string][]byte) string // see Holder
}

// processes notes the running processes, and the processes with armed timers.
func (t *tally) processes(s *kernelSystem) {
	processes := s.processes.sys.Load()
	if processes == nil {
		return
	}
	running := t.kind("running turn")
	for _, w := range s.sched.AllWorkers() {
		who, at, ok := processOn(*processes, w)
		if !ok {
			continue
		}
		blocking := peekBlocking(w)
		running.procs = append(running.procs, processHolder{who, func(stacks map[string][]byte) string {
			return whereInTurn(at(stacks), blocking)
		}})
	}
	timers := t.kind("timer")
	access.TimersOf(*processes, func(h access.ProcessHolder) {
		if h.Who.ID == 0 {
			t.note("timer", nil, nil, 1)
			return
		}
		timers.procs = append(timers.procs, processHolder{h.Who, func(stacks map[string][]byte) string {
			return whereInWait(h.At(stacks), h.On())
		}})
	})
}

// processOn returns the process that a worker is seen running. It reports false if there is none.
// Any goroutine.
func processOn(processes any, w *sched.Worker) (who access.ProcessName,
	at func(stacks map[string][]byte) []byte, ok bool) {
	task := w.Running()
	if task == nil {
		return who, nil, false
	}
	who, at, ok = access.RunningTask(processes, task)
	return who, at, ok && who.ID != 0 && w.Running() == task
}

// whereInTurn says where a running process is, by its stack: "in Blocking at main.fetch
// main.go:12", "in chan receive at …".
func whereInTurn(text []byte, blocking bool) (where string) {
	_, state, _ := strings.Cut(string(text), "[")
	switch state, _, _ = strings.Cut(state[:max(0, strings.IndexByte(state, ']'))], ","); {
	case blocking:
		where = " in Blocking"
	case state != "" && state != "running" && state != "runnable":
		where = " in " + state
	}
	return where + whereOfStack(text)
}

// whereInWait says where a process waits.
func whereInWait(text []byte, on string) string {
	if on != "" {
		on = " in " + on
	}
	return on + whereOfStack(text)
}

// whereOfStack names the line of the user's that a goroutine is in; "" if the stack is not known.
func whereOfStack(text []byte) string {
	if frame := userFrame(text); frame != "" {
		return " at " + frame
	}
	return ""
}

// userFrame is access.UserFrame.
func userFrame(goroutine []byte) string {
	_, frames, _ := bytes.Cut(goroutine, []byte("\n"))
	return stack.UserFrame(frames)
}

// holdersOfProcesses returns the holders of one class, ordered by type and number. Many of one type
// become one Holder.
func holdersOfProcesses(what string, all []processHolder) (list []Holder) {
	slices.SortFunc(all, func(a, b processHolder) int {
		return cmp.Or(cmp.Compare(a.who.Type, b.who.Type), cmp.Compare(a.who.ID, b.who.ID))
	})
	var stacks map[string][]byte
	for len(all) > 0 {
		typ, n, counts := all[0].who.Type, 0, map[uint64]int{}
		for ; n < len(all) && all[n].who.Type == typ; n++ {
			counts[all[n].who.ID]++
		}
		if len(counts) > namedHolders {
			list = append(list, Holder{What: what, Count: n, Actor: ActorName{Type: typ}})
			all = all[n:]
			continue
		}
		if stacks == nil {
			stacks = access.StacksOfProcesses()
		}
		for i, p := range all[:n] {
			if i > 0 && all[i-1].who.ID == p.who.ID {
				continue
			}
			list = append(list, Holder{What: what, Count: counts[p.who.ID], where: p.where(stacks),
				Actor: ActorName{Type: typ, ID: p.who.ID, Name: p.who.Name}})
		}
		all = all[n:]
	}
	return list
}

// beginProcess begins a call in which the process that runs on w blocks. endProcess of the result
// ends it. The result is nil if the call is not watched: it is within another such call, the run is
// deterministic, or the system has no actors. Owner of w only, in a turn.
func beginProcess(w *sched.Worker) *kernelTurn {
	c, joined := w.Local().(*kernelTurn)
	if !joined || w.InBlocking() || c.sys.sim != nil {
		return nil
	}
	c.sys.blocked.begin(c, c.sys.opts.clock.Nanos())
	return c
}

// endProcess ends the call that beginProcess began. c may be nil.
func (c *kernelTurn) endProcess() {
	if c != nil {
		c.sys.blocked.end(c)
	}
}

// waitInProcess is waitIn for the process that runs on w.
func waitInProcess(w *sched.Worker, f func()) bool {
	defer beginProcess(w).endProcess()
	return w.TryBlocking(f)
}

// deadProcess counts and reports a message that no process will receive.
func (s *kernelSystem) deadProcess(to access.ProcessName, message any, reason error, bestEffort bool) {
	who := ActorName{Type: to.Type, ID: to.ID, Name: to.Name}
	s.outside.deadLetters.Add(1)
	if bestEffort {
		s.outside.bestEffort.Add(1)
	}
	if i := s.inspected.Load(); i != nil {
		i.deadProcess(&who, message, reason, bestEffort)
	}
	if s.tellOfLetter(func() DeadLetter {
		return DeadLetter{ActorID: who.ID, Type: who.Type, Name: who.Name, BestEffort: bestEffort,
			Message: message, Reason: reason}
	}) {
		return
	}
	s.writeDeadLetter(func() ActorName { return who }, who.Type, bestEffort, "message",
		fmt.Sprintf("%T", message), reason)
}

// panickedProcess counts and reports the panic of a process, as that of a behaviour. Its turn.
func (s *kernelSystem) panickedProcess(who access.ProcessName, crash any) {
	c := crash.(*sched.Crash)
	s.outside.panics.Add(1)
	if tell := s.sim.processEvents(); tell != nil {
		tell(sim.Event{Kind: sim.Panicked, Worker: -1, Actor: who.ID, Type: who.Type,
			Behaviour: "process"}, nil)
	}
	text := userFrames(c.Stack)
	p := PanicReport{ActorID: who.ID, Type: who.Type, Name: who.Name, Value: c.Value, Goexit: c.Goexit,
		Frame: stack.UserFrame(text), Stack: text}
	s.tellPanic(s, ActorName{Type: p.Type, ID: p.ActorID, Name: p.Name}, p, "gallop: process panicked")
}

// processHere returns the scheduler and the worker of the process that the calling goroutine runs;
// nil if it runs none. The worker is nil once the scheduler has stopped. A program without
// processes pays a comparison. Any goroutine.
func processHere() (*sched.Scheduler, *sched.Worker) {
	if access.InProcess == nil {
		return nil, nil
	}
	in, w := access.InProcess()
	if in == nil {
		return nil, nil
	}
	return in.(*sched.Scheduler), w.(*sched.Worker)
}

// panicInProcess panics for a call that waits and was made in a process.
//
//go:noinline
func panicInProcess(call string) {
	panicMisuse(call, " called from a process, which would wait for itself")
}

// processEnv is the env of a process. The process runs in a turn of a worker, so actors that it
// makes runnable need no admission, and the system takes its messages as long as it runs. In all
// else it is outside: it has no number, and no cache of messages.
//
// A process cannot be muted itself. If the gate of a receiver is not open, the actor that stands
// for the process sends in its place. The process goes on when that actor is not muted.
type processEnv struct {
	*kernelSystem
	p     access.Running
	stand access.Stand
	// The process is sending to the actor that stands for it.
	stands bool
}

var _ env = (*processEnv)(nil)

// sender implements Sender.
func (e *processEnv) sender() env { return e }

// worker returns the worker whose turn runs the process; nil while the system ends.
func (e *processEnv) worker() *sched.Worker {
	w, _ := e.p.Worker().(*sched.Worker)
	return w
}

// in implements env: as for a behaviour, an actor of another system is outside.
func (e *processEnv) in(a *cell) env {
	if sys := a.sys(); sys != e.kernelSystem {
		return sys
	}
	return e
}

// mayAct implements env: the processes of a system in Shutdown go on, as behaviours do.
func (e *processEnv) mayAct() error { return nil }

// schedule implements env.
func (e *processEnv) schedule(a *cell) {
	if w := e.worker(); w != nil {
		w.Schedule(&a.task)
		return
	}
	e.kernelSystem.schedule(a)
}

// send implements env. After the send the process yields, or ends if it was told to. If the actor
// that stands for it has ended, so that the process is about to end, the system sends the message.
func (e *processEnv) send(to *cell, m *message, d *descriptor) {
	if w := e.worker(); to.gate.IsOpen() && !to.shared().bounded || e.stands || w == nil {
		m.ID = d.id
		if err := e.push(to, m, asPlain); err != nil {
			e.lose(to, m, d, err)
		}
		e.p.Operation("Send")
		return
	}
	e.stands = true
	defer func() { e.stands = false }()
	e.stand(AnyRef{to}, func(c any) {
		in := c.(*Context).kernel()
		countMade(in, 1)
		e.mark(m)
		in.send(to, m, d)
	}, func() { e.kernelSystem.send(to, m, d) })
}

// mayTry implements env.
func (e *processEnv) mayTry(a *cell, d *descriptor) error {
	e.p.Operation("TrySend")
	return a.mayTry(d)
}

// trySend implements env. A place in a mailbox with a bound was taken by mayTry.
func (e *processEnv) trySend(to *cell, m *message, d *descriptor) error {
	if m.ID = d.id; to.shared().bounded {
		return to.pushPlaced(e, m)
	}
	return e.push(to, m, asPlain)
}

// push implements env. It is one of the places that check the result of a push.
func (e *processEnv) push(to *cell, m *message, how delivery) error {
	w := e.worker()
	if w == nil {
		return ErrSystemStopped
	}
	m.From = 0
	e.mark(m)
	w.Point()
	id := m.ID // a message that is pushed is the receiver's
	if how < asReply && to.shared().bounded {
		if kept, err := to.takePlaceFor(e, m, how); kept || err != nil {
			return err
		}
	}
	switch to.box.Push(m) {
	case mpsc.PushClosed:
		return to.endedBecause()
	case mpsc.PushWoke:
		e.sim.countUser(id)
		w.Schedule(&to.task)
	default:
		e.sim.countUser(id)
	}
	return nil
}

// pushFirst implements env.
func (e *processEnv) pushFirst(to *cell, m *message, publish func()) error {
	w := e.worker()
	if w == nil {
		return ErrSystemStopped
	}
	e.mark(m)
	w.Point()
	to.box.Push(m) // no sender knows the actor: the push wakes it
	e.sim.countUser(m.ID)
	publish()
	w.Schedule(&to.task)
	return nil
}

// mark says, in a run of package actortest, that the process sends m.
func (e *processEnv) mark(m *message) {
	if e.sim != nil {
		id, typ := e.p.Name()
		e.sim.comesFromProcess(m, id, typ)
	}
}

// askFor is access.AskFor.
func (a *askedActor[Q, R]) askFor(ctx context.Context, e env, question, handler any) {
	k := &call[R]{handler: handler.(Handler[Result[R]])}
	k.ctx, k.tells, k.waits = ctx, true, a.b.supervised && waitsForRestart(ctx)
	q, _ := question.(Q) // a nil of an interface type is no Q
	e = e.in(a.b)
	m := e.node(a.d.size)
	*payloadOf[request[Q, R]](m) = request[Q, R]{q, replyTo[R]{call: k}}
	if a.d.urgent {
		sendUrgent(e, a.b, m, a.d)
		return
	}
	e.send(a.b, m, a.d)
}

// outcomeFor is access.Outcome. As a method of Behaviour it would be in every program, once for
// each type of behaviour.
func outcomeFor(c *kernelTurn, d *descriptor) func(sender, outcome any) {
	c.mustOwn(d)
	to, life, ctx, waits := c.self, c.markAsk(), c.travels, c.waits
	return func(sender, outcome any) {
		e := envFor(sender.(Sender), to)
		m := e.node(d.size)
		m.Life = life
		reflect.NewAt(reflect.TypeOf(outcome), m.Payload()).Elem().Set(reflect.ValueOf(outcome))
		if ctx == nil {
			answer(e, to, m, d, d.urgent)
			return
		}
		m = carry(e, ctx, m, d)
		payloadOf[carried](m).waits = waits
		answer(e, to, m, carriedDesc, d.urgent)
	}
}

// outlives is the part of an actor that stands for something else, such as a process. It delays
// orders to end, to suspend and to restart: the actor first makes the other end, and lives on
// meanwhile. So everything that the other still does through the actor comes before the actor's
// end. A Kill is not delayed. Owner only.
//
//	ALIVE ── order ──▶ ALIVE, ordered ── over ──▶ the orders are served, one after the other
type outlives struct {
	end    func(c *kernelTurn, why error, over func())
	orders []signal // the delayed orders, oldest first; nil: end was not called
}

// outlivesOf returns the part outlives of an actor, or nil if orders are carried out at once. Owner
// only.
func outlivesOf(x *coldState) *outlives {
	o, _ := x.parts[outlivesPart].(*outlives)
	return o
}

// ends implements part. The next life outlives nothing, and a ref to an ended actor must not keep
// other objects in memory.
func (*outlives) ends(a *cell, _ env, at ending, _ error) {
	if at == atLifeEnd || at == atNews {
		a.cold.parts[outlivesPart] = nil
	}
}

// putOff keeps an order for later, if the actor outlives something. It reports false if the order
// is to be carried out. Owner only, in a turn beside the mail.
func (x *coldState) putOff(a *cell, c *kernelTurn, order signal, why error) bool {
	o := outlivesOf(x)
	if o == nil || x.state != alive {
		return false
	}
	first := o.orders == nil
	o.orders = append(o.orders, order)
	if !first {
		return true
	}
	if a.load&backpressure.Muted != 0 {
		a.unmuted(c) // as an actor that drains: see endsForOthers
	}
	o.end(c, why, func() { a.tell(a.sys(), outlived{by: o}) })
	return true
}

// outlived tells an actor that stands for another that the other has ended.
type outlived struct {
	unanswered
	by *outlives
}

func (s outlived) serve(a *cell, c *kernelTurn) {
	x := a.makeCold()
	if outlivesOf(x) != s.by {
		return // of an earlier life
	}
	x.parts[outlivesPart] = nil
	for _, order := range s.by.orders {
		if x.state != ended {
			order.serve(a, c)
		}
	}
}
