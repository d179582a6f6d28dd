package actor

import (
	"context"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/heap"
)

// A librarian has a large magazine. With every message it replaces a few volumes, makes notes that
// it does not keep, and hands itself another note.
type librarian struct {
	rack   heap.Slice[heap.Ptr[kept]]
	handed heap.Ptr[kept]
	n      int
	// The place of the last volume, which is never replaced. It is only compared.
	at       any
	moves    int // of that volume
	most     int // bytes held
	mistakes int
}

var (
	librarianType = NewType[librarian]("librarian")
	librarianWork = Declare[heap.Ptr[kept]](librarianType, "work")
	librarianTell = DeclareAsk[struct{}, librarian](librarianType, "tell")
	_             = librarianType.Table(librarianWork.Handle((*librarian).work),
		librarianTell.Handle((*librarian).tell))
)

const libraryVolumes = 12_000 // half a megabyte with the magazine

// librarianDay is the number of messages that a librarian gets.
func librarianDay() int {
	if heap.Poisoned { // each message moves the whole heap
		return 20
	}
	return 150
}

func (l *librarian) work(c *Context, note heap.Ptr[kept]) {
	a := c.Heap()
	if l.n == 0 {
		l.rack = heap.MakeSlice[heap.Ptr[kept]](a, libraryVolumes)
		for i := range libraryVolumes {
			*l.rack.At(a, i) = volume(a, i)
		}
		note = volume(a, 0)
	}
	if note.Deref(a).v != l.n {
		l.mistakes++
	}
	for i := range 20 {
		at := (l.n*977 + i) % (libraryVolumes - 1)
		*l.rack.At(a, at) = volume(a, at)
	}
	heap.MakeSlice[byte](a, 30_000)
	if p := any((*l.rack.At(a, libraryVolumes-1)).Deref(a)); p != l.at {
		l.at, l.moves = p, l.moves+1
	}
	l.most = max(l.most, a.Stats().Reserved)
	if l.n++; l.n < librarianDay() {
		librarianWork.Send(c, Self[librarian](c), volume(a, l.n))
	}
}

// volume makes a kept that leads to another kept.
func volume(a *heap.Arena, v int) heap.Ptr[kept] {
	p, q := heap.New[kept](a), heap.New[kept](a)
	*q.Deref(a) = kept{v: -v}
	*p.Deref(a) = kept{q, v}
	return p
}

func (l *librarian) tell(c *Context, _ struct{}) (librarian, error) {
	a := c.Heap()
	for i, p := range l.rack.Deref(a) {
		if b := p.Deref(a); b.v != i || b.next.Deref(a).v != -i {
			return *l, fmt.Errorf("volume %d is %d and leads to %d", i, b.v, b.next.Deref(a).v)
		}
	}
	return *l, nil
}

// TestHeap_Generations: an actor with a large heap usually copies its young objects and leaves the
// others in place. Everything that it can reach is right, and it holds at most three times as much.
func TestHeap_Generations(t *testing.T) {
	sys := Start(WithWorkers(2))
	defer sys.Stop()
	l := librarianType.Spawn(sys, librarian{})
	librarianWork.Send(sys, l, heap.Ptr[kept]{})
	_ = sys.Wait(context.Background())
	got, err := librarianTell.Ask(context.Background(), l, struct{}{})
	if err != nil || got.n != librarianDay() || got.mistakes > 0 {
		t.Fatalf("%d messages, %d wrong; %v", got.n, got.mistakes, err)
	}
	if heap.Poisoned {
		return // and everything moved after every message
	}
	t.Logf("at most %d KiB, the last volume moved %d times", got.most>>10, got.moves)
	if got.most > 3<<20 { // of 5 MB that were made
		t.Errorf("%d bytes at most", got.most)
	}
	if got.moves > 5 {
		t.Errorf("what is old moved %d times", got.moves)
	}
}
