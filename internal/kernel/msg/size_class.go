package msg

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Nodes go back to their owner because of cache lines. Two nodes of 32 bytes share a line. If a
// node stayed with the worker that ran it, after a while the two halves of most lines would belong
// to different workers, and every send would fetch a line from the other processor: two workers
// were then no faster than one, even if they never sent to each other. For the same reason nodes
// are made in blocks: nodes made one by one filled the gaps that the GC had left among the nodes of
// another worker.
//
// Payloads without pointers share three size classes. A payload with pointers has a size class of
// its own type, since the GC must know where the pointers are; it is cleared before its behaviour
// runs, so that a recycled node keeps nothing alive.
//
// The GC frees a block when no node of it is reachable. So code that leaves nodes of a block to the
// GC unlinks them. Otherwise a dead node in a live block would keep the next node of its chain
// alive, and that node's whole block with all its links, and so on. Nodes with pointers are made
// one by one.

const (
	// A block of nodes fills whole cache lines: eight nodes of n words are n lines, and on 64-bit
	// machines Go aligns an object of up to 512 bytes to a line if it fills its lines. A block of a
	// single line would be too small, since processors fetch two lines at a time.
	blockLength = 8

	batchLength = 64 // the maximum number of nodes of a free batch
)

// SizeClass is one layout of nodes. It is read-only after its registration, except for the free
// batches.
type SizeClass struct {
	ID       uint16
	block    int                  // nodes of a block
	size     uintptr              // of a node
	batch    int                  // nodes of a free batch
	keep     int                  // the capacity of a magazine
	chain    int                  // nodes that leave a full magazine
	newBlock func(n int) *Message // makes n nodes side by side, and returns the first
	batches  [MaxOwners]sync.Pool // of *freeBatch, by owner
}

// freeBatch holds free nodes, which are not linked to each other.
type freeBatch struct {
	n     int
	nodes [batchLength]*Message
}

// emptyBatches are free batches without nodes.
var emptyBatches = sync.Pool{New: func() any { return new(freeBatch) }}

// New returns a new node for an owner.
func (s *SizeClass) New(owner uint16) *Message { return s.makeBlock(owner, 1) }

// makeBlock returns n new nodes in a chain. n is at most the length of a block.
func (s *SizeClass) makeBlock(owner uint16, n int) *Message {
	first := s.newBlock(n)
	for m := first; ; m = m.Next {
		m.OwnerTag = TagOf(s.ID, owner)
		if n--; n == 0 {
			return first
		}
		m.Next = (*Message)(unsafe.Add(unsafe.Pointer(m), s.size))
	}
}

// get returns a chain of nodes of an owner, and its length. They are a free batch, or a new block.
func (s *SizeClass) get(owner uint16) (first *Message, n int) {
	b, ok := s.batches[owner].Get().(*freeBatch)
	if !ok {
		return s.makeBlock(owner, s.block), s.block
	}
	for n = b.n; b.n > 0; {
		b.n--
		m := b.nodes[b.n]
		b.nodes[b.n], m.Next = nil, first
		first = m
	}
	emptyBatches.Put(b)
	return first, n
}

// put gives n nodes to the size class, from first on, and returns the node after them.
func (s *SizeClass) put(owner uint16, first *Message, n int) (rest *Message) {
	for n > 0 {
		b := emptyBatches.Get().(*freeBatch)
		for ; n > 0 && b.n < s.batch; n-- {
			m := first
			first, m.Next = m.Next, nil
			b.nodes[b.n] = m
			b.n++
		}
		s.batches[owner].Put(b)
	}
	return first
}

// TakeOne returns a node for a sender without a worker. It clears From, which may still name an
// actor, and have the bit WasStashed. It costs two operations of a sync.Pool, about 30 ns.
func (s *SizeClass) TakeOne() *Message {
	from := &s.batches[Outside]
	b, ok := from.Get().(*freeBatch)
	if !ok {
		m := s.makeBlock(Outside, s.block)
		s.put(Outside, m.Next, s.block-1)
		m.Next = nil
		return m
	}
	b.n--
	m := b.nodes[b.n]
	b.nodes[b.n] = nil
	m.From = 0
	if invariant.On {
		verifyOutside(s, m)
	}
	if b.n == 0 {
		from = &emptyBatches
	}
	from.Put(b)
	return m
}

// TakeFrom returns a node of a chain that the sender owns. It refills an empty chain from the size
// class.
func (s *SizeClass) TakeFrom(chain **Message) *Message {
	m := *chain
	if m == nil {
		m, _ = s.get(Outside)
	}
	*chain, m.Next, m.From = m.Next, nil, 0
	return m
}

// PutOne gives a node back for an owner that has no cache.
func (s *SizeClass) PutOne(m *Message) { s.put(m.Owner(), m, 1) }

// sizeClasses is the registry of all layouts of this process. Most types are declared at package
// level, before any system runs, but a type may also be declared later.
var sizeClasses struct {
	mu     seam.Mutex
	list   seam.Pointer[[]*SizeClass]  // replaced whole, under mu
	byType map[reflect.Type]*SizeClass // guarded by mu
}

// wordClasses are the size classes of payloads without pointers, by size in words.
var wordClasses = [...]struct {
	size  uintptr
	class *SizeClass
}{
	{8, register(blockLength, headerSize+8, func(n int) *Message {
		return &make([]Node[[1]uint64], n)[0].Header
	})},
	{24, register(blockLength, headerSize+24, func(n int) *Message {
		return &make([]Node[[3]uint64], n)[0].Header
	})},
	{40, register(blockLength, headerSize+40, func(n int) *Message {
		return &make([]Node[[5]uint64], n)[0].Header
	})},
}

// register adds a size class.
func register(block int, size uintptr, newBlock func(n int) *Message) *SizeClass {
	sizeClasses.mu.Lock()
	defer sizeClasses.mu.Unlock()
	return add(block, size, newBlock)
}

// add is register under the lock.
func add(block int, size uintptr, newBlock func(n int) *Message) *SizeClass {
	list := All()
	if len(list) >= NoSizeClass {
		panic("gallop: more than 65,535 message layouts")
	}
	s := &SizeClass{ID: uint16(len(list)), block: block, size: size, newBlock: newBlock}
	s.batch, s.chain = fit(batchBytes, size, batchLength), fit(chainBytes, size, ChainLength)
	if s.keep = s.chain; size <= largestMany {
		s.keep = int(magazineBytes / size)
	}
	list = append(list[:len(list):len(list)], s)
	sizeClasses.list.Store(&list)
	return s
}

// fit returns the number of nodes of a size that fill so many bytes, at least one and at most most.
func fit(bytes, size uintptr, most int) int { return max(1, min(int(bytes/size), most)) }

// Of returns the size class of payloads of type M, and whether they hold pointers.
func Of[M any]() (s *SizeClass, pointers bool) {
	return of(reflect.TypeFor[M](), func(int) *Message { return &new(Node[M]).Header })
}

// of is Of without the type parameter, so that it is compiled only once.
func of(t reflect.Type, newNode func(n int) *Message) (s *SizeClass, pointers bool) {
	pointers = HasPointers(t)
	if !pointers && t.Align() <= 8 {
		for _, w := range wordClasses {
			if t.Size() <= w.size {
				return w.class, false
			}
		}
	}
	sizeClasses.mu.Lock()
	defer sizeClasses.mu.Unlock()
	if s = sizeClasses.byType[t]; s == nil {
		s = add(1, headerSize+t.Size(), newNode)
		if sizeClasses.byType == nil {
			sizeClasses.byType = make(map[reflect.Type]*SizeClass)
		}
		sizeClasses.byType[t] = s
	}
	return s, pointers
}

// All returns the present size classes, by ID. Any goroutine.
func All() []*SizeClass {
	if l := sizeClasses.list.Load(); l != nil {
		return *l
	}
	return nil
}

// ByID returns a size class by its number.
func ByID(id uint16) *SizeClass { return All()[id] }

// HasPointers reports whether the GC has to look into a value of type t.
func HasPointers(t reflect.Type) bool {
	switch k := t.Kind(); {
	case k <= reflect.Complex128: // numbers and bools
		return false
	case k == reflect.Array:
		return t.Len() > 0 && HasPointers(t.Elem())
	case k == reflect.Struct:
		for i := range t.NumField() {
			if HasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}
