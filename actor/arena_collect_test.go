package actor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/kernel"
)

// A saver has a table of lists in its arena, and makes garbage with every message.
type saver struct {
	lists  heap.Map[int, heap.Ptr[kept]]
	inHand heap.Ptr[kept]
	hidden any // the collector does not see it
	got    int
}

func (k *saver) add(c *Context, v int) {
	a := c.Heap()
	head, _ := k.lists.Get(a, v%10)
	heap.MakeSlice[byte](a, 100)
	p := heap.New[kept](a)
	*p.Deref(a) = kept{head, v}
	k.lists.Put(a, v%10, p)
}

func (k *saver) sum(c *Context, _ struct{}) (s int, err error) {
	a := c.Heap()
	for _, head := range k.lists.All(a) {
		for p := head; !p.IsZero(); p = p.Deref(a).next {
			s += p.Deref(a).v
		}
	}
	return s, nil
}

// A handed is a handle in a message.
type handed struct {
	text string // beside a Go pointer
	p    heap.Ptr[kept]
}

func (k *saver) hand(c *Context, v int) {
	p := heap.New[kept](c.Heap())
	p.Deref(c.Heap()).v = v
	if v < 0 {
		k.hidden = p
	} else {
		saverTake.Send(c, Self[saver](c), handed{"kept", p})
	}
	litter(c)
}

// litter makes garbage until the arena is due.
func litter(c *Context) {
	for c.kernel().Then&kernel.MustCollect == 0 {
		heap.MakeSlice[byte](c.Heap(), 1000)
	}
}

// take makes garbage as well, so that there are collections while handed messages are in the part
// of the mailbox that the turn has taken over.
func (k *saver) take(c *Context, h handed) {
	k.got += h.p.Deref(c.Heap()).v
	litter(c)
}

func (k *saver) look(c *Context, _ struct{}) (int, error) {
	if p, ok := k.hidden.(heap.Ptr[kept]); ok {
		return p.Deref(c.Heap()).v, nil
	}
	return k.got, nil
}

var (
	saverType = NewType[saver]("saver")
	saverAdd  = Declare[int](saverType, "add")
	saverSum  = DeclareAsk[struct{}, int](saverType, "sum")
	saverHand = Declare[int](saverType, "hand")
	saverTake = Declare[handed](saverType, "take")
	saverLook = DeclareAsk[struct{}, int](saverType, "look")
	_         = saverType.Table(saverAdd.Handle((*saver).add), saverSum.Handle((*saver).sum),
		saverHand.Handle((*saver).hand),
		saverTake.Handle((*saver).take), saverLook.Handle((*saver).look))
)

// "The arena is collected between behaviours, when it has doubled": data that can be reached from
// the state stays, and garbage does not pile up.
func TestHeap_Collected(t *testing.T) {
	sys := Start(WithWorkers(3))
	defer sys.Stop()
	refs := []Ref[saver]{}
	for range 10 {
		refs = append(refs, saverType.Spawn(sys, saver{}))
	}
	each := 2000 // 120 bytes of garbage and 16 that stay
	if heap.Poisoned {
		each = 50 // and a collection for each of them
	}
	for v := range each {
		for _, r := range refs {
			saverAdd.Send(sys, r, v)
		}
	}
	for _, r := range refs {
		if got, err := saverSum.Ask(context.Background(), r, struct{}{}); got != each*(each-1)/2 ||
			err != nil {
			t.Fatal(got, err)
		}
	}
	_ = sys.Wait(context.Background())
	for _, r := range refs {
		if s := r.target().Arena.Stats(); s.Reserved > 200_000 {
			t.Errorf("%v holds %+v for %d bytes that live", r, s, each*16)
		}
	}
}

// "The roots are the handles in the actor's state and in the messages that the actor has sent to
// itself"; a handle that is kept elsewhere is dead.
func TestHeap_RootsInMessages(t *testing.T) {
	sys := Start(WithWorkers(1), WithHooks(Hooks{Panic: func(PanicReport) {}}))
	defer sys.Stop()
	r := saverType.Spawn(sys, saver{})
	for v := range 100 {
		saverHand.Send(sys, r, v)
	}
	_ = sys.Wait(context.Background())
	if got, err := saverLook.Ask(context.Background(), r, struct{}{}); got != 4950 || err != nil {
		t.Error(got, err)
	}
	saverHand.Send(sys, r, -1)
	if _, err := saverLook.Ask(context.Background(), r, struct{}{}); err == nil ||
		!strings.Contains(err.Error(), "dead handle") {
		t.Errorf("a handle behind an interface: %v", err)
	}
}

// A state that hides handles is refused when it asks for its heap.
func TestHeap_HiddenHandlesRefused(t *testing.T) {
	type hider struct{ m map[string]heap.String }
	hiderType := NewType[hider]("hider")
	use := DeclareAsk[struct{}, int](hiderType, "use")
	hiderType.Table(use.Handle(func(_ *hider, c *Context, _ struct{}) (int,
		error) {
		c.Heap()
		return 0, nil
	}))
	sys := Start(WithWorkers(1), WithHooks(Hooks{Panic: func(PanicReport) {}}))
	defer sys.Stop()
	_, err := use.Ask(context.Background(), hiderType.Spawn(sys, hider{}), struct{}{})
	if !errors.Is(err, ErrPanicked) || !strings.Contains(err.Error(),
		"gallop: heap: actor.hider keeps handles out of the collector's reach, behind m[]") {
		t.Error(err)
	}
}

// A tower is an actor with much memory.
type tower struct {
	rows          heap.Slice[heap.Ptr[[64]uint64]]
	during, tries int // turns during a collection, and at all
}

var (
	towerType  = NewType[tower]("tower")
	towerBuild = Declare[int](towerType, "build")
	towerPeek  = Declare[struct{}](towerType, "peek")
	towerCheck = DeclareAsk[struct{}, int](towerType, "check")
	_          = towerType.Table(towerBuild.Handle((*tower).build), towerPeek.Handle((*tower).peek),
		towerCheck.Handle((*tower).check))
)

func (w *tower) build(c *Context, n int) {
	a := c.Heap()
	w.rows = heap.MakeSlice[heap.Ptr[[64]uint64]](a, n)
	for i := range n {
		p := heap.New[[64]uint64](a)
		p.Deref(a)[63] = uint64(i)
		*w.rows.At(a, i) = p
	}
}

// peek runs again and again while the arena is being collected.
func (w *tower) peek(c *Context, _ struct{}) {
	if c.kernel().Self.Progress.IsCollecting() {
		w.during++
	}
	if w.tries++; c.kernel().Self.Progress.IsCollecting() || w.during == 0 && w.tries < 1000 {
		towerPeek.Send(c, Self[tower](c), struct{}{})
	}
}

func (w *tower) check(c *Context, _ struct{}) (int, error) {
	a := c.Heap()
	for i, p := range w.rows.Deref(a) {
		if v := p.Deref(a)[63]; v != uint64(i) {
			return w.during, fmt.Errorf("row %d has %d", i, v)
		}
	}
	return w.during, nil
}

// "After each step the actor goes to the end of the queue": its turns end, and begin again, many
// times before the collection of a large arena is done; and quiescence waits for that.
func TestHeap_CollectedInSteps(t *testing.T) {
	if heap.Poisoned {
		t.Skip("with poison, everything is collected whole") // so there are no steps
	}
	sys := Start(WithWorkers(1))
	defer sys.Stop()
	w := towerType.Spawn(sys, tower{})
	towerBuild.Send(sys, w, 20_000) // 10 MB
	towerPeek.Send(sys, w, struct{}{})
	// An earlier ask would go through all its rows at once.
	_ = sys.Wait(context.Background())
	if w.target().Progress.IsCollecting() || w.target().Arena.Collecting() {
		t.Error("quiescent in the middle of a collection")
	}
	if during, err := towerCheck.Ask(context.Background(), w, struct{}{}); during < 10 || err != nil {
		t.Errorf("it had %d turns during the collection of 10 MB; %v", during, err)
	}
	towerBuild.Send(sys, w, 20_000) // again, and now without messages that keep it awake
	_ = sys.Wait(context.Background())
	if w.target().Progress.IsCollecting() || w.target().Arena.Collecting() {
		t.Error("quiescent in the middle of a collection")
	}
}
