package actor

import (
	"reflect"
	"testing"

	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/sched"
)

// TestMessage_HasPointers: the GC must scan payloads that lead to actors.
func TestMessage_HasPointers(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[Ref[int]](),
		reflect.TypeFor[request[struct{}, int]]()} {
		if !msg.HasPointers(typ) {
			t.Errorf("%v: no pointers", typ)
		}
	}
}

// words returns the size class of small payloads without pointers.
func words() *kernel.SizeClass {
	s, _ := msg.Of[uint64]()
	return s
}

// linkedOf returns how many of the nodes have a next one.
func linkedOf(nodes []*kernel.Message) (n int) {
	for _, m := range nodes {
		if m.Next != nil {
			n++
		}
	}
	return n
}

// chainOf makes a chain of n nodes.
func chainOf(p *kernel.SizeClass, owner uint16, n int) (nodes []*kernel.Message) {
	for i := range n {
		nodes = append(nodes, p.New(owner))
		if i > 0 {
			nodes[i-1].Next = nodes[i]
		}
	}
	return nodes
}

// TestPool_LetsGo: code that leaves nodes of a block to the GC unlinks them.
func TestPool_LetsGo(t *testing.T) {
	nodes := chainOf(words(), 0, 10)
	(&kernel.Turn{W: new(sched.Worker), Dry: true}).RecycleChain(nodes[0], nodes[9], 10)
	if n := linkedOf(nodes); n != 0 {
		t.Errorf("%d of 10 nodes are linked that were left to the GC", n)
	}
	nodes = chainOf(words(), 0, 10)
	a, c := &kernel.Cell{}, &kernel.Turn{}
	a.In.SetPending(nodes[0])
	for _, m := range nodes[:7] { // as runSegment does
		m.Next, c.Ran = c.Ran, m
	}
	c.Msg = nodes[7]
	if ran := kernel.AccountCrash(a, c); ran != 8 || a.In.Pending() != nodes[8] || c.Ran != nil {
		t.Errorf("%d ran", ran)
	}
	if n := linkedOf(nodes); n != 1 {
		t.Errorf("%d of 8 nodes that have run are linked", n-1)
	}
}

// TestSizeClass_LetsGoOfCaches: a worker whose system has stopped leaves its nodes to the size
// classes, its own nodes and those of other workers.
func TestSizeClass_LetsGoOfCaches(t *testing.T) {
	typ := NewType[struct{}]("holder of nodes")
	do := Declare[func(*Context)](typ, "do")
	typ.Table(do.Handle(func(_ *struct{}, c *Context, f func(*Context)) { f(c) }))
	for name, lengths := range map[string][]int{"few": {10},
		"many": {msg.ChainLength, msg.ChainLength, 10}} {
		t.Run(name, func(t *testing.T) {
			sys := Start(WithWorkers(1))
			var nodes []*kernel.Message
			do.Send(sys, typ.Spawn(sys, struct{}{}), func(c *Context) {
				for _, owner := range []uint16{c.kernel().Cache.Owner(), 5, msg.Outside} {
					for _, n := range lengths {
						more := chainOf(words(), owner, n)
						nodes = append(nodes, more...)
						c.kernel().RecycleChain(more[0], more[n-1], n)
					}
				}
			})
			if err := sys.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if linkedOf(nodes) == 0 {
				t.Fatal("nothing is linked in the cache")
			}
			sys.Stop()
			if n := linkedOf(nodes); n != 0 {
				t.Errorf("%d of %d nodes are linked behind the end of the worker", n, len(nodes))
			}
		})
	}
}

// crossings returns the number of messages that the worker has counted as coming from other
// workers.
func crossings(w *sched.Worker) uint64 {
	v := reflect.ValueOf(w).Elem().FieldByName("crossed")
	for v.Kind() == reflect.Struct {
		v = v.Field(v.NumField() - 1)
	}
	return v.Uint()
}

// TestPool_CrossingsAreReported: nodes of another worker are reported to the scheduler, whose
// governor uses the number. Nodes from outside are not reported.
func TestPool_CrossingsAreReported(t *testing.T) {
	c := &kernel.Turn{W: new(sched.Worker), Cache: msg.NewCache(1)}
	for _, owner := range []uint16{0, 1, msg.Outside, 2, 0} {
		c.Recycle(words().New(owner))
	}
	if n := crossings(c.W); n != 3 {
		t.Errorf("%d messages came from other workers, want 3", n)
	}
}

// lateDeclared says that the type of TestSizeClass_Late is declared.
var lateDeclared bool

// TestSizeClass_Late: a worker that was made before a type was declared handles messages of that
// type too.
func TestSizeClass_Late(t *testing.T) {
	c := &kernel.Turn{W: new(sched.Worker), Cache: msg.NewCache(0)}
	if !lateDeclared { // later runs in this process begin with an empty cache
		c.Cache.Grow()
	}
	lateDeclared = true
	type latecomer struct{ p *int }
	s, _ := msg.Of[latecomer]()
	if c.Cache.Covers(s.ID) {
		t.Fatalf("size class %d is not late", s.ID)
	}
	m := s.New(c.Cache.Owner())
	c.Recycle(m)
	if c.Alloc(s.ID) != m {
		t.Fatal("not recycled")
	}
	if got := c.Alloc(s.ID); got == m || got.SizeClass() != s.ID {
		t.Fatalf("alloc: %v of size class %d", got, got.SizeClass())
	}
}
