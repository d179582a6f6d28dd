package actor

import (
	"go/build"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/sched"
)

// TestMessage_Size: "one allocation, 32 bytes for a one-word payload".
func TestMessage_Size(t *testing.T) {
	word := unsafe.Sizeof(uintptr(0))
	if got := unsafe.Sizeof(node[uintptr]{}); got > 32 {
		t.Errorf("a message with a payload of one word: %d bytes, want 32 at most", got)
	}
	if word == 8 && unsafe.Sizeof(node[uint64]{}) != 32 {
		t.Errorf("node[uint64]: %d bytes, want 32", unsafe.Sizeof(node[uint64]{}))
	}
}

type aligned64 struct {
	small uint32
	big   atomic.Uint64 // 64-bit aligned, on 32-bit machines too
}

type pointed64 struct {
	p   *int
	big atomic.Int64
}

// payloadLayout makes nodes for payloads of type M and looks where they lie.
func payloadLayout[M any](t *testing.T) {
	typ := reflect.TypeFor[M]()
	t.Run(strings.ReplaceAll(typ.String(), " ", ""), func(t *testing.T) {
		p, _ := sizeClassOf[M]()
		if again, _ := sizeClassOf[M](); again != p {
			t.Error("two pools for one type")
		}
		for range 100 {
			at := reflect.ValueOf(payloadOf[M](p.newBlock(1))).Pointer()
			if at%uintptr(typ.Align()) != 0 {
				t.Fatalf("payload at %#x, want a multiple of %d", at, typ.Align())
			}
		}
		if off := unsafe.Offsetof(node[M]{}.payload); off != headerSize {
			t.Errorf("payload at offset %d, want %d", off, headerSize)
		}
	})
}

// TestMessage_Layout: every payload lies right behind the header, aligned as its
// type wants.
func TestMessage_Layout(t *testing.T) {
	payloadLayout[struct{}](t)
	payloadLayout[bool](t)
	payloadLayout[uint64](t)
	payloadLayout[complex128](t)
	payloadLayout[[3]uint64](t)
	payloadLayout[[5]uint64](t)
	payloadLayout[[6]uint64](t)
	payloadLayout[[4096]byte](t)
	payloadLayout[string](t)
	payloadLayout[any](t)
	payloadLayout[func()](t)
	payloadLayout[chan int](t)
	payloadLayout[*int](t)
	payloadLayout[aligned64](t)
	payloadLayout[pointed64](t)
	payloadLayout[request[aligned64, pointed64]](t)
}

// TestMessage_HasPointers: what the GC must look into, and nothing else.
func TestMessage_HasPointers(t *testing.T) {
	for typ, want := range map[reflect.Type]bool{
		reflect.TypeFor[int]():                    false,
		reflect.TypeFor[[4]struct{ a, b int8 }](): false,
		reflect.TypeFor[[0]*int]():                false,
		reflect.TypeFor[uintptr]():                false,
		reflect.TypeFor[struct{}]():               false,
		reflect.TypeFor[string]():                 true,
		reflect.TypeFor[[]int]():                  true,
		reflect.TypeFor[[2]string]():              true,
		reflect.TypeFor[struct{ a, b any }]():     true,
		reflect.TypeFor[map[int]int]():            true,
		reflect.TypeFor[chan int]():               true,
		reflect.TypeFor[func()]():                 true,
		reflect.TypeFor[Ref[int]]():               true,
		reflect.TypeFor[request[None, int]]():     true,
		reflect.TypeFor[struct {
			a int
			p *int
		}](): true,
	} {
		if got := hasPointers(typ); got != want {
			t.Errorf("%v: %v, want %v", typ, got, want)
		}
	}
}

// cache is a worker's free list and its dumb twin, a set of nodes.
type stock struct {
	c    *Context
	pool *sizeClass
	live map[*message]bool // handed out
	seen map[*message]bool // ever handed out
}

func (s *stock) take(t *rapid.T, m *message) {
	if s.live[m] {
		t.Fatal("a node was handed out twice")
	}
	if m.sizeClass() != s.pool.id {
		t.Fatalf("a node of pool %d, want %d", m.sizeClass(), s.pool.id)
	}
	s.live[m], s.seen[m] = true, true
}

func (s *stock) give(n int) {
	for m := range s.live {
		if n--; n < 0 {
			return
		}
		delete(s.live, m)
		s.c.recycle(m)
	}
}

// check: every chain is as long as the books say, nothing in it is in use, and nodes
// that were made elsewhere are on their way home.
func (s *stock) check(t *rapid.T) {
	have := s.c.cache[s.pool.id]
	s.chain(t, have.top, s.pool.keep-have.room, s.c.owner)
	if have.room <= 0 {
		t.Fatalf("%d nodes too many are kept", -have.room)
	}
	for home, a := range have.remote {
		if a.room <= 0 {
			t.Fatalf("%d nodes have not gone home to %d", s.pool.batchLength-a.room, home)
		}
		s.chain(t, a.first, s.pool.batchLength-a.room, uint16(home))
	}
}

func (s *stock) chain(t *rapid.T, h *message, want int, owner uint16) {
	n := 0
	for m := h; m != nil; m = m.next {
		if n++; s.live[m] || m.owner() != owner {
			t.Fatalf("in use: %v; of home %d, want %d", s.live[m], m.owner(), owner)
		}
	}
	if n != want {
		t.Fatalf("a chain of %d, booked as %d", n, want)
	}
}

// TestPool_Twin: whatever is taken and given back in whatever amounts, a node is
// never handed out twice, the free list counts right and stays within its bound.
func TestPool_Twin(t *testing.T) {
	p := registerSize(blockLength, headerSize+8, func(n int) *message { return &make([]node[[1]uint64], n)[0].header })
	p.keep = 3 * chainLength
	rapid.Check(t, func(t *rapid.T) {
		s := &stock{&Context{w: new(sched.Worker), cache: newCache(sizeClassCount())}, p, map[*message]bool{}, map[*message]bool{}}
		amount := rapid.SampledFrom([]int{1, 2, chainLength - 1, chainLength, chainLength + 1, 3 * chainLength})
		t.Repeat(map[string]func(*rapid.T){
			"inside": func(t *rapid.T) {
				for range amount.Draw(t, "n") {
					s.take(t, s.c.alloc(p.id))
				}
			},
			"outside": func(t *rapid.T) {
				s.take(t, p.takeOne())
			},
			"recycle": func(t *rapid.T) { s.give(amount.Draw(t, "n")) },
			"":        s.check,
		})
		s.give(len(s.live))
	})
}

// TestPool_Blocks: nodes of two workers share no cache line, whatever gaps the GC has left
// among them.
func TestPool_Blocks(t *testing.T) {
	if cacheline.Size != 64 || unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("nodes are not eighths of lines") // a line has 64 bytes where words have eight
	}
	linked, _ := sizeClassOf[*int]()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, p := range []*sizeClass{wordClasses[0].pool, wordClasses[1].pool, wordClasses[2].pool, linked} {
		var kept []*message
		for range 10 {
			for range 200 {
				for m := p.makeBlock(uint16(rng.IntN(2)), p.block); m != nil; m = m.next {
					if rng.IntN(16) == 0 {
						kept = append(kept, m)
					}
				}
			}
			for _, m := range kept {
				m.next = nil
			}
			runtime.GC()
		}
		if p.block == 1 {
			continue // what lies beside it is Go's allocator's business
		}
		lines := make(map[uintptr]uint16)
		for _, m := range kept {
			at := reflect.ValueOf(m).Pointer()
			first, last := at/cacheline.Size, (at+p.size-1)/cacheline.Size
			for l := first; l <= last; l++ {
				if owner, ok := lines[l]; ok && owner != m.owner() {
					t.Fatalf("pool %d: nodes of homes %d and %d share a line", p.id, owner, m.owner())
				}
				lines[l] = m.owner()
			}
		}
	}
}

// linkedOf returns how many of the nodes have a next one.
func linkedOf(nodes []*message) (n int) {
	for _, m := range nodes {
		if m.next != nil {
			n++
		}
	}
	return n
}

// chainOf makes a chain of n nodes.
func chainOf(p *sizeClass, owner uint16, n int) (nodes []*message) {
	for len(nodes) < n {
		for m := p.makeBlock(owner, p.block); m != nil; m = m.next {
			nodes = append(nodes, m)
		}
	}
	nodes = nodes[:n]
	for i, m := range nodes {
		if m.next = nil; i > 0 {
			nodes[i-1].next = m
		}
	}
	return nodes
}

// TestPool_LetsGo: "whoever lets go of a node of a block unlinks it".
func TestPool_LetsGo(t *testing.T) {
	p := wordClasses[0].pool
	nodes := chainOf(p, 0, 200)
	p.put(0, nodes[0], len(nodes))
	if n := linkedOf(nodes); n != 0 {
		t.Errorf("%d of 200 nodes in a pool are linked", n)
	}
	nodes = chainOf(p, 0, 10)
	(&Context{w: new(sched.Worker), dry: true}).recycleChain(nodes[0], nodes[9], 10)
	if n := linkedOf(nodes); n != 0 {
		t.Errorf("%d of 10 nodes are linked that nobody recycles", n)
	}
	nodes = chainOf(p, 0, 10)
	a, c := &cell{in: inbox{pending: nodes[0]}}, &Context{}
	for _, m := range nodes[:7] { // as segment does
		m.next, c.ran = c.ran, m
	}
	c.msg = nodes[7]
	if ran := a.accountCrash(c); ran != 8 || a.in.pending != nodes[8] || c.ran != nil {
		t.Errorf("%d ran", ran)
	}
	if n := linkedOf(nodes); n != 1 {
		t.Errorf("%d of 8 nodes that have run are linked", n-1)
	}
}

// TestPool_LetsGoOfStocks: a worker whose system has stopped leaves its nodes to the pools, its own
// and those of others.
func TestPool_LetsGoOfStocks(t *testing.T) {
	typ := NewType[struct{}]("keeper of stock")
	do := Declare[func(*Context)](typ, "do")
	typ.Table(do.Do(func(_ *struct{}, c *Context, f func(*Context)) { f(c) }))
	for name, lengths := range map[string][]int{"few": {10}, "many": {chainLength, chainLength, 10}} {
		t.Run(name, func(t *testing.T) {
			sys := Start(Workers(1))
			var nodes []*message
			do.Send(sys, typ.Spawn(sys, struct{}{}), func(c *Context) {
				for _, owner := range []uint16{c.owner, 5, outsideOwner} {
					for _, n := range lengths {
						more := chainOf(wordClasses[0].pool, owner, n)
						nodes = append(nodes, more...)
						c.recycleChain(more[0], more[n-1], n)
					}
				}
			})
			if err := sys.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if linkedOf(nodes) == 0 {
				t.Fatal("nothing is linked in stock")
			}
			sys.Stop()
			if n := linkedOf(nodes); n != 0 {
				t.Errorf("%d of %d nodes are linked behind the end of the worker", n, len(nodes))
			}
		})
	}
}

// crossings returns what the worker says has come from others.
func crossings(w *sched.Worker) uint64 {
	v := reflect.ValueOf(w).Elem().FieldByName("crossed")
	for v.Kind() == reflect.Struct {
		v = v.Field(v.NumField() - 1)
	}
	return v.Uint()
}

// TestPool_Crossings: nodes of another worker are reported to the scheduler, whose governor goes by
// them; those from outside are not.
func TestPool_Crossings(t *testing.T) {
	c := &Context{w: new(sched.Worker), owner: 1}
	p := wordClasses[0].pool
	for _, owner := range []uint16{0, 1, outsideOwner, 2, 0} {
		c.recycle(p.makeBlock(owner, 1))
	}
	if n := crossings(c.w); n != 3 {
		t.Errorf("%d messages came from other workers, want 3", n)
	}
}

// TestPool_InBytes: "it is bounded in bytes", and so is what waits or leaves together.
func TestPool_InBytes(t *testing.T) {
	for size, want := range map[uintptr][3]int{
		32: {64, 256, 8192}, 64: {64, 256, 4096}, 128: {64, 256, 2048}, 256: {64, 128, 1024}, 1 << 10: {16, 32, 256}, 1032: {15, 31, 31},
		64 << 10: {1, 1, 1}, 1 << 20: {1, 1, 1},
	} {
		p := registerSize(1, size, func(int) *message { return new(message) })
		if got := [3]int{p.batchLength, p.chain, p.keep}; got != want {
			t.Errorf("of %d bytes: %d in a bundle, %d in a chain and %d in all, want %d", size, got[0], got[1], got[2], want)
		}
		nodes := chainOf(p, 0, 100)
		p.put(0, nodes[0], len(nodes))
		if _, n := p.get(0); n > p.batchLength {
			t.Errorf("of %d bytes: %d come together, want %d at most", size, n, p.batchLength)
		}
	}
}

// TestPool_KeepsNoMore: where many messages run for each that is sent, the cache grows up to its
// bound, and what leaves it does so in chains.
func TestPool_KeepsNoMore(t *testing.T) {
	p := wordClasses[0].pool
	c := &Context{w: new(sched.Worker), cache: newCache(sizeClassCount())}
	most := 0
	for range 2 * p.keep / 100 {
		nodes := chainOf(p, c.owner, 100)
		c.recycleChain(nodes[0], nodes[99], 100)
		most = max(most, p.keep-c.cache[p.id].room)
	}
	n := 0
	for m := c.cache[p.id].top; m != nil; m = m.next {
		n++
	}
	if n != p.keep-c.cache[p.id].room {
		t.Errorf("a stock of %d, booked as %d", n, p.keep-c.cache[p.id].room)
	}
	if most >= p.keep || most < p.keep-p.chain {
		t.Errorf("a stock of %d, want almost %d", most, p.keep)
	}
}

// TestSizeClass_Late: a worker that was made before a type was declared handles its
// messages all the same.
func TestSizeClass_Late(t *testing.T) {
	c := &Context{w: new(sched.Worker), cache: newCache(len(wordClasses))} // as if made before any type
	type latecomer struct{ p *int }
	p, _ := sizeClassOf[latecomer]()
	if int(p.id) < len(c.cache) {
		t.Fatalf("pool %d is not late", p.id)
	}
	m := p.makeBlock(c.owner, 1)
	c.recycle(m)
	if c.alloc(p.id) != m {
		t.Fatal("not recycled")
	}
	if got := c.alloc(p.id); got == m || got.sizeClass() != p.id {
		t.Fatalf("alloc: %v of pool %d", got, got.sizeClass())
	}
}

// TestUserFrames: "beginning with the frame that panicked".
func TestUserFrames(t *testing.T) {
	stack := strings.Join([]string{
		"goroutine 7 [running]:",
		"runtime/debug.Stack()", "\tstack.go:26",
		"github.com/gallop-go/gallop/sched.(*Worker).bringDown(...)", "\tcrash.go:1",
		"panic({0x1, 0x2})", "\tpanic.go:1", // the second panic, of a deferred function
		"main.cleanup()", "\tmain.go:9",
		"panic({0x1, 0x2})", "\tpanic.go:1", // the first
		"main.(*T).Method(0x0)", "\tmain.go:3",
		"github.com/gallop-go/gallop/actor.(*cell).runSegment(0x0)", "\trun.go:1",
	}, "\n")
	want := "main.(*T).Method(0x0)\n\tmain.go:3\n"
	if got := string(userFrames([]byte(stack))); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	stack = strings.Replace(stack, "(*cell).runSegment", "(*typeInSystem).RunTask", 1)
	if got := string(userFrames([]byte(stack))); got != want {
		t.Errorf("of a message by itself: %q, want %q", got, want)
	}
	if got := userFrames(nil); len(got) != 0 {
		t.Errorf("of no stack: %q", got)
	}
}

// TestUserFrame: "the first on the stack that belongs neither to Go's library nor to
// gallop".
func TestUserFrame(t *testing.T) {
	const mod = "github.com/gallop-go/gallop/"
	for want, stack := range map[string][]string{
		"main.f main.go:3":                        {mod + "actor.Yield[...](0x1)", "yield.go:23 +0x15", "main.f(0x1)", "main.go:3 +0x1"},
		"example.com/x/actor.F f.go:3":            {mod + "heap.check(...)", "slice.go:1", mod + "heap.MakeSlice[...](0x1)", "slice.go:2", "example.com/x/actor.F(...)", "f.go:3"},
		mod + "actor.(*body).strike faults.go:13": {mod + "actor.(*body).strike(0x1)", "faults.go:13", mod + "sched.(*Worker).run(0x1)", "worker.go:3", "created by " + mod + "sched.(*Worker).launch in goroutine 1", "worker.go:9"},
		mod + "group.helper group_test.go:3":      {mod + "group.Send(0x1)", "group.go:1", mod + "group.helper(0x1)", "group_test.go:3"},
		mod + "benchmarks/x.f f.go:3":             {mod + "actor.Yield(0x1)", "yield.go:1", mod + "benchmarks/x.f(0x1)", "f.go:3"},
		"":                                        {},
	} {
		text := ""
		for i, line := range stack {
			if i%2 == 1 {
				line = "\t/elsewhere/" + line
			}
			text += line + "\n"
		}
		if got := strings.Replace(userFrame([]byte(text)), "/elsewhere/", "", 1); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestUserFrame_Trimmed: -trimpath leaves import paths, and a module may have a name without
// a dot. What Go's library has now is in the list.
func TestUserFrame_Trimmed(t *testing.T) {
	for place, want := range map[string]bool{
		"runtime/panic.go:860 +0x1":            true,
		"internal/sync/mutex.go:3":             true,
		"mymodule/pkg/file.go:3":               false,
		"example.com/x/file.go:3":              false,
		"file.go:3":                            false,
		"runtimes/file.go:3":                   false,
		"command-line-arguments/main.go:3":     false,
		"github.com/gallop-go/gallop/x/x.go:3": false,
	} {
		if got := trimmedOfLibrary(place); got != want {
			t.Errorf("%s is of the library: %v", place, got)
		}
	}
	root := filepath.Join(build.Default.GOROOT, "src")
	folders, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range folders {
		if has, _ := filepath.Glob(filepath.Join(root, d.Name(), "*.go")); len(has) > 0 && d.Name() != "builtin" && d.Name() != "cmd" && !trimmedOfLibrary(d.Name()+"/x.go") {
			t.Errorf("%s is of Go's library", d.Name())
		}
	}
}

// TestLetterLog: "the first, the second, the fourth, the eighth and so on".
func TestLetterLog(t *testing.T) {
	var l letterLog
	var logged []uint64
	for range 20 {
		if n, ok := l.next(); ok {
			logged = append(logged, n)
		}
	}
	if want := []uint64{1, 2, 4, 8, 16}; !slices.Equal(logged, want) {
		t.Errorf("%v, want %v", logged, want)
	}
}
