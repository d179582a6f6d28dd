package bridge

import (
	"reflect"
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/face"
	"github.com/gallop-go/gallop/internal/kernel"
)

// ToChan spawns an actor that sends its messages to ch, in the order in which they come,
// and returns the actor as a handler. It panics if ch is nil.
//
// While ch has room the actor itself sends to it; otherwise one goroutine waits for room.
// When 64 messages wait, the actor applies pressure ([actor.Context.ApplyPressure]): the actors
// that send to it are muted until there is room again. Now and then they are released for
// the mail that they have, in case one of them has to act before ch is read.
//
// A message that waits for room holds the system, so Wait, Run and Shutdown return after
// all messages are in ch. Stop makes dead letters of the messages that wait.
//
// The runtime never closes ch. Its maker may close it when Run, or Shutdown without an
// error, has returned. If ch is closed earlier, the actor panics over the next message,
// and ends.
func ToChan[M any](from actor.Sender, ch chan<- M) actor.Handler[M] {
	if ch == nil {
		panic("gallop: ToChan: a nil channel")
	}
	t := sinkTypeOf[M]()
	r := t.typ.SpawnFunc(from, func(o *chanSink[M]) { o.ch, o.typ = ch, t })
	return t.put.To(r)
}

// sinkBuffer is how many messages wait before senders are muted. The comment of ToChan names it.
const sinkBuffer = 64

// sinkType is the type of channel sinks for one type of messages.
type sinkType[M any] struct {
	typ *actor.Type[chanSink[M]]
	put actor.Behaviour[chanSink[M], M]
}

var sinkTypes sync.Map // reflect.Type of M → *sinkType[M]

func sinkTypeOf[M any]() *sinkType[M] {
	key := reflect.TypeFor[M]()
	if t, ok := sinkTypes.Load(key); ok {
		return t.(*sinkType[M])
	}
	t := &sinkType[M]{typ: actor.NewType[chanSink[M]]("channel")}
	t.put = actor.Declare[M](t.typ, "put")
	t.typ.Table(t.put.Handle((*chanSink[M]).doPut))
	first, _ := sinkTypes.LoadOrStore(key, t)
	return first.(*sinkType[M])
}

// chanSink is the state of an actor that leads to a channel. It shares the fields that mu guards
// with its goroutine.
type chanSink[M any] struct {
	ch  chan<- M
	typ *sinkType[M]

	mu      sync.Mutex
	waiting []M  // guarded by mu
	flows   bool // guarded by mu: the goroutine runs
	pressed bool // guarded by mu: senders are muted
}

func (o *chanSink[M]) doPut(in *actor.Context, m M) {
	c := kernel.TurnOf(in)
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.flows {
		select {
		case o.ch <- m:
			return
		default:
		}
		o.flows = true
		r, sys, end := actor.Self[chanSink[M]](in), c.Sys, bridgesOf(c.Self).Chan()
		sys.Bridge(kernel.ToChanErrand, c.Self, func() { o.flow(r, sys, end) })
	}
	o.waiting = append(o.waiting, m)
	if len(o.waiting) >= sinkBuffer && !o.pressed {
		o.pressed = true
		c.ApplyPressure()
	}
}

// sinkReady tells a channel sink that there is room again.
type sinkReady[M any] struct {
	kernel.Unanswered
	o *chanSink[M]
}

// Serve releases the pressure, unless the actor has applied it again since.
func (s sinkReady[M]) Serve(_ *kernel.Cell, c *kernel.Turn) {
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	if !s.o.pressed {
		c.ReleasePressure()
	}
}

// flow sends the messages that wait to the channel. If the actor or its system has ended, or the
// channel is closed, flow sends the remaining messages to the actor once more. For an actor that
// has ended they become dead letters. If the channel is closed, the actor panics: a behaviour may
// panic, a goroutine of the runtime must not.
func (o *chanSink[M]) flow(me actor.Ref[chanSink[M]], sys *kernel.System, ended <-chan struct{}) {
	for {
		m, ok, room := o.next()
		if room {
			kernel.AnyRef(me).Cell().Tell(sys, sinkReady[M]{o: o}) // not under the lock: others may go first
		}
		if !ok {
			return
		}
		if sys.Sim != nil && o.await(sys, m, ended) || o.offer(sys, m, ended) {
			continue
		}
		for _, m := range o.close(m) {
			o.typ.put.Send(face.System(sys), me, m)
		}
		return
	}
}

// offer waits for room, and reports whether m is in the channel.
func (o *chanSink[M]) offer(sys *kernel.System, m M, ended <-chan struct{}) (put bool) {
	defer func() { _ = recover() }() // from a send on a closed channel
	select {
	case o.ch <- m:
		return true
	case <-ended:
	case <-sys.Done.Done:
	}
	return false
}

// await is offer in a deterministic system.
func (o *chanSink[M]) await(sys *kernel.System, m M, ended <-chan struct{}) (put bool) {
	sys.Sched.Await(sys.Done.Context(), func() (over bool) {
		defer func() { over = recover() != nil || over }() // as in offer
		select {
		case o.ch <- m:
			put = true
		default:
		}
		return put || kernel.IsClosed(ended) || kernel.IsClosed(sys.Done.Done)
	})
	return put
}

// close is called when the goroutine ends. It returns m and the messages that wait after it.
func (o *chanSink[M]) close(m M) []M {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := append([]M{m}, o.waiting...)
	o.waiting, o.flows = nil, false
	return all
}

// next returns the oldest message that waits. If there is none, ok is false, and the goroutine has
// to end. room reports that there is room again, and the actor has to be told.
func (o *chanSink[M]) next() (m M, ok, room bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) == 0 {
		o.waiting, o.flows = nil, false
	} else {
		m, ok = o.waiting[0], true
		clear(o.waiting[:1])
		o.waiting = o.waiting[1:]
	}
	room = o.pressed && len(o.waiting) < sinkBuffer/2
	o.pressed = o.pressed && !room
	return m, ok, room
}
