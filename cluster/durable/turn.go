package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Turn is the parameter of a durable behaviour instead of an actor.Context. It is valid until the
// behaviour returns; then its methods panic. It is no actor.Sender: messages of a behaviour have to
// wait until its events are stored, so they are sent in [Turn.Then].
type Turn[S any] struct {
	k *core[S]
}

// Emit adds an event to the turn's record and applies it to the state. It applies the event as
// decoded from the record, so data that the codec loses is missing at once. Emit panics if the
// event cannot be encoded, so that the actor ends and nothing of the turn is kept. It also panics
// if the actor's type does not declare the event, or if t is over.
func (e Event[S, E]) Emit(t *Turn[S], event E) {
	k := t.running()
	if e.of != k.typ {
		panic("gallop: durable: Emit of an event that " + k.typ.Name() + " does not declare")
	}
	data, err := e.codec.Encode(&event)
	if err == nil {
		var read E
		if err = e.codec.Decode(data, &read); err == nil {
			k.emit(e.name, e.version, data)
			e.apply(k.state, read)
			return
		}
	}
	panic(fmt.Errorf("gallop: durable: event %s of %s cannot be kept: %w", e.name, k.typ.Name(), err))
}

// Then calls f when all events of the turn, and all earlier events, are stored. Send messages to
// others there. The functions of an actor run in the order of their turns, before the turn's reply.
// If the turn's record is refused, or the process ends first, f does not run. An act that must not
// be lost needs a [Turn.Remind] to repeat it.
func (t *Turn[S]) Then(f func(*actor.Context)) {
	if f == nil {
		panic("gallop: durable: Then(nil)")
	}
	k := t.running()
	k.thens = append(k.thens, f)
}

// Remind calls the function of [Type.OnReminder] with name when d has passed by the system's clock.
// It replaces an earlier reminder of that name. A reminder is part of the turn's record, and so of
// the state. It outlives the process, and is called when an actor of that key runs and the time has
// come, also long after. It is called until a record contains the call. So its events are kept
// once, and its messages by Then are sent at most once unless it reminds again. Remind panics if
// the type has no OnReminder, or if the name is empty.
func (t *Turn[S]) Remind(name string, d time.Duration) {
	k := t.running()
	if name == "" {
		panic("gallop: durable: Remind: empty name")
	}
	if k.typ.onRemind == nil {
		panic("gallop: durable: Remind: " + k.typ.Name() + " has no OnReminder")
	}
	at := k.c.Now().UnixNano()
	if at > math.MaxInt64-max(0, int64(d)) {
		at, d = math.MaxInt64, 0
	}
	k.emitReminder(name, at+int64(d))
}

// Forget takes a reminder back.
func (t *Turn[S]) Forget(name string) {
	if k := t.running(); k.isDue(name) {
		k.emitReminder(name, never)
	}
}

// Now returns the system's time.
func (t *Turn[S]) Now() time.Time { return t.running().c.Now() }

// Context returns the context of the message: see actor.Context.Context.
func (t *Turn[S]) Context() context.Context { return t.running().c.Context() }

// Self returns the actor's ref, to keep or to send by Then.
func (t *Turn[S]) Self() actor.Ref[S] { return actor.Self[S](t.running().c) }

func (t *Turn[S]) running() *core[S] {
	if t.k.c == nil {
		panic("gallop: durable: a Turn is used after its behaviour has returned")
	}
	return t.k
}

// Handle makes the entry of the table that runs method for b's messages.
//
// Nobody hears if the record of a one-way message is refused; the log has a line.
func Handle[S, M any](b actor.Behaviour[S, M], method func(*S, *Turn[S], M)) actor.Entry[S] {
	return b.Handle(func(s *S, c *actor.Context, m M) {
		k := coreOf(s)
		if k.full(c) {
			b.Stash(c, m)
			return
		}
		id := commandID(c)
		if _, known := k.known.get(id); known {
			return
		}
		method(s, k.begin(c), m)
		k.end(c, id, kept{}, true)
	})
}

// HandleAsk makes the entry of the table that runs method for b's requests. The reply is given when
// all events up to then are stored, also if the method itself emits none. So no caller sees data
// that could still be lost. If the record is refused, the caller receives [ErrFenced] or
// [ErrRefused], or [ErrUnknown] if the store cannot be asked; the state is then read again.
//
// An error that method returns is a reply like any other: its events are kept.
func HandleAsk[S, Q, R any](b actor.AskBehaviour[S, Q, R], method func(*S, *Turn[S], Q) (R, error)) actor.Entry[S] {
	replies := keepable(reflect.TypeFor[R](), "reply")
	return b.Handle(func(s *S, c *actor.Context, q Q) (r R, err error) {
		k := coreOf(s)
		if k.full(c) {
			return b.Stash(c, q)
		}
		id := commandID(c)
		if id != "" && replies != nil {
			return r, fmt.Errorf("gallop: durable: command %q: %w: JSON would not keep it", id, replies)
		}
		if old, known := k.known.get(id); known {
			r, err = repeat[R](old)
		} else {
			r, err = method(s, k.begin(c), q)
			var reply kept
			if id != "" && k.emitted > 0 {
				reply = keepReply(r, err)
			}
			k.end(c, id, reply, false)
		}
		last := k.lastBatch()
		if last == nil {
			return r, err
		}
		last.effects = append(last.effects, &answer[R]{actor.Defer(c, b), r, err})
		return r, err
	})
}

// answer is a reply that waits for a record.
type answer[R any] struct {
	to  actor.Deferred[R]
	r   R
	err error
}

func (a *answer[R]) done(c *actor.Context) { a.to.Reply(c, a.r, a.err) }

func (a *answer[R]) failed(c *actor.Context, err error) {
	var none R
	a.to.Reply(c, none, err)
}

type commandKey struct{}

// WithCommandID returns a context for an Ask, or for System.With, that names the command. A
// durable actor that has kept the events of a command with that id, and has handled fewer than
// 1,000 others since (WithCommands), does not run it again: it gives the same reply. So who has
// not heard a reply, or heard [ErrUnknown] or actor.ErrStopped, sends the command again. An error is
// repeated by its text alone. A command that has emitted nothing is run again.
//
// An id names one command of one actor, such as a number that the client has drawn.
func WithCommandID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, commandKey{}, id)
}

// commandID returns the id of the running command, "" if it has none.
func commandID(c *actor.Context) string {
	id, _ := c.Context().Value(commandKey{}).(string)
	return id
}

// kept is the reply of a command, encoded.
type kept struct {
	reply  []byte
	failed bool
}

func keepReply[R any](r R, err error) kept {
	if err != nil {
		return kept{[]byte(err.Error()), true}
	}
	b, err := json.Marshal(r)
	if err != nil {
		panic(fmt.Errorf("gallop: durable: reply cannot be kept: %w", err))
	}
	return kept{b, false}
}

func repeat[R any](k kept) (r R, err error) {
	if k.failed {
		return r, errors.New(string(k.reply))
	}
	if len(k.reply) > 0 {
		if err = json.Unmarshal(k.reply, &r); err != nil {
			err = fmt.Errorf("gallop: durable: the id was that of another command: %w", err)
		}
	}
	return r, err
}

// commands are the last commands with ids, and their replies.
type commands struct {
	replies map[string]kept
	order   []string
}

func (k *commands) get(id string) (kept, bool) {
	if id == "" {
		return kept{}, false
	}
	r, ok := k.replies[id]
	return r, ok
}

func (k *commands) add(id string, r kept, limit int) {
	if id == "" || limit == 0 {
		return
	}
	if k.replies == nil {
		k.replies = map[string]kept{}
	}
	if _, again := k.replies[id]; !again {
		k.order = append(k.order, id)
	}
	k.replies[id] = r
	if len(k.order) > limit {
		delete(k.replies, k.order[0])
		k.order = k.order[1:]
	}
}
