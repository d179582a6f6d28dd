package actor

import (
	"reflect"
	"sync"
)

// ToChan spawns an actor that puts every message that it is sent into ch, in the order
// in which the messages come, and returns it as a handler. It panics if ch is nil.
//
// While ch has room the actor puts messages into it by itself; otherwise one goroutine
// waits for room. When 64 messages wait, the actor applies pressure
// ([Context.ApplyPressure]): the actors that send to it are muted until there is room
// again. Now and then they are let go for the mail that they have, in case one of them
// has to do something before anybody reads ch.
//
// A message that waits for room holds the system, so Wait, Run and Shutdown return once
// whoever reads ch has been given everything. Stop makes dead letters of what waits.
//
// Nobody closes ch. Whoever made it may close it when Run, or Shutdown without an
// error, has returned. If ch is closed earlier, the actor panics over the next message,
// which is its end.
func ToChan[M any](from Sender, ch chan<- M) Handler[M] {
	if ch == nil {
		panic("gallop: ToChan: a nil channel")
	}
	t := outletTypeOf[M]()
	r := t.typ.SpawnFunc(from, func(o *outlet[M]) { o.ch, o.typ = ch, t })
	return t.put.To(r)
}

// outletType is the type of outlets for one type of messages.
type outletType[M any] struct {
	typ *Type[outlet[M]]
	put Behaviour[outlet[M], M]
}

var outletTypes sync.Map // reflect.Type of M → *outletType[M]

func outletTypeOf[M any]() *outletType[M] {
	key := reflect.TypeFor[M]()
	if t, ok := outletTypes.Load(key); ok {
		return t.(*outletType[M])
	}
	t := &outletType[M]{typ: NewType[outlet[M]]("channel")}
	t.put = Declare[M](t.typ, "put")
	t.typ.Table(t.put.Do((*outlet[M]).doPut))
	first, _ := outletTypes.LoadOrStore(key, t)
	return first.(*outletType[M])
}

// outlet is the state of an actor that leads to a channel. The goroutine shares what is
// guarded by mu.
type outlet[M any] struct {
	ch  chan<- M
	typ *outletType[M]

	mu      sync.Mutex
	waiting []M  // guarded by mu
	flows   bool // guarded by mu: the goroutine runs
	pressed bool // guarded by mu: senders are muted
}

const outletRoom = 64 // messages that wait before senders are muted

func (o *outlet[M]) doPut(c *Context, m M) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.flows {
		select {
		case o.ch <- m:
			return
		default:
		}
		o.flows = true
		r, sys, end := Self[outlet[M]](c), c.sys, c.self.mine().untilOver()
		sys.bridge(aToChan, c.self, func() { o.flow(r, sys, end) })
	}
	o.waiting = append(o.waiting, m)
	if len(o.waiting) >= outletRoom && !o.pressed {
		o.pressed = true
		c.ApplyPressure()
	}
}

// hasRoom tells an outlet that there is room again.
type hasRoom[M any] struct {
	unanswered
	o *outlet[M]
}

// serve lets the senders go on, unless the room has gone since.
func (s hasRoom[M]) serve(_ *body, c *Context) {
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	if !s.o.pressed {
		c.ReleasePressure()
	}
}

// flow puts what waits into the channel. When that is of no use any more, flow sends the rest to
// the actor once more. If the actor has ended, the rest becomes dead letters. If somebody has
// closed the channel, the actor panics over it, which a behaviour may and a goroutine of ours may
// not.
func (o *outlet[M]) flow(me Ref[outlet[M]], sys *System, ended <-chan struct{}) {
	for {
		m, ok, room := o.next()
		if room {
			me.b.tell(replier{sys: sys}, hasRoom[M]{o: o}) // not under the lock: others may go first
		}
		if !ok {
			return
		}
		if sys.sim != nil && o.await(sys, m, ended) || o.offer(sys, m, ended) {
			continue
		}
		for _, m := range o.rest(m) {
			o.typ.put.Send(sys, me, m)
		}
		return
	}
}

// offer waits for room, and reports whether m is in the channel.
func (o *outlet[M]) offer(sys *System, m M, ended <-chan struct{}) (put bool) {
	defer func() { _ = recover() }() // from a send on a closed channel
	select {
	case o.ch <- m:
		return true
	case <-ended:
	case <-sys.over.done:
	}
	return false
}

// await is offer in a deterministic system.
func (o *outlet[M]) await(sys *System, m M, ended <-chan struct{}) (put bool) {
	sys.sched.Await(sys.over.context(), func() (over bool) {
		defer func() { over = recover() != nil || over }() // as in offer
		select {
		case o.ch <- m:
			put = true
		default:
		}
		return put || isClosed(ended) || isClosed(sys.over.done)
	})
	return put
}

// rest ends the goroutine and returns m and what waits behind it.
func (o *outlet[M]) rest(m M) []M {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := append([]M{m}, o.waiting...)
	o.waiting, o.flows = nil, false
	return all
}

// next takes the oldest that waits, or ends the goroutine. room tells that the actor has to
// be told that there is some.
func (o *outlet[M]) next() (m M, ok, room bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) == 0 {
		o.waiting, o.flows = nil, false
	} else {
		m, ok = o.waiting[0], true
		clear(o.waiting[:1])
		o.waiting = o.waiting[1:]
	}
	room = o.pressed && len(o.waiting) < outletRoom/2
	o.pressed = o.pressed && !room
	return m, ok, room
}
