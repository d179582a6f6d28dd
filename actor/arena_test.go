package actor

import (
	"context"
	"testing"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/kernel"
)

// A hoarder keeps a list in its arena.
type hoarder struct {
	top heap.Ptr[kept]
	n   int
}

type kept struct {
	next heap.Ptr[kept]
	v    int
}

func (h *hoarder) push(c *Context, v int) {
	a := c.Heap()
	p := heap.New[kept](a)
	*p.Deref(a) = kept{next: h.top, v: v}
	h.top = p
	h.n++
}

func (h *hoarder) sum(c *Context, _ struct{}) (s int, err error) {
	a := c.Heap()
	for p := h.top; !p.IsZero(); p = p.Deref(a).next {
		s += p.Deref(a).v
	}
	return s, nil
}

func (h *hoarder) Fail(*Context, struct{}) { panic("on purpose") }

var (
	hoarderType = NewType[hoarder]("hoarder")
	hoarderPush = Declare[int](hoarderType, "push")
	hoarderSum  = DeclareAsk[struct{}, int](hoarderType, "sum")
	hoarderFail = Declare[struct{}](hoarderType, "fail")
	_           = hoarderType.Table(hoarderPush.Handle((*hoarder).push),
		hoarderSum.Handle((*hoarder).sum), hoarderFail.Handle((*hoarder).Fail))
)

// "The first call makes the arena; it is freed as a whole when the actor ends", for every kind of
// end. Handles stay valid when the actor moves between workers.
func TestHeap_FreedWithItsActor(t *testing.T) {
	for name, end := range map[string]func(*System, Ref[hoarder]){
		"stopped":   func(s *System, r Ref[hoarder]) { Stop(s, r) },
		"panicked":  func(s *System, r Ref[hoarder]) { hoarderFail.Send(s, r, struct{}{}) },
		"abandoned": func(*System, Ref[hoarder]) {},
	} {
		t.Run(name, func(t *testing.T) {
			sys := Start(WithWorkers(3), WithHooks(Hooks{Panic: func(PanicReport) {}}))
			defer sys.Stop()
			const actors, each = 20, 1000
			refs := make([]Ref[hoarder], actors)
			for i := range refs {
				if refs[i] = hoarderType.Spawn(sys, hoarder{}); refs[i].target().Arena != nil {
					t.Fatal("an arena before the first use")
				}
			}
			for v := range each {
				for _, r := range refs {
					hoarderPush.Send(sys, r, v)
				}
			}
			for _, r := range refs {
				if got, err := hoarderSum.Ask(context.Background(), r, struct{}{}); got != each*(each-1)/2 ||
					err != nil {
					t.Fatal(got, err)
				}
			}
			_ = sys.Wait(context.Background()) // from here on no worker touches an actor
			arenas := make([]*heap.Arena, actors)
			for i, r := range refs {
				arenas[i] = r.target().Arena
				end(sys, r)
			}
			_ = sys.Wait(context.Background())
			for i, r := range refs {
				if name != "abandoned" && (r.target().Arena != nil || arenas[i].Stats().Reserved != 0) {
					t.Fatalf("%v: memory left: %+v", r, arenas[i].Stats())
				}
			}
		})
	}
}

// Chunks of actors that have ended are used again.
func TestHeap_Recycled(t *testing.T) {
	sys := Start(WithWorkers(1))
	defer sys.Stop()
	for range 100 {
		r := hoarderType.Spawn(sys, hoarder{})
		for v := range 100 {
			hoarderPush.Send(sys, r, v)
		}
		_ = sys.Wait(context.Background())
		Stop(sys, r)
	}
	_ = sys.Wait(context.Background())
	if s := sys.kernel().Sched.AllWorkers()[0].Local().(*kernel.Turn).Chunks.Stats(); s == (heap.RecyclerStats{}) {
		t.Errorf("nothing was recycled: %+v", s)
	}
}
