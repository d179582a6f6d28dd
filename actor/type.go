package actor

import (
	"unsafe"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/actor/internal/waitgraph"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// maxBehaviours is the number of behaviours that a type may have. A message's id has 16 bits, and
// some rows of the table are the runtime's.
const maxBehaviours = 65_530

// defaultBatch is the batch without [WithBatch]. It is the same as in the Pony runtime.
const defaultBatch = 100

// maxBatch is the largest batch. It is so large that it limits no program. The runtime adds two
// numbers of at most this size: messages spent, and messages that are charged or may still come.
// The sum fits into an int of 32 bits.
const maxBatch = 1<<30 - 1

// Type is an actor type: a name and a table of behaviours over a state S. Make one per
// kind of actor, at package level, with [NewType]; declare its behaviours with
// [Declare] and [DeclareAsk], and give them their methods with [Type.Table]. The first
// spawn seals the type.
//
// The zero value is not ready. A Type is safe for use by many goroutines; declare its
// behaviours before you spawn.
type Type[S any] struct {
	info typeInfo
}

// typeInfo is the part of a Type that does not depend on the type of its state.
type typeInfo struct {
	name string
	// A nil *S: a type assertion tells S faster than reflect does.
	state any
	batch int // 0: the system's
	gas   int // 0: the system's
	marks limits
	bound mailBound

	drops        bool          // some behaviours are DropOnOverload. Guarded as decls
	stashLimit   int           // 0: none
	interceptors []Interceptor // the outermost first
	unrefused    bool          // by them: see access.Unrefused
	pinned       bool          // WithPinnedThread

	finishes bool // WithFinishAsks

	sealed seam.Bool
	mu     seam.Mutex
	decls  []*descriptor // guarded by mu until sealed, then read-only
	table  table         // made by seal
	number uint32        // given by seal: its place among the kinds of every system
	flight seam.Uint32   // its number in recordings; 0: none yet. See flightIndex

	onStart func(a *cell, c *kernelTurn) error      // guarded as decls; nil: none
	onStop  func(a *cell, c *kernelTurn, why error) // the same
	keep    func(a *cell)                           // made by WithKeep; nil: nothing survives a restart

	roots seam.Pointer[typeRoots]    // made by heapRoots
	owned seam.Pointer[[]heap.Owned] // by behaviour; made by discardOwned
	// The variants that actors have become.
	variants waitgraph.Registry[variantInfo]
}

// sealedTypes is the number of types of which an actor was ever spawned.
var sealedTypes seam.Uint32

// table is a dispatch table.
type table struct{ runs []runFunc }

// runFunc runs one behaviour for one message.
type runFunc func(c *kernelTurn, a *cell, m *message)

// descriptor is one behaviour of a type. Read-only once the type is sealed.
type descriptor struct {
	name       string
	typ        *typeInfo
	id         uint16
	size       *sizeClass
	sizeID     uint16 // size.ID, one load nearer
	pointers   bool   // the payload must be cleared
	run        runFunc
	bestEffort bool                               // its dead letters are no cause for a warning
	urgent     bool                               // Urgent; no cache has its sizeID
	drops      bool                               // DropOnOverload
	payload    func(m *message) any               // for dead letters
	clear      func(m *message)                   // makes the payload keep nothing alive
	copy       func(to *message, from *timer)     // copies the payload; nil for an ask
	reject     func(e env, m *message, err error) // answers an ask that will not run; nil otherwise
	caller     func(m *message) caller            // waits for the reply to an ask; nil otherwise
	outcome    bool                               // its messages are a Result or a Reply
	unrefused  bool                               // by interceptors: see access.Unrefused
}

// TypeOption sets a property of a type when it is made.
type TypeOption interface{ setType(*typeInfo) }

// WithPinnedThread makes all actors of this type run on one OS thread that is theirs alone,
// for libraries that insist on it (OpenGL, some C libraries). A message between a
// pinned actor and any other costs a hand-over between threads, some microseconds. A
// behaviour that calls runtime.Goexit costs the thread too, since Go ends it: the next
// behaviour runs on another.
func WithPinnedThread() TypeOption {
	return typeOption(func(t *typeInfo) { t.pinned = true })
}

// NewType makes an actor type. The name appears in logs and reports; it need not be
// unique. NewType panics if the name is empty, an option is nil, or the type has both
// watermarks and a bound.
func NewType[S any](name string, opts ...TypeOption) *Type[S] {
	t := new(Type[S])
	t.info.make(name, (*S)(nil), opts)
	return t
}

// make makes a new type. state is a nil *S.
func (t *typeInfo) make(name string, state any, opts []TypeOption) {
	if name == "" {
		panic("gallop: NewType: empty name")
	}
	t.name, t.state, t.decls = name, state, append([]*descriptor(nil), ownDescs...)
	for _, o := range opts {
		if o == nil {
			panicMisuse("NewType: a nil option for ", name)
		}
		o.setType(t)
	}
	if t.marks.high != 0 && t.bound.limit != 0 {
		panicMisuse("NewType: "+name, " has both watermarks and a bound")
	}
}

// infoOf returns the untyped part of t; nil if t is nil.
func infoOf[S any](t *Type[S]) *typeInfo {
	if t == nil {
		return nil
	}
	return &t.info
}

// made returns t, and panics unless NewType has made it. It is not inlined, since its callers are
// compiled once for each S.
//
//go:noinline
func (t *typeInfo) made(call string) *typeInfo {
	if t == nil || t.name == "" {
		panicMisuse(call, " of a nil or zero Type: use NewType")
	}
	return t
}

// Name returns the name that the type was made with, "" for a zero Type. It panics if t
// is nil.
func (t *Type[S]) Name() string {
	if t == nil {
		panicMisuse("Name of a nil Type", ": use NewType")
	}
	return t.info.name
}

// Entry is a behaviour with its method: a row of the dispatch table of a type over S.
// It is made by [Behaviour.Handle] and [AskBehaviour.Handle].
type Entry[S any] struct {
	decl *descriptor
	run  runFunc
}

// Table gives behaviours their methods and returns t. It may be called more than once,
// before the first spawn; each behaviour must get a method exactly once. Table panics
// if an entry is of another type, has its method already, or comes too late.
func (t *Type[S]) Table(entries ...Entry[S]) *Type[S] {
	i := infoOf(t).made("Table")
	for _, e := range entries {
		i.fill(e.decl, e.run)
	}
	return t
}

// fill sets the method of one behaviour.
func (t *typeInfo) fill(d *descriptor, run runFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case d == nil:
		panicMisuse(t.name, ".Table: an entry without a behaviour")
	case d.typ != t:
		panicMisuse(t.name, ".Table: "+d.fullName()+" was declared for another type")
	case t.sealed.Load():
		panicMisuse(d.fullName(), " got its method after the first spawn of its type")
	case d.run != nil:
		panicMisuse(d.fullName(), " got two methods")
	}
	d.run = run
}

// declare adds a behaviour.
func (t *typeInfo) declare(d *descriptor, opts []BehaviourOption) *descriptor {
	for _, o := range opts {
		if o == nil {
			panicMisuse("a nil option for behaviour ", d.name)
		}
		o.setBehaviour(d)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	d.typ, d.id, d.sizeID = t, uint16(len(t.decls)), d.size.ID
	if d.urgent {
		d.sizeID = msg.NoSizeClass
	}
	if d.drops {
		t.drops = true
	}
	switch {
	case d.urgent && d.drops:
		panicMisuse(d.fullName(),
			" is urgent and DropOnOverload: what is urgent pays no heed to overload")
	case d.name == "":
		panicMisuse("a behaviour of "+t.name, " without a name")
	case t.sealed.Load():
		panicMisuse(d.fullName(), " was declared after the first spawn of its type")
	case len(t.decls) >= userIDs+maxBehaviours:
		panicMisuse(d.fullName(), ": more than 65,530 behaviours")
	}
	for _, o := range t.decls {
		if o.name == d.name {
			panicMisuse(d.fullName(), " was declared twice")
		}
	}
	t.decls = append(t.decls, d)
	return d
}

// seal makes the dispatch table, once. It panics if a behaviour has no method.
func (t *typeInfo) seal() {
	if wrong := t.trySeal(); wrong != "" {
		panic(wrong)
	}
}

// trySeal is seal without the panic: it returns a description of the mistake, or "".
func (t *typeInfo) trySeal() (wrong string) {
	if t.sealed.Load() {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sealed.Load() {
		return ""
	}
	runs := make([]runFunc, len(t.decls))
	for i, d := range t.decls {
		if d.run == nil {
			return "gallop: " + d.fullName() + " has no method: give it one with " + t.name + ".Table"
		}
		runs[i] = d.run
	}
	if invariant.On {
		verifySealed(t)
	}
	t.table.runs = runs
	t.number = sealedTypes.Add(1) - 1
	t.sealed.Store(true) // publishes the table, decls and callbacks
	return ""
}

// fullName returns the name of the type and of the behaviour, for panics.
func (d *descriptor) fullName() string { return d.typ.name + "." + d.name }

// stateOf returns the state of actor a. S must be the state type that a was spawned with; the types
// of Ref and Behaviour ensure that. stateOf adds to the address instead of selecting a field: the
// check for nil of a selector would read the first byte of the cell, in a cache line to which
// senders on other processors write with each message.
func stateOf[S any](a *cell) *S {
	return (*S)(a.plus(unsafe.Offsetof(cellOf[S]{}.state)))
}

// plus returns the address of the cell plus offset.
func (a *cell) plus(offset uintptr) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(a), offset) }

// The first rows of every table are the runtime's own. The loop runs their messages like any other,
// without knowing them; they are never dead letters. These rows have no names, so that the user's
// behaviours may have any name.
const (
	systemID   = iota // a signal's: see turn_signals.go
	firedID           // a timer's
	permitID          // SendWait's messages before it have run
	lookID            // the newest message waits beside a mailbox with a bound
	deadlockID        // an actor has waited for long because of applied pressure
	carriedID         // a message of the user's with a context: see message.go
	userIDs           // the first id of the type's own behaviours
)

var ownDescs = []*descriptor{
	systemID:   systemDesc,
	firedID:    firedDesc,
	permitID:   permitDecl,
	lookID:     lookDesc,
	deadlockID: deadlockDecl,

	carriedID: carriedDesc,
}

// isOwn reports whether a message is the runtime's own.
func isOwn(id uint16) bool { return id < userIDs }

// isMail reports whether a message is the user's, with a context or without.
func isMail(id uint16) bool { return id >= carriedID }

// placeOf returns the number of a behaviour in its type's table, as users see it: 1 is the first,
// and 0 is a row of the runtime's own.
func placeOf(id uint16) uint16 {
	if isOwn(id) {
		return 0
	}
	return id - userIDs + 1
}

// verifySealed checks a type before its first actor is spawned.
func verifySealed(t *typeInfo) {
	for i, d := range t.decls[userIDs:] {
		invariant.Check(int(d.id) == userIDs+i, "behaviour %s is number %d, and says %d", d.name,
			userIDs+i, d.id)
		invariant.Check(d.typ == t, "behaviour %s of another type is one of %s", d.name, t.name)
		invariant.Check(d.urgent == (d.sizeID == msg.NoSizeClass),
			"behaviour %s is urgent: %v, and its size class is %d", d.name, d.urgent, d.sizeID)
	}
}
