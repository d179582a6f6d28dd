package timerwheel

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// entryOf is an entry of the model.
type entryOf struct {
	number uint32
	at     uint64
}

// dumb is the model of a wheel: a list in the order of arrival.
type dumb struct {
	now  uint64
	list []entryOf
}

func (d *dumb) remove(e entryOf) {
	d.list = slices.DeleteFunc(d.list, func(o entryOf) bool { return o == e })
}

// earliest returns the entry with the earliest time: among several, the oldest.
func (d *dumb) earliest() (e entryOf, ok bool) {
	if len(d.list) == 0 {
		return e, false
	}
	return slices.MinFunc(d.list, func(a, b entryOf) int { return cmp.Compare(a.at, b.at) }), true
}

func (d *dumb) pop(now uint64) (number uint32, ok bool) {
	e, ok := d.earliest()
	if !ok || e.at > now {
		return 0, false
	}
	d.now = max(d.now, e.at)
	d.remove(e)
	return e.number, true
}

// twins are a wheel and its model.
type twins struct {
	w       Wheel
	d       dumb
	made    uint32
	free    []uint32        // numbers that the wheel has dropped
	removed map[uint32]bool // removed and not dropped
	now     uint64
}

func newTwins(now uint64) *twins { return &twins{removed: map[uint32]bool{}, now: now} }

func (p *twins) add(t *rapid.T, at uint64) {
	n := p.made
	if len(p.free) > 0 {
		n, p.free = p.free[0], p.free[1:]
	} else {
		p.made++
	}
	counts := p.w.Add(n, at)
	if counts < at || counts > max(at, p.now) {
		t.Fatalf("added for %d at %d, which counts as %d", at, p.now, counts)
	}
	p.d.list = append(p.d.list, entryOf{n, counts})
}

// remove removes an arbitrary entry.
func (p *twins) remove(t *rapid.T) {
	if len(p.d.list) > 0 {
		e := rapid.SampledFrom(p.d.list).Draw(t, "entry")
		p.w.Remove(e.number, e.at)
		p.d.remove(e)
		p.removed[e.number] = true
	}
}

// takeDropped checks the numbers that the wheel has dropped.
func (p *twins) takeDropped(t *rapid.T) {
	for _, n := range p.w.Dropped() {
		if !p.removed[n] {
			t.Fatalf("number %d was dropped and had not been removed", n)
		}
		delete(p.removed, n)
		p.free = append(p.free, n)
	}
	if len(p.removed) > len(p.d.list)+blockLength*levels*slots {
		t.Fatalf("%d removed are kept beside %d", len(p.removed), len(p.d.list))
	}
}

// delay draws the delay of an entry: all numbers of bits are equally likely.
func delay(t *rapid.T) uint64 {
	width := rapid.IntRange(0, 63).Draw(t, "bits")
	return rapid.Uint64Range(0, 1<<width).Draw(t, "delay")
}

// later is a time plus a delay, without wrapping around.
func later(at, d uint64) uint64 {
	if at+d < at {
		return math.MaxUint64
	}
	return at + d
}

// TestModel: the wheel returns numbers in the order of their times, ties in the
// order in which they were added, none too early and none too late. Next is no later than
// the earliest. A removed number is dropped once.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newTwins(rapid.SampledFrom([]uint64{0, 1, 255, 1 << 40, math.MaxUint64 - 1<<20}).Draw(t,
			"start"))
		t.Repeat(map[string]func(*rapid.T){
			"Add":  func(t *rapid.T) { p.add(t, later(p.now, delay(t))) },
			"Same": func(t *rapid.T) { p.addAgain(t) },
			"Many": func(t *rapid.T) {
				for range rapid.IntRange(1, 3*blockLength).Draw(t, "of one time") {
					p.addAgain(t)
				}
			},
			"Past":   func(t *rapid.T) { p.add(t, p.now-min(p.now, delay(t))) },
			"Remove": p.remove,
			"RemoveMany": func(t *rapid.T) {
				for range rapid.IntRange(1, 3*blockLength).Draw(t, "removed") {
					p.remove(t)
				}
			},
			"Pass":     func(t *rapid.T) { p.now = later(p.now, delay(t)); p.drain(t) },
			"PassNext": func(t *rapid.T) { p.toNext(t) },
			"PopOne":   func(t *rapid.T) { p.now = later(p.now, delay(t)); p.pop(t) },
			"":         p.check,
		})
		p.now = math.MaxUint64
		p.drain(t)
		p.takeDropped(t)
		if p.w.Len() != 0 || len(p.removed) != 0 {
			t.Fatalf("at the end of time %d are left, and %d removed ones", p.w.Len(), len(p.removed))
		}
	})
}

// addAgain adds an entry for a time that has one.
func (p *twins) addAgain(t *rapid.T) {
	if len(p.d.list) > 0 {
		p.add(t, rapid.SampledFrom(p.d.list).Draw(t, "entry").at)
	}
}

// toNext moves the time to just before Next, where nothing is due, and then to Next.
func (p *twins) toNext(t *rapid.T) {
	at, ok := p.w.Next()
	if !ok || at < p.now {
		return
	}
	if at > p.now {
		p.now = at - 1
		if n, ok := p.w.Pop(p.now); ok {
			t.Fatalf("number %d was due before Next", n)
		}
	}
	p.now = at
	p.drain(t)
}

func (p *twins) pop(t *rapid.T) bool {
	got, ok := p.w.Pop(p.now)
	want, has := p.d.pop(p.now)
	if got != want || ok != has {
		t.Fatalf("at %d: took %d, %v, want %d, %v", p.now, got, ok, want, has)
	}
	return ok
}

func (p *twins) drain(t *rapid.T) {
	for p.pop(t) {
	}
}

// check compares Len, Next and Dropped with the model.
func (p *twins) check(t *rapid.T) {
	if p.w.Len() != len(p.d.list) {
		t.Fatalf("%d entries, want %d", p.w.Len(), len(p.d.list))
	}
	at, ok := p.w.Next()
	e, has := p.d.earliest()
	if ok != has || ok && at > e.at {
		t.Fatalf("Next says %d, %v; the earliest is %v", at, ok, e)
	}
	p.takeDropped(t)
}

// TestNextIsExact: "the time of the earliest entry, or of an earlier one that was removed".
func TestNextIsExact(t *testing.T) {
	const far, near, late = 1, 2, 3_000_000_000
	var w Wheel
	w.Add(far, late)
	w.Add(near, late-1)
	if at, ok := w.Next(); !ok || at != late-1 {
		t.Fatalf("Next: %d, %v", at, ok)
	}
	w.Remove(near, late-1)
	if _, ok := w.Pop(late - 1); ok {
		t.Fatal("a removed entry was taken, or another one too early")
	}
	if at, _ := w.Next(); at != late {
		t.Fatalf("after a look the time is exact again: %d", at)
	}
	if n, ok := w.Pop(late); !ok || n != far {
		t.Fatal("not taken in time")
	}
}

// TestMovesDown: an entry moves at most once per level.
func TestMovesDown(t *testing.T) {
	const end, neighbour = 1, 2
	var w Wheel
	w.Add(end, math.MaxUint64)
	for n := levels - 1; n >= 0; n-- {
		if at, _ := w.where(math.MaxUint64); at != n || w.levels[n].slots[slots-1].count != 1 {
			t.Fatalf("it belongs on level %d, want %d", at, n)
		}
		if n > 0 { // a neighbour that is taken makes it move one level down
			at := w.Add(neighbour, math.MaxUint64>>(n*digit)<<(n*digit))
			if got, ok := w.Pop(at); !ok || got != neighbour {
				t.Fatal("the neighbour was not taken")
			}
		}
	}
	if n, ok := w.Pop(math.MaxUint64); !ok || n != end {
		t.Fatal("not taken at the end of time")
	}
}

// TestRemove_KeepsLittle: a removed entry leaves the wheel as soon as more than half of its slot is
// gone. An emptied wheel keeps only a few blocks.
func TestRemove_KeepsLittle(t *testing.T) {
	const n = 10_000
	var w Wheel
	for i := range uint32(n) {
		w.Add(i, 1<<30)
	}
	kept := 0
	for i := range uint32(n) {
		w.Remove(i, 1<<30)
		kept += 1 - len(w.Dropped())
		if kept > w.Len()+blockLength {
			t.Fatalf("%d removed are kept beside %d", kept, w.Len())
		}
	}
	if kept != 0 || w.freeCount > 2*keepBlocks {
		t.Fatalf("%d removed and %d blocks are kept by an empty wheel", kept, w.freeCount)
	}
}

// TestTheLastHasGone: when the last entry that was not removed is taken, the removed entries are
// dropped. Otherwise they would be found in the past, and move the wheel's time back.
func TestTheLastHasGone(t *testing.T) {
	var w Wheel
	w.Add(0, 7)
	w.Add(1, 7)
	w.Remove(1, 7)
	if n, ok := w.Pop(7); n != 0 || !ok {
		t.Fatalf("took %d, %v", n, ok)
	}
	if d := w.Dropped(); len(d) != 1 || d[0] != 1 {
		t.Errorf("dropped %v", d)
	}
}

// TestFreeBlocks: an emptied wheel keeps at least half of the blocks that it needed, or
// keepBlocks/2 if that is less, and at most 2*keepBlocks.
func TestFreeBlocks(t *testing.T) {
	var w Wheel
	at := uint64(0)
	for _, n := range []uint32{1, keepBlocks, 10 * keepBlocks, keepBlocks, 1} {
		for i := range n * blockLength { // a full block for each time
			w.Add(i, at+uint64(i/blockLength+1)<<digit)
		}
		at += uint64(n+1) << digit
		for range n * blockLength {
			if _, ok := w.Pop(at); !ok {
				t.Fatal("fewer than there were")
			}
		}
		if least := int(min(n, keepBlocks)) / 2; w.Len() != 0 || w.freeCount < least ||
			w.freeCount > 2*keepBlocks {
			t.Errorf("%d blocks are kept behind the entries of %d, want %d to %d", w.freeCount, n, least,
				2*keepBlocks)
		}
		free := 0
		for b := w.freeBlocks; b != nil; b = b.next {
			free++
		}
		if free != w.freeCount {
			t.Errorf("%d blocks are kept, and counted as %d", free, w.freeCount)
		}
	}
}
