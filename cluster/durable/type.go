package durable

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gallop-go/gallop/actor"
)

// Actor makes a state durable: embed it. [On] says which log it has.
type Actor struct {
	store Store
	key   string
	epoch uint64
	core  any // *core[S] of the life that runs
}

// On returns an Actor whose log is in store: the value of the field that a state embeds, when an
// actor is spawned. Its key in the store is the name of the type, a slash, and key. In every life,
// the first event of the log is applied to the state that the actor was spawned with. On panics if
// store is nil or not comparable, or if the key is empty.
//
// Two actors of one key at a time do no harm to the log: each append by one makes the next append
// of the other fail with [ErrFenced]. But each wastes the other's work.
func On(store Store, key string) Actor { return OnEpoch(store, key, 0) }

// OnEpoch is On for an owner of the key whose right has a number that grows from owner to owner. If
// the last record of the log has an older epoch, the actor appends an empty record before it
// starts, so that later appends of earlier owners are refused. If it has a newer epoch, the actor
// ends with [ErrFenced], at its start or when an append is refused.
func OnEpoch(store Store, key string, epoch uint64) Actor {
	switch {
	case store == nil || !reflect.TypeOf(store).Comparable():
		panic(fmt.Sprintf("gallop: durable.On: store is %T, want one that is comparable", store))
	case key == "":
		panic("gallop: durable.On: empty key")
	}
	return Actor{store: store, key: key, epoch: epoch}
}

// Key returns the key of the actor, as it was given to On.
func (a *Actor) Key() string { return a.key }

func (a *Actor) embedded() *Actor { return a }

type durableState interface{ embedded() *Actor }

// coreOf returns the core of a state, whose type NewType has checked.
func coreOf[S any](s *S) *core[S] { return any(s).(durableState).embedded().core.(*core[S]) }

// Type is a type of durable actors over a state S, which embeds [Actor]. It has all that the
// actor.Type in it has; behaviours are declared on that. Make one with [NewType].
type Type[S any] struct {
	*actor.Type[S]
	config
	codec  Codec[S]
	events map[string]replayer[S]
	sealed atomic.Bool // an actor has started: events is only read from now on
	fallen sync.Map    // address → uint64: acknowledged numbers of actors that failed

	appended actor.Behaviour[S, actor.Reply[struct{}, uint64]]
	written  actor.Behaviour[S, actor.Result[struct{}]]
	alarm    actor.Behaviour[S, struct{}]

	onStart  func(*S, *Turn[S]) error
	onStop   func(*S, *actor.Context, error)
	onRemind func(*S, *Turn[S], string)
}

// replayer applies a stored event to a state.
type replayer[S any] func(state *S, version int, data []byte) error

// config has the values of the options of a type.
type config struct {
	everyRecords, everyBytes int
	trim                     bool
	commands                 int
	stateCodec               any
	opts                     []actor.TypeOption
}

// Option sets a property of a durable type: see [NewType].
type Option func(*config)

// WithSnapshots sets after how many records, or how many bytes of records, a snapshot is written:
// 100 and 64 KiB by default. Each is at least 1.
func WithSnapshots(records, bytes int) Option {
	if records < 1 || bytes < 1 {
		panic(fmt.Sprintf("gallop: durable.WithSnapshots(%d, %d): want at least 1", records, bytes))
	}
	return func(o *config) { o.everyRecords, o.everyBytes = records, bytes }
}

// WithTrim makes each snapshot delete the records before it. Without it a log keeps all events.
func WithTrim() Option { return func(o *config) { o.trim = true } }

// WithCommands sets how many commands an actor knows by their ids: the last 1,000 by default. 0
// means none. See [WithCommandID].
func WithCommands(n int) Option {
	if n < 0 {
		panic(fmt.Sprintf("gallop: durable.WithCommands(%d): want at least 0", n))
	}
	return func(o *config) { o.commands = n }
}

// WithStateCodec sets how the states of snapshots are encoded, instead of as JSON. NewType panics
// if its state is not an S.
func WithStateCodec[S any](c Codec[S]) Option { return func(o *config) { o.stateCodec = c } }

// WithTypeOptions sets options of the actor.Type.
func WithTypeOptions(opts ...actor.TypeOption) Option {
	return func(o *config) { o.opts = append(o.opts, opts...) }
}

// NewType makes a durable type: an actor.Type whose drains wait for running appends
// (actor.WithFinishAsks). S must embed [Actor], and the rest of it must survive JSON, or have a
// codec; otherwise NewType panics with the path of the field. Fields that belong to one life, such
// as refs, are not exported and have the tag `durable:"-"`. Set them in the state that the actor is
// spawned with. Events never change them.
func NewType[S any](name string, opts ...Option) *Type[S] {
	t := &Type[S]{config: config{everyRecords: 100, everyBytes: 64 << 10, commands: 1000}, events: map[string]replayer[S]{}}
	for _, o := range opts {
		o(&t.config)
	}
	if problem := t.check(name); problem != "" {
		panic(fmt.Sprintf("gallop: durable.NewType(%q): %s", name, problem))
	}
	t.Type = actor.NewType[S](name, append([]actor.TypeOption{actor.WithFinishAsks()}, t.opts...)...)
	t.connect()
	return t
}

// check chooses the codec, and returns a problem of the type.
func (t *Type[S]) check(name string) (problem string) {
	state := reflect.TypeFor[S]()
	if _, ok := any(new(S)).(durableState); !ok {
		return fmt.Sprintf("%s does not embed durable.Actor", state)
	}
	if strings.Contains(name, "/") {
		return "a slash, which ends the name in the keys of a store"
	}
	if t.stateCodec == nil {
		if err := keepable(state, state.Name()); err != nil {
			return fmt.Sprintf("%v: JSON would not keep it", err)
		}
		t.codec = jsonCodec[S]{}
		return ""
	}
	var ok bool
	if t.codec, ok = t.stateCodec.(Codec[S]); !ok {
		return fmt.Sprintf("%T is no codec of %s", t.stateCodec, state)
	}
	return ""
}

// connect gives the type the behaviours by which stores and timers answer.
func (t *Type[S]) connect() {
	hidden := []actor.BehaviourOption{actor.Urgent(), actor.BestEffort()}
	t.appended = actor.Declare[actor.Reply[struct{}, uint64]](t.Type, "durable.appended", hidden...)
	t.written = actor.Declare[actor.Result[struct{}]](t.Type, "durable.written", hidden...)
	t.alarm = actor.Declare[struct{}](t.Type, "durable.alarm")
	t.Type.Table(
		t.appended.Handle(func(s *S, c *actor.Context, r actor.Reply[struct{}, uint64]) { coreOf(s).appended(c, r.Mark, r.Err) }),
		t.written.Handle(func(s *S, c *actor.Context, r actor.Result[struct{}]) { coreOf(s).written(c, r.Err) }),
		t.alarm.Handle(func(s *S, c *actor.Context, _ struct{}) {
			if k := coreOf(s); k.full(c) {
				t.alarm.Stash(c, struct{}{})
			} else {
				k.rang(c)
			}
		}),
	)
	t.Type.OnStart(func(s *S, c *actor.Context) error {
		t.sealed.Store(true)
		a := any(s).(durableState).embedded()
		if a.store == nil {
			return fmt.Errorf("gallop: durable: %s was spawned without durable.On", t.Name())
		}
		k := newCore(t, s, a, c)
		a.core = k
		return k.open(c)
	})
	t.Type.OnStop(func(s *S, c *actor.Context, reason error) {
		coreOf(s).fell(c, reason)
		if t.onStop != nil {
			t.onStop(s, c, reason)
		}
	})
}

// OnStart sets a function that runs in each life when the state has been read, before the first
// message, and again when it had to be read anew. If f returns an error, the actor ends for that
// reason. OnStart returns t. It takes the place of actor.Type.OnStart, and so has its terms.
func (t *Type[S]) OnStart(f func(*S, *Turn[S]) error) *Type[S] {
	if f == nil || t.onStart != nil {
		panic("gallop: durable: OnStart of " + t.Name() + ": nil, or set already")
	}
	t.onStart = f
	return t
}

// OnStop sets a function that runs after the last message, as that of actor.Type. The state may
// be ahead of the log.
func (t *Type[S]) OnStop(f func(*S, *actor.Context, error)) *Type[S] {
	if f == nil || t.onStop != nil {
		panic("gallop: durable: OnStop of " + t.Name() + ": nil, or set already")
	}
	t.onStop = f
	return t
}

// OnReminder sets the function that is called when a reminder of that name is due: see
// [Turn.Remind]. It is called in a turn of its own, whose record also says that the reminder is
// over. OnReminder returns t.
func (t *Type[S]) OnReminder(f func(s *S, turn *Turn[S], name string)) *Type[S] {
	if f == nil || t.onRemind != nil {
		panic("gallop: durable: OnReminder of " + t.Name() + ": nil, or set already")
	}
	t.onRemind = f
	return t
}

// Event is a kind of event of a durable type. Use [DeclareEvent]; the zero Event is not ready.
type Event[S, E any] struct {
	of      *Type[S]
	name    string
	version int
	codec   Codec[E]
	apply   func(*S, E)
}

// EventOption sets a property of an event when it is declared.
type EventOption func(*eventInfo)

type eventInfo struct {
	codec   any
	upcasts []upcast
}

type upcast struct {
	from    int
	in, out reflect.Type
	decode  func([]byte) (any, error)
	f       func(any) any
	problem error
}

// WithCodec sets how the events are encoded, instead of as JSON. DeclareEvent panics if its event
// is not an E.
func WithCodec[E any](c Codec[E]) EventOption { return func(i *eventInfo) { i.codec = c } }

// Upcast says how version from of an event becomes the next version. The version that is declared
// is one more than the highest from, or 1. An event of an old version goes through all functions
// from its own on. A codec other than JSON is that of the version from.
func Upcast[A, B any](from int, f func(A) B, codec ...Codec[A]) EventOption {
	u := upcast{from: from, in: reflect.TypeFor[A](), out: reflect.TypeFor[B](), f: func(v any) any { return f(v.(A)) }}
	var dec Codec[A] = jsonCodec[A]{}
	if len(codec) > 0 {
		dec = codec[0]
	} else {
		u.problem = keepable(u.in, "version "+fmt.Sprint(from))
	}
	u.decode = func(b []byte) (any, error) {
		var v A
		err := dec.Decode(b, &v)
		return v, err
	}
	return func(i *eventInfo) { i.upcasts = append(i.upcasts, u) }
}

// DeclareEvent declares an event of t and how it changes the state: apply is called when the event
// is emitted, and again whenever the state is read from the log. So apply depends on nothing but
// its arguments, and does nothing else. A name stays in logs for ever: an event that is not
// emitted any more stays declared, unless its logs are trimmed (WithTrim).
//
// DeclareEvent panics if the name is empty, begins with "durable." or is taken, if JSON would not
// keep all of an E, if the versions are not a chain, or after the first actor of the type has started.
func DeclareEvent[S, E any](t *Type[S], name string, apply func(*S, E), opts ...EventOption) Event[S, E] {
	var info eventInfo
	for _, o := range opts {
		o(&info)
	}
	codec, own := info.codec.(Codec[E])
	if !own {
		codec = jsonCodec[E]{}
	}
	version, err := info.check(reflect.TypeFor[E](), own)
	switch {
	case name == "" || strings.HasPrefix(name, "durable."):
		err = errors.New("the name is empty or begins with durable")
	case apply == nil:
		err = errors.New("apply is nil")
	case t.sealed.Load():
		err = errors.New("an actor of the type has started")
	case t.events[name] != nil:
		err = errors.New("the name is taken")
	}
	if err != nil {
		panic(fmt.Sprintf("gallop: durable.DeclareEvent(%s, %q): %v", t.Name(), name, err))
	}
	e := Event[S, E]{t, name, version, codec, apply}
	first := version - len(info.upcasts)
	t.events[name] = func(state *S, v int, data []byte) error {
		if v == version {
			var event E
			if err := codec.Decode(data, &event); err != nil {
				return err
			}
			apply(state, event)
			return nil
		}
		if v < first || v > version {
			return fmt.Errorf("%w: version %d, and this program knows %d to %d", ErrUnknownEvent, v, first, version)
		}
		event, err := info.upcasts[v-first].decode(data)
		if err != nil {
			return err
		}
		for _, u := range info.upcasts[v-first:] {
			event = u.f(event)
		}
		apply(state, event.(E))
		return nil
	}
	return e
}

// check sorts the upcasts and returns the version of the event, which is of type e.
func (i *eventInfo) check(e reflect.Type, own bool) (version int, err error) {
	if i.codec != nil && !own {
		return 0, fmt.Errorf("%T is no codec of %s", i.codec, e)
	}
	if !own {
		if err := keepable(e, e.Name()); err != nil {
			return 0, fmt.Errorf("%w: JSON would not keep it", err)
		}
	}
	ups := i.upcasts
	for n := range ups {
		out := e
		if n+1 < len(ups) {
			out = ups[n+1].in
		}
		switch u := ups[n]; {
		case u.problem != nil:
			return 0, u.problem
		case u.from < 1 || n > 0 && u.from != ups[n-1].from+1:
			return 0, fmt.Errorf("upcast from %d is out of order", u.from)
		case u.out != out:
			return 0, fmt.Errorf("upcast from %d makes %s, want %s", u.from, u.out, out)
		}
		version = ups[n].from
	}
	return version + 1, nil
}
