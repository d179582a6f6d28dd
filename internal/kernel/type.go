package kernel

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/kernel/waitgraph"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// MaxBehaviours is the number of behaviours that a type may have. A message's id has 16 bits, and
// some rows of the table are the runtime's.
const MaxBehaviours = 65_530

// DefaultBatch is the batch without actor.WithBatch. It is the same as in the Pony runtime.
const DefaultBatch = 100

// MaxBatch is the largest batch. It is so large that it limits no program. The runtime adds two
// numbers of at most this size: messages spent, and messages that are charged or may still come.
// The sum fits into an int of 32 bits.
const MaxBatch = 1<<30 - 1

// TypeInfo is the part of an actor.Type that does not depend on the type of its state. It is
// read-only once it is sealed, except for fields that say otherwise.
type TypeInfo struct {
	Name string
	// A nil *S: a type assertion tells S faster than reflect does.
	State any
	Batch int // 0: the system's
	Gas   int // 0: the system's
	Marks Limits
	Bound MailBound

	drops        bool          // some behaviours are DropOnOverload. Guarded as Decls
	StashLimit   int           // 0: none
	Interceptors []Interceptor // the outermost first
	Unrefused    bool          // by them: as Descriptor.Unrefused, for all behaviours
	Pinned       bool          // WithPinnedThread

	Finishes bool // WithFinishAsks

	Sealed seam.Bool
	mu     seam.Mutex
	Decls  []*Descriptor // guarded by mu until sealed, then read-only
	Table  table         // made by Seal
	number uint32        // given by Seal: its place among the kinds of every system
	flight seam.Uint32   // its number in recordings; 0: none yet. See FlightIndex

	OnStart func(a *Cell, c *Turn) error      // guarded as Decls; nil: none
	OnStop  func(a *Cell, c *Turn, why error) // the same
	Keep    func(a *Cell)                     // made by WithKeep; nil: nothing survives a restart

	roots seam.Pointer[TypeRoots]    // made by heapRoots
	owned seam.Pointer[[]heap.Owned] // by behaviour; made by OwnedIn
	// The variants that actors have become.
	variants waitgraph.Registry[VariantInfo]
}

// sealedTypes is the number of types of which an actor was ever spawned.
var sealedTypes seam.Uint32

// table is a dispatch table.
type table struct{ Runs []RunFunc }

// RunFunc runs one behaviour for one message.
type RunFunc func(c *Turn, a *Cell, m *Message)

// Descriptor is one behaviour of a type. Read-only once the type is sealed.
type Descriptor struct {
	Name       string
	Typ        *TypeInfo
	ID         uint16
	Size       *SizeClass
	SizeID     uint16 // Size.ID, one load nearer
	Pointers   bool   // the payload must be cleared
	run        RunFunc
	BestEffort bool                                // its dead letters are no cause for a warning
	Urgent     bool                                // Urgent; no cache has its SizeID
	Drops      bool                                // DropOnOverload
	Payload    func(m *Message) any                // for dead letters
	Clear      func(m *Message)                    // makes the payload keep nothing alive
	Copy       func(to *Message, from *ArmedTimer) // copies the payload; nil for an ask
	Reject     func(e Env, m *Message, err error)  // answers an ask that will not run; nil otherwise
	Caller     func(m *Message) Caller             // waits for the reply to an ask; nil otherwise
	Outcome    bool                                // its messages are a Result or a Reply
	News       bool                                // its messages are a Down or an Exit
	// Unrefused: the messages are the runtime's own, as the end of a child is: a supervisor that missed
	// it would wait for ever. An error that an interceptor returns for such a message is logged, and
	// the message runs.
	Unrefused bool
}

// AnyType is an actor type of any state. A *Type[S] of package actor converts to a *AnyType.
type AnyType struct{ info TypeInfo }

// Info returns the type, or nil.
func (t *AnyType) Info() *TypeInfo {
	if t == nil {
		return nil
	}
	return &t.info
}

// AnyBehaviour is a behaviour of any type. A Behaviour[S, M] of package actor converts to it.
type AnyBehaviour struct{ d *Descriptor }

// BehaviourOf returns the behaviour that d describes.
func BehaviourOf(d *Descriptor) AnyBehaviour { return AnyBehaviour{d} }

// Descriptor returns the description of b, or nil if b is zero.
func (b AnyBehaviour) Descriptor() *Descriptor { return b.d }

// AnyAsk is a behaviour for requests, of any type. An AskBehaviour[S, Q, R] of package actor converts
// to it.
type AnyAsk struct {
	d     *Descriptor
	calls *sync.Pool // of *call[R] of package actor
}

// AskOf returns the behaviour for requests that d describes.
func AskOf(d *Descriptor, calls *sync.Pool) AnyAsk { return AnyAsk{d, calls} }

// Descriptor returns the description of b, or nil if b is zero.
func (b AnyAsk) Descriptor() *Descriptor { return b.d }

// Calls returns the pool of calls.
func (b AnyAsk) Calls() *sync.Pool { return b.calls }

// Make makes a new type. state is a nil *S. Make calls options, which sets the options. The caller
// owns t.
func (t *TypeInfo) Make(name string, state any, options func(*TypeInfo)) {
	if name == "" {
		panic("gallop: NewType: empty name")
	}
	t.Name, t.State, t.Decls = name, state, append([]*Descriptor(nil), OwnDescs...)
	options(t)
	if t.Marks.High != 0 && t.Bound.Limit != 0 {
		PanicMisuse("NewType: "+name, " has both watermarks and a bound")
	}
}

// SealOrError seals the type. The error describes a mistake in the dispatch table. t may be nil.
// Any goroutine.
func (t *TypeInfo) SealOrError() error {
	if t == nil || t.Name == "" {
		return errors.New("gallop: a nil or zero Type: use NewType")
	}
	if wrong := t.trySeal(); wrong != "" {
		return errors.New(wrong)
	}
	return nil
}

// Made returns t, and panics unless NewType has made it. It is not inlined, since its callers are
// compiled once for each S. Any goroutine.
//
//go:noinline
func (t *TypeInfo) Made(call string) *TypeInfo {
	if t == nil || t.Name == "" {
		PanicMisuse(call, " of a nil or zero Type: use NewType")
	}
	return t
}

// Fill sets the method of one behaviour. It panics if that is not possible. Any goroutine.
func (t *TypeInfo) Fill(d *Descriptor, run RunFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case d == nil:
		PanicMisuse(t.Name, ".Table: an entry without a behaviour")
	case d.Typ != t:
		PanicMisuse(t.Name, ".Table: "+d.FullName()+" was declared for another type")
	case t.Sealed.Load():
		PanicMisuse(d.FullName(), " got its method after the first spawn of its type")
	case d.run != nil:
		PanicMisuse(d.FullName(), " got two methods")
	}
	d.run = run
}

// Declare adds a behaviour, and returns d. It panics if that is not possible. Any goroutine.
func (t *TypeInfo) Declare(d *Descriptor) *Descriptor {
	t.mu.Lock()
	defer t.mu.Unlock()
	d.Typ, d.ID, d.SizeID = t, uint16(len(t.Decls)), d.Size.ID
	if d.Urgent {
		d.SizeID = msg.NoSizeClass
	}
	if d.Drops {
		t.drops = true
	}
	switch {
	case d.Urgent && d.Drops:
		PanicMisuse(d.FullName(),
			" is urgent and DropOnOverload: what is urgent pays no heed to overload")
	case d.Name == "":
		PanicMisuse("a behaviour of "+t.Name, " without a name")
	case t.Sealed.Load():
		PanicMisuse(d.FullName(), " was declared after the first spawn of its type")
	case len(t.Decls) >= UserIDs+MaxBehaviours:
		PanicMisuse(d.FullName(), ": more than 65,530 behaviours")
	}
	for _, o := range t.Decls {
		if o.Name == d.Name {
			PanicMisuse(d.FullName(), " was declared twice")
		}
	}
	t.Decls = append(t.Decls, d)
	return d
}

// Seal makes the dispatch table, once. It panics if a behaviour has no method. Any goroutine.
func (t *TypeInfo) Seal() {
	if wrong := t.trySeal(); wrong != "" {
		panic(wrong)
	}
}

// trySeal is Seal without the panic: it returns a description of the mistake, or "".
func (t *TypeInfo) trySeal() (wrong string) {
	if t.Sealed.Load() {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Sealed.Load() {
		return ""
	}
	runs := make([]RunFunc, len(t.Decls))
	for i, d := range t.Decls {
		if d.run == nil {
			return "gallop: " + d.FullName() + " has no method: give it one with " + t.Name + ".Table"
		}
		runs[i] = d.run
	}
	if invariant.On {
		verifySealed(t)
	}
	t.Table.Runs = runs
	t.number = sealedTypes.Add(1) - 1
	t.Sealed.Store(true) // publishes the table, decls and callbacks
	return ""
}

// FlightIndex returns the type's number in recordings, or 0 if too many names have a number. The
// number is cached, because looking it up by name took half the cost of a recorded spawn and end.
// Goroutines that store it at the same time store the same number, and the store publishes nothing
// else. Any goroutine.
func (t *TypeInfo) FlightIndex() uint16 {
	if n := t.flight.Load(); n != 0 {
		return uint16(n)
	}
	n := flightlog.IndexOf(t.Name, "")
	t.flight.Store(uint32(n)) // 0: too many names have a number
	return n
}

// FullName returns the name of the type and of the behaviour, for panics.
func (d *Descriptor) FullName() string { return d.Typ.Name + "." + d.Name }

// StateOf returns the state of actor a. S must be the state type that a was spawned with; the types
// of Ref and Behaviour ensure that. StateOf adds to the address instead of selecting a field: the
// check for nil of a selector would read the first byte of the cell, in a cache line to which
// senders on other processors write with each message. Owner only.
func StateOf[S any](a *Cell) *S {
	return (*S)(a.Plus(unsafe.Offsetof(CellOf[S]{}.State)))
}

// Plus returns the address of the cell plus offset.
func (a *Cell) Plus(offset uintptr) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(a), offset) }

// The first rows of every table are the runtime's own. The loop runs their messages like any other,
// without knowing them; they are never dead letters. These rows have no names, so that the user's
// behaviours may have any name.
const (
	SystemID   = iota // a signal's: see turn_signals.go
	firedID           // a timer's
	permitID          // SendWait's messages before it have run
	lookID            // the newest message waits beside a mailbox with a bound
	deadlockID        // an actor has waited for long because of applied pressure
	CarriedID         // a message of the user's with a context: see context_message.go
	UserIDs           // the first id of the type's own behaviours
)

// OwnDescs has the descriptors of these rows. Read-only.
var OwnDescs = []*Descriptor{
	SystemID:   SystemDesc,
	firedID:    firedDesc,
	permitID:   permitDecl,
	lookID:     lookDesc,
	deadlockID: deadlockDecl,

	CarriedID: carriedDesc,
}

// isOwn reports whether a message is the runtime's own.
func isOwn(id uint16) bool { return id < UserIDs }

// isMail reports whether a message is the user's, with a context or without.
func isMail(id uint16) bool { return id >= CarriedID }

// placeOf returns the number of a behaviour in its type's table, as users see it: 1 is the first,
// and 0 is a row of the runtime's own.
func placeOf(id uint16) uint16 {
	if isOwn(id) {
		return 0
	}
	return id - UserIDs + 1
}

// verifySealed checks a type before its first actor is spawned.
func verifySealed(t *TypeInfo) {
	for i, d := range t.Decls[UserIDs:] {
		invariant.Check(int(d.ID) == UserIDs+i, "behaviour %s is number %d, and says %d", d.Name,
			UserIDs+i, d.ID)
		invariant.Check(d.Typ == t, "behaviour %s of another type is one of %s", d.Name, t.Name)
		invariant.Check(d.Urgent == (d.SizeID == msg.NoSizeClass),
			"behaviour %s is urgent: %v, and its size class is %d", d.Name, d.Urgent, d.SizeID)
	}
}
