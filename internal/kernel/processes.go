package kernel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/internal/kernel/mpsc"
	"github.com/gallop-go/gallop/internal/kernel/sim"
	"github.com/gallop-go/gallop/internal/kernel/stack"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// A system of actors may have processes on its workers: package process/actors joins the two. This
// file has the part of the kernel that it needs: see decision 42. No code on the path of a
// message between actors knows of processes.

// joined links a system to the processes that have been joined to it.
type joined struct {
	sys  seam.Pointer[joint.Processes] // nil: none have been joined. Stored under mu
	mu   sync.Mutex
	over bool // guarded by mu: no worker is left
}

// load returns the processes; nil: none have been joined. Any goroutine.
func (j *joined) load() joint.Processes {
	if sys := j.sys.Load(); sys != nil {
		return *sys
	}
	return nil
}

// JoinProcesses returns the system of processes that was joined to s. The first call makes it, by
// start. Any goroutine.
func (s *System) JoinProcesses(start func(joint.Shared) joint.Processes) joint.Processes {
	j := &s.processes
	if sys := j.load(); sys != nil {
		return sys
	}
	s.mustBeStarted("Join")
	if s.Opts.Bind {
		PanicMisuse("Join", " of a system WithCPUBinding: a coroutine cannot be switched to on a thread "+
			"that is locked")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if sys := j.load(); sys != nil {
		return sys
	}
	sys := start(joint.Shared{Actors: s, Scheduler: s.Sched, Clock: s.Opts.Clock, Seed: s.Opts.Seed,
		Stepwise: s.Sim != nil, Event: s.Sim.processEvents()})
	if j.over {
		sys.Unwind()
	}
	j.sys.Store(&sys)
	return sys
}

// Processes returns the processes that were joined to the system, or nil. Any goroutine.
func (s *System) Processes() joint.Processes { return s.processes.load() }

// end unwinds all processes. After all workers have gone.
func (j *joined) end() {
	j.mu.Lock()
	j.over = true
	sys := j.load()
	j.mu.Unlock()
	if sys != nil {
		sys.Unwind()
	}
}

// report reports a process that runs or blocks for long, if it still does so. It returns false if
// the task is no process. The turn belongs to this process alone: after the monitor has asked the
// worker to answer, no process hands on its turn to another. Any goroutine.
func (j *joined) report(s *System, w *sched.Worker, task *sched.Task, atLeast time.Duration,
	blocking bool, goesOn func() bool) bool {
	processes := j.load()
	if processes == nil {
		return false
	}
	who, stack, ok := processes.LongTurnOf(task)
	if !ok {
		return false
	}
	if goesOn() && s.LongTurns.mayReport() {
		s.tellLongTurn(LongTurnReport{Type: who.Type, ActorID: who.ID, Name: who.Name, Worker: w.ID(),
			Blocking: blocking, AtLeast: atLeast}, stack, goesOn)
	}
	return true
}

// processHolder is a process that keeps its system from being quiescent.
type processHolder struct {
	who   joint.ProcessName
	where func(stacks map[string][]byte) string // see Holder
}

// processes notes the running processes, and the processes with armed timers.
func (t *tally) processes(s *System) {
	processes := s.processes.load()
	if processes == nil {
		return
	}
	t.joined = processes
	running := t.kind("running turn")
	for _, w := range s.Sched.AllWorkers() {
		who, at, ok := ProcessOn(processes, w)
		if !ok {
			continue
		}
		blocking := PeekBlocking(w)
		running.procs = append(running.procs, processHolder{who, func(stacks map[string][]byte) string {
			return whereInTurn(at(stacks), blocking)
		}})
	}
	timers := t.kind("timer")
	processes.EachTimer(func(h joint.ProcessHolder) {
		if h.Who.ID == 0 {
			t.note("timer", nil, nil, 1)
			return
		}
		timers.procs = append(timers.procs, processHolder{h.Who, func(stacks map[string][]byte) string {
			return whereInWait(h.At(stacks), h.On())
		}})
	})
}

// ProcessOn returns the process that a worker is seen running. It reports false if there is none.
// Any goroutine.
func ProcessOn(processes joint.Processes, w *sched.Worker) (who joint.ProcessName, at joint.StackIn,
	ok bool) {
	task := w.Running()
	if task == nil {
		return who, nil, false
	}
	who, at, ok = processes.RunningTask(task)
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
	if frame := stack.OfGoroutine(text); frame != "" {
		return " at " + frame
	}
	return ""
}

// holdersOfProcesses returns the holders of one class, ordered by type and number. Many of one type
// become one Holder. processes has them all.
func holdersOfProcesses(processes joint.Processes, what string, all []processHolder) (list []Holder) {
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
			stacks = processes.Stacks()
		}
		for i, p := range all[:n] {
			if i > 0 && all[i-1].who.ID == p.who.ID {
				continue
			}
			list = append(list, Holder{What: what, Count: counts[p.who.ID], Where: p.where(stacks),
				Actor: ActorName{Type: typ, ID: p.who.ID, Name: p.who.Name}})
		}
		all = all[n:]
	}
	return list
}

// beginProcess begins a call in which the process that runs on w blocks. endProcess of the result
// ends it. The result is nil if the call is not watched: it is within another such call, the run is
// deterministic, or the system has no actors. Owner of w only, in a turn.
func beginProcess(w *sched.Worker) *Turn {
	c, joined := w.Local().(*Turn)
	if !joined || w.InBlocking() || c.Sys.Sim != nil {
		return nil
	}
	c.Sys.blocked.begin(c, c.Sys.Opts.Clock.Nanos())
	return c
}

// endProcess ends the call that beginProcess began. c may be nil.
func (c *Turn) endProcess() {
	if c != nil {
		c.Sys.blocked.end(c)
	}
}

// waitInProcess is WaitIn for the process that runs on w.
func waitInProcess(w *sched.Worker, f func()) bool {
	defer beginProcess(w).endProcess()
	return w.TryBlocking(f)
}

// BlockProcess implements joint.Actors.
func (s *System) BlockProcess(w *sched.Worker, f func()) {
	defer beginProcess(w).endProcess()
	w.Blocking(f)
}

// ActorOn implements joint.Actors. The worker may be one of another system.
func (s *System) ActorOn(w *sched.Worker) uint64 {
	if c, ok := w.Local().(*Turn); ok && c.Self != nil {
		return c.Self.ID
	}
	return 0
}

// DeadProcess implements joint.Actors: it counts and reports the message.
func (s *System) DeadProcess(to joint.ProcessName, message any, reason error, bestEffort bool) {
	who := ActorName{Type: to.Type, ID: to.ID, Name: to.Name}
	s.Outside.deadLetters.Add(1)
	if bestEffort {
		s.Outside.bestEffort.Add(1)
	}
	if i := s.inspected.Load(); i != nil {
		(*i).DeadProcess(&who, message, reason, bestEffort)
	}
	if s.tellOfLetter(func() DeadLetter {
		return DeadLetter{ActorID: who.ID, Type: who.Type, Name: who.Name, BestEffort: bestEffort,
			Message: message, Reason: reason}
	}) {
		return
	}
	s.writeDeadLetter(func() ActorName { return who }, who.Type, bestEffort, "message",
		fmt.Sprintf("%T", message), reason, func() []any { return nil })
}

// PanickedProcess implements joint.Actors: it counts and reports the panic of a process, as that of
// a behaviour.
func (s *System) PanickedProcess(who joint.ProcessName, c *sched.Crash) {
	s.Outside.panics.Add(1)
	if tell := s.Sim.processEvents(); tell != nil {
		tell(sim.Event{Kind: sim.Panicked, Worker: -1, Actor: who.ID, Type: who.Type,
			Behaviour: "process"}, nil)
	}
	text := UserFrames(c.Stack)
	p := PanicReport{ActorID: who.ID, Type: who.Type, Name: who.Name, Value: c.Value, Goexit: c.Goexit,
		Frame: stack.UserFrame(text), Stack: text}
	s.tellPanic(s, ActorName{Type: p.Type, ID: p.ActorID, Name: p.Name}, p, "gallop: process panicked")
}

// processHere returns the scheduler and the worker of the process that the calling goroutine runs;
// nil if it runs none. The worker is nil once the scheduler has stopped. A program without
// processes pays a comparison. Any goroutine.
func processHere() (*sched.Scheduler, *sched.Worker) {
	if joint.InProcess == nil {
		return nil, nil
	}
	return joint.InProcess()
}

// panicInProcess panics for a call that waits and was made in a process.
//
//go:noinline
func panicInProcess(call string) {
	PanicMisuse(call, " called from a process, which would wait for itself")
}

// Stand has f run in a turn of the actor that stands for a process, and returns when that actor is
// not muted. If it has ended, lost runs instead, in any goroutine. to is the actor to which f sends.
type Stand func(to AnyRef, f func(c *Turn), lost func())

// NewProcessEnv returns the Env of a process of a system of actors.
func NewProcessEnv(s *System, p joint.Running, stand Stand) *ProcessEnv {
	return &ProcessEnv{System: s, p: p, stand: stand}
}

// ProcessEnv is the Env of a process. The process runs in a turn of a worker, so actors that it
// makes runnable need no admission, and the system takes its messages as long as it runs. In all
// else it is outside: it has no number, and no cache of messages.
//
// A process cannot be muted itself. If the gate of a receiver is not open, the actor that stands
// for the process sends in its place. The process goes on when that actor is not muted.
type ProcessEnv struct {
	*System
	p     joint.Running
	stand Stand
	// The process is sending to the actor that stands for it.
	stands bool
}

var _ Env = (*ProcessEnv)(nil)

// sender implements Sender.
func (e *ProcessEnv) sender() Env { return e }

// worker returns the worker whose turn runs the process; nil while the system ends.
func (e *ProcessEnv) worker() *sched.Worker { return e.p.Worker() }

// In implements Env: as for a behaviour, an actor of another system is outside.
func (e *ProcessEnv) In(a *Cell) Env {
	if sys := a.Sys(); sys != e.System {
		return sys
	}
	return e
}

// mayAct implements Env: the processes of a system in Shutdown go on, as behaviours do.
func (e *ProcessEnv) mayAct() error { return nil }

// schedule implements Env.
func (e *ProcessEnv) schedule(a *Cell) {
	if w := e.worker(); w != nil {
		w.Schedule(&a.Task)
		return
	}
	e.System.schedule(a)
}

// Send implements Env. After the send the process yields, or ends if it was told to. If the actor
// that stands for it has ended, so that the process is about to end, the system sends the message.
func (e *ProcessEnv) Send(to *Cell, m *Message, d *Descriptor) {
	if w := e.worker(); to.Gate.IsOpen() && !to.Shared().bounded || e.stands || w == nil {
		m.ID = d.ID
		if err := e.Push(to, m, AsPlain); err != nil {
			e.lose(to, m, d, err)
		}
		e.p.Operation("Send")
		return
	}
	e.stands = true
	defer func() { e.stands = false }()
	e.stand(AnyRef{to}, func(in *Turn) {
		CountMade(in, 1)
		e.mark(m)
		in.Send(to, m, d)
	}, func() { e.System.Send(to, m, d) })
}

// mayTry implements Env.
func (e *ProcessEnv) mayTry(a *Cell, d *Descriptor) error {
	e.p.Operation("TrySend")
	return a.mayTry(d)
}

// trySend implements Env. A place in a mailbox with a bound was taken by mayTry.
func (e *ProcessEnv) trySend(to *Cell, m *Message, d *Descriptor) error {
	if m.ID = d.ID; to.Shared().bounded {
		return to.pushPlaced(e, m)
	}
	return e.Push(to, m, AsPlain)
}

// Push implements Env. It is one of the places that check the result of a push.
func (e *ProcessEnv) Push(to *Cell, m *Message, how delivery) error {
	w := e.worker()
	if w == nil {
		return ErrSystemStopped
	}
	m.From = 0
	e.mark(m)
	w.Point()
	id := m.ID // a message that is pushed is the receiver's
	if how < asReply && to.Shared().bounded {
		if kept, err := to.takePlaceFor(e, m, how); kept || err != nil {
			return err
		}
	}
	switch to.Box.Push(m) {
	case mpsc.PushClosed:
		return to.endedBecause()
	case mpsc.PushWoke:
		e.Sim.countUser(id)
		w.Schedule(&to.Task)
	default:
		e.Sim.countUser(id)
	}
	return nil
}

// pushFirst implements Env.
func (e *ProcessEnv) pushFirst(to *Cell, m *Message, publish func()) error {
	w := e.worker()
	if w == nil {
		return ErrSystemStopped
	}
	e.mark(m)
	w.Point()
	to.Box.Push(m) // no sender knows the actor: the push wakes it
	e.Sim.countUser(m.ID)
	publish()
	w.Schedule(&to.Task)
	return nil
}

// mark says, in a run of package actortest, that the process sends m.
func (e *ProcessEnv) mark(m *Message) {
	if e.Sim != nil {
		id, typ := e.p.Name()
		e.Sim.comesFromProcess(m, id, typ)
	}
}

// OutcomeFor returns a function that sends the running actor the outcome of something that it has
// asked for, on the terms of actor.AskTo. M is the type of d's messages. As a method of Behaviour
// it would be in every program, once for each type of behaviour. Owner only, in a turn; any
// goroutine may call the function once.
func OutcomeFor[M any](c *Turn, d *Descriptor) (tell func(sender Env, outcome M)) {
	c.MustOwn(d)
	to, life, ctx, waits := c.Self, c.MarkAsk(), c.Travels, c.Waits
	return func(sender Env, outcome M) {
		e := inOf(sender, to)
		m := e.Node(d.Size)
		m.Life = life
		*PayloadOf[M](m) = outcome
		if ctx == nil {
			Answer(e, to, m, d, d.Urgent)
			return
		}
		m = Carry(e, ctx, m, d)
		PayloadOf[carried](m).waits = waits
		Answer(e, to, m, carriedDesc, d.Urgent)
	}
}

// Outlives is the part of an actor that stands for something else, such as a process. It delays
// orders to end, to suspend and to restart: the actor first makes the other end, and lives on
// meanwhile. So everything that the other still does through the actor comes before the actor's
// end. A Kill is not delayed. Owner only.
//
//	ALIVE ── order ──▶ ALIVE, ordered ── over ──▶ the orders are served, one after the other
type Outlives struct {
	End    func(c *Turn, why error, over func())
	orders []Signal // the delayed orders, oldest first; nil: end was not called
}

// Outlive says that the running actor stands for something that ends before it. When the actor is
// told to end, to suspend or to restart, end is called in a turn of the actor, with the reason. The
// actor lives on until over was called, and is not muted meanwhile; then the order is carried out. A
// Kill does not wait. Outlive is in force for the life of the actor. Owner only, in a turn; any
// goroutine may call over, once.
func (c *Turn) Outlive(end func(c *Turn, why error, over func())) {
	c.Self.MakeCold().Parts[OutlivesPart] = &Outlives{End: end}
}

// OutlivesOf returns the part Outlives of an actor, or nil if orders are carried out at once. Owner
// only.
func OutlivesOf(x *Cold) *Outlives {
	o, _ := x.Parts[OutlivesPart].(*Outlives)
	return o
}

// Ends implements Part. The next life outlives nothing, and a ref to an ended actor must not keep
// other objects in memory.
func (*Outlives) Ends(a *Cell, _ Env, at Ending, _ error) {
	if at == atLifeEnd || at == atNews {
		a.Cold.Parts[OutlivesPart] = nil
	}
}

// putOff keeps an order for later, if the actor outlives something. It reports false if the order
// is to be carried out. Owner only, in a turn beside the mail.
func (x *Cold) putOff(a *Cell, c *Turn, order Signal, why error) bool {
	o := OutlivesOf(x)
	if o == nil || x.State != alive {
		return false
	}
	first := o.orders == nil
	o.orders = append(o.orders, order)
	if !first {
		return true
	}
	if a.Load&backpressure.Muted != 0 {
		a.unmuted(c) // as an actor that drains: see endsForOthers
	}
	o.End(c, why, func() { a.Tell(a.Sys(), outlived{by: o}) })
	return true
}

// outlived tells an actor that stands for another that the other has ended.
type outlived struct {
	Unanswered
	by *Outlives
}

// Serve implements Signal.
func (s outlived) Serve(a *Cell, c *Turn) {
	x := a.MakeCold()
	if OutlivesOf(x) != s.by {
		return // of an earlier life
	}
	x.Parts[OutlivesPart] = nil
	for _, order := range s.by.orders {
		if x.State != ended {
			order.Serve(a, c)
		}
	}
}
