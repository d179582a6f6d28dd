package actor

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/heap"
)

// A cargo is a message with a region and a blob.
type cargo struct {
	list heap.Region[kept]
	note heap.Parcel
}

// A porter gets cargoes, keeps them in its arena, and passes them on.
type porter struct {
	list heap.Ptr[kept]
	note heap.Blob
	old  *heap.Arena    // the arena of a region that the porter has moved away
	root heap.Ptr[kept] // and the root of that region: both must be dead
}

var (
	porterType  = NewType[porter]("porter")
	porterBuild = Declare[Ref[porter]](porterType, "build")
	porterGet   = Declare[cargo](porterType, "get")
	porterRead  = DeclareAsk[struct{}, string](porterType, "read")
	porterStale = DeclareAsk[struct{}, int](porterType, "stale")
	_           = porterType.Table(porterBuild.Handle((*porter).build),
		porterGet.Handle((*porter).get), porterRead.Handle((*porter).read),
		porterStale.Handle((*porter).stale))
)

const cargoNote = "a note that is longer than what is copied: it is shared, by count, until the " +
	"last one lets go"

func (p *porter) build(c *Context, to Ref[porter]) {
	r := heap.NewRegion[kept]()
	var top heap.Ptr[kept]
	for i := range 1000 {
		n := heap.New[kept](r.Arena())
		*n.Deref(r.Arena()) = kept{top, i}
		top = n
	}
	r.SetRoot(top)
	p.old, p.root = r.Arena(), top
	p.note = heap.NewBlob(c.Heap(), cargoNote)
	porterGet.Send(c, to, cargo{r.Move(), p.note.Pack(c.Heap())})
}

func (p *porter) get(c *Context, g cargo) {
	a := c.Heap()
	p.list, p.note = g.list.Join(a), g.note.Unpack(a)
}

func (p *porter) read(c *Context, _ struct{}) (string, error) {
	a, n := c.Heap(), 0
	for q := p.list; !q.IsZero(); q = q.Deref(a).next {
		n++
	}
	if n != 1000 {
		return "", errors.New("the list is not whole")
	}
	return strings.Clone(p.note.Deref(a)), nil
}

func (p *porter) stale(*Context, struct{}) (int, error) { return p.root.Deref(p.old).v, nil }

// TestHeap_RegionsAndBlobsMove: "A graph moves to another actor by pointer and joins its heap
// there; every handle the sender kept is dead and says so." Blobs are released with the last heap.
func TestHeap_RegionsAndBlobsMove(t *testing.T) {
	before := heap.Blobs().Live
	sys := Start(WithWorkers(2), WithHooks(Hooks{Panic: func(PanicReport) {}}))
	from, to := porterType.Spawn(sys, porter{}), porterType.Spawn(sys, porter{})
	porterBuild.Send(sys, from, to)
	_ = sys.Wait(context.Background())
	if got, err := porterRead.Ask(context.Background(), to, struct{}{}); got != cargoNote ||
		err != nil {
		t.Error(got, err)
	}
	if got := heap.Blobs().Live - before; got != 1 {
		t.Errorf("%d blobs for one note in two heaps", got)
	}
	if _, err := porterStale.Ask(context.Background(), from, struct{}{}); err == nil ||
		!strings.Contains(err.Error(), "dead handle") {
		t.Errorf("the sender's handle: %v", err)
	}
	Stop(sys, to)
	_ = sys.Wait(context.Background())
	if got := heap.Blobs().Live - before; got != 0 { // the sender has panicked by now
		t.Errorf("%d blobs are left", got)
	}
	sys.Stop()
}

// TestHeap_DeadLettersLetGo: "Freed when the message becomes a dead letter", with or without a
// reply.
func TestHeap_DeadLettersLetGo(t *testing.T) {
	before := heap.Blobs().Live
	seen := 0
	sys := Start(WithWorkers(1), WithHooks(Hooks{DeadLetter: func(l DeadLetter) {
		if g, ok := l.Message.(cargo); ok && g.note.Len() == len(cargoNote) &&
			g.list.Arena().Stats().Used > 0 {
			seen++ // here it is still alive
		}
	}}))
	defer sys.Stop()
	askType := NewType[int]("asked")
	ask := DeclareAsk[cargo, int](askType, "ask")
	askType.Table(ask.Handle(func(*int, *Context, cargo) (int, error) { return 0, nil }))
	to, asked := porterType.Spawn(sys, porter{}), askType.Spawn(sys, 0)
	Stop(sys, to)
	Stop(sys, asked)
	_ = sys.Wait(context.Background())
	var sent []cargo
	load := func() cargo {
		r := heap.NewRegion[kept]()
		r.SetRoot(heap.New[kept](r.Arena()))
		sent = append(sent, cargo{r, heap.NewParcel(cargoNote)})
		return sent[len(sent)-1]
	}
	porterGet.Send(sys, to, load())
	_, _ = ask.Ask(context.Background(), asked, load())
	if seen != 2 {
		t.Errorf("the hook saw %d cargoes", seen)
	}
	if got := heap.Blobs().Live - before; got != 0 {
		t.Errorf("%d blobs are left", got)
	}
	for _, g := range sent {
		if err := caught(func() { g.list.Arena() }); !errors.Is(err, heap.ErrRegionGone) {
			t.Errorf("a region in a dead letter: %v", err)
		}
	}
}

// caught returns the error that f panics with.
func caught(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// TestHeap_UnreachableActorsAreFreed: "Unreachable idle actors are collected with their heap,
// cycles included". The blobs that they held are released. Actors that can be reached stay.
func TestHeap_UnreachableActorsAreFreed(t *testing.T) {
	before := heap.Blobs().Live
	t.Cleanup(func() { BlobsAreCollected(t, before) })
	sys := Start(WithWorkers(2))
	defer sys.Stop()
	pairType := NewType[pair]("pair")
	meet := Declare[Ref[pair]](pairType, "meet")
	pairType.Table(meet.Handle(func(p *pair, c *Context, to Ref[pair]) {
		p.other, p.note = to, heap.NewBlob(c.Heap(), cargoNote)
	}))
	const pairs = 1000
	for range pairs {
		a, b := pairType.Spawn(sys, pair{}), pairType.Spawn(sys, pair{})
		meet.Send(sys, a, b)
		meet.Send(sys, b, a)
	}
	held, friend := pairType.Spawn(sys, pair{}), pairType.Spawn(sys, pair{})
	meet.Send(sys, held, friend)
	meet.Send(sys, friend, held)
	_ = sys.Wait(context.Background())
	if got := heap.Blobs().Live - before; got > 2*pairs+2 {
		t.Errorf("%d blobs", got)
	}
	for range 50 {
		meet.Send(sys, held, friend)
		meet.Send(sys, friend, held)
		_ = sys.Wait(context.Background())
	}
	for range 200 {
		if heap.Blobs().Live-before <= 102 {
			break
		}
		runtime.GC()
	}
	if got := heap.Blobs().Live - before; got > 102 || got < 2 {
		t.Errorf("%d blobs are alive; the reachable pair has up to 102", got)
	}
	runtime.KeepAlive(held)
	runtime.KeepAlive(friend)
}

type pair struct {
	other Ref[pair]
	note  heap.Blob
}
