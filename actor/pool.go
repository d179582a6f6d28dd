package actor

import (
	"fmt"
	"math"
	"reflect"
	"sync"
	"unsafe"

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
// never talked to each other. For the same reason nodes are made in blocks: one by one they came
// to lie in the gaps that Go's collector had left among those of another worker.
//
// A pool holds nodes of one memory layout. Payloads without pointers share three
// sizes; a payload with pointers has a pool of its own type, since Go's collector must
// know where the pointers are, and is cleared before its behaviour runs, so that a
// recycled node keeps nothing alive.

const (
	// A block of nodes fills whole cache lines, and nothing else is in them: eight nodes of n words
	// are n lines, and Go aligns what has up to 512 bytes to a line if it fills its lines.
	// Processors fetch two lines at a time, so a block of one line would not do.
	blockLength = 8
	maxInBlock  = 64 // bytes; larger nodes are made one by one

	maxHomes = 64
	outside  = maxHomes - 1   // the home of nodes that were made outside of any worker
	noPool   = math.MaxUint16 // the number of no pool
)

// pool is one layout of nodes. Read-only after registration, but for homes.
type pool struct {
	id    uint16
	size  uintptr              // of a node
	block int                  // how many are made at once
	fresh func(n int) *message // makes n nodes side by side, and returns the first
	homes [maxHomes]sync.Pool  // of *message: heads of chains, which have their length
}

// make returns n new nodes, in a chain that has its length.
func (p *pool) make(home uint16, n int) *message {
	first := p.fresh(n)
	first.length = uint16(n)
	for m := first; ; m = m.next {
		m.origin = originOf(p.id, home)
		if n--; n == 0 {
			return first
		}
		m.next = (*message)(unsafe.Add(unsafe.Pointer(m), p.size))
	}
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
	{8, register(headerSize+8, func(n int) *message { return &unsafe.SliceData(make([]node[[1]uint64], n)).message })},
	{24, register(headerSize+24, func(n int) *message { return &unsafe.SliceData(make([]node[[3]uint64], n)).message })},
	{40, register(headerSize+40, func(n int) *message { return &unsafe.SliceData(make([]node[[5]uint64], n)).message })},
}

// register adds a layout, of nodes of that size.
func register(size uintptr, fresh func(n int) *message) *pool {
	pools.mu.Lock()
	p := add(size, fresh)
	pools.mu.Unlock()
	return p
}

// add is register under the lock, which it unlocks if it panics.
func add(size uintptr, fresh func(n int) *message) *pool {
	if len(pools.list) >= noPool {
		pools.mu.Unlock()
		panic("gallop: more than 65,535 message layouts")
	}
	p := &pool{id: uint16(len(pools.list)), size: size, block: blockLength, fresh: fresh}
	if size > maxInBlock {
		p.block = 1
	}
	pools.list = append(pools.list, p)
	return p
}

// poolOf returns the pool for payloads of type M and whether they hold pointers.
func poolOf[M any]() (p *pool, pointers bool) {
	return poolFor(reflect.TypeFor[M](), unsafe.Sizeof(node[M]{}), func(n int) *message { return &unsafe.SliceData(make([]node[M], n)).message })
}

// poolFor is poolOf but for the type parameter, so that there is one of it.
func poolFor(t reflect.Type, size uintptr, fresh func(n int) *message) (p *pool, pointers bool) {
	pointers = hasPointers(t)
	if !pointers && t.Align() <= 8 {
		for _, w := range wordPools {
			if t.Size() <= w.size {
				return w.pool, false
			}
		}
	}
	pools.mu.Lock()
	if p = pools.own[t]; p == nil {
		p = add(size, fresh)
		if pools.own == nil {
			pools.own = make(map[reflect.Type]*pool)
		}
		pools.own[t] = p
	}
	pools.mu.Unlock()
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
		m = p.make(outside, p.block)
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
			m = p.make(outside, p.block)
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
