package actor

import (
	"fmt"
	"math"
	"reflect"
	"sync"

	"github.com/gallop-go/gallop/internal/invariant"
)

// Messages are recycled. A send takes a node from the worker's own stock; when the
// behaviour has run, the node goes back to the worker that made it, at once if it ran
// there and in chains of many otherwise. What a worker cannot keep waits in a
// sync.Pool of its own, where Go's collector finds it.
//
// That nodes go home is not about memory but about cache lines. Two nodes of 32 bytes
// share one. If nodes stayed where they were run, then after a while the two halves of
// most lines would belong to different workers, and every send would pull a line over
// from the other processor: two workers were then no faster than one even if they
// never talked to each other.
//
// A pool holds nodes of one memory layout. Payloads without pointers share three
// sizes; a payload with pointers has a pool of its own type, since Go's collector must
// know where the pointers are, and is cleared before its behaviour runs, so that a
// recycled node keeps nothing alive.

const (
	maxHomes = 64
	outside  = maxHomes - 1   // the home of nodes that were made outside of any worker
	noPool   = math.MaxUint16 // the number of no pool
)

// pool is one layout of nodes. Read-only after registration, but for homes.
type pool struct {
	id    uint16
	fresh func() *message
	homes [maxHomes]sync.Pool // of *message: heads of chains, which have their length
}

// make1 returns a new node.
func (p *pool) make1(home uint16) *message {
	m := p.fresh()
	m.origin = originOf(p.id, home)
	return m
}

// pools is the registry of all layouts of this process. Types are declared at
// package level, before any system runs, but nothing forbids a late one.
var pools struct {
	mu   sync.RWMutex
	list []*pool
	own  map[reflect.Type]*pool
}

// wordPools are the pools of pointer-free payloads, by size in words.
var wordPools = [...]struct {
	size uintptr
	pool *pool
}{
	{8, register(func() *message { return &new(node[[1]uint64]).message })},
	{24, register(func() *message { return &new(node[[3]uint64]).message })},
	{40, register(func() *message { return &new(node[[5]uint64]).message })},
}

// register adds a layout.
func register(fresh func() *message) *pool {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	if len(pools.list) >= noPool {
		panic("gallop: more than 65,535 message layouts")
	}
	p := &pool{id: uint16(len(pools.list)), fresh: fresh}
	pools.list = append(pools.list, p)
	return p
}

// poolOf returns the pool for payloads of type M and whether they hold pointers.
func poolOf[M any]() (p *pool, pointers bool) {
	return poolFor(reflect.TypeFor[M](), func() *message { return &new(node[M]).message })
}

// poolFor is poolOf but for the type parameter, so that there is one of it.
func poolFor(t reflect.Type, fresh func() *message) (p *pool, pointers bool) {
	pointers = hasPointers(t)
	if !pointers && t.Align() <= 8 {
		for _, w := range wordPools {
			if t.Size() <= w.size {
				return w.pool, false
			}
		}
	}
	pools.mu.RLock()
	p = pools.own[t]
	pools.mu.RUnlock()
	if p != nil {
		return p, pointers
	}
	p = register(fresh)
	pools.mu.Lock()
	defer pools.mu.Unlock()
	if pools.own == nil {
		pools.own = make(map[reflect.Type]*pool)
	}
	if o := pools.own[t]; o != nil {
		return o, pointers // somebody else was faster; the layout we made stays unused
	}
	pools.own[t] = p
	return p, pointers
}

func poolByID(id uint16) *pool {
	pools.mu.RLock()
	p := pools.list[id]
	pools.mu.RUnlock()
	return p
}

// poolCount returns how many layouts there are.
func poolCount() int {
	pools.mu.RLock()
	n := len(pools.list)
	pools.mu.RUnlock()
	return n
}

// takeOne returns a node for a sender that has no worker. It costs two passes
// through the sync.Pool, about 30 ns.
func (p *pool) takeOne() *message {
	spare := &p.homes[outside]
	m, _ := spare.Get().(*message)
	if m == nil {
		return p.make1(outside)
	}
	if invariant.On {
		verifyOutside(p, m)
	}
	if rest := m.next; rest != nil {
		rest.length = m.length - 1
		m.next = nil
		spare.Put(rest)
	}
	return m
}

// takeFrom returns a node of a sender's own chain, which it refills from the pool.
func (p *pool) takeFrom(chain **message) *message {
	m := *chain
	if m == nil {
		if m, _ = p.homes[outside].Get().(*message); m == nil {
			return p.make1(outside)
		}
	}
	*chain, m.next = m.next, nil
	return m
}

// hasPointers tells whether Go's collector has to look into a value of type t.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return false
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer,
		reflect.Slice, reflect.String, reflect.UnsafePointer:
		return true
	}
	panic(fmt.Sprintf("gallop: kind %v", t.Kind()))
}
