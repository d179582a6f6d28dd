package wheel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// dumb is a wheel without a thought: a list in the order of arrival.
type dumb struct {
	now  uint64
	list []*Entry[int]
	at   map[*Entry[int]]uint64
}

func (d *dumb) add(e *Entry[int], at uint64) {
	d.list = append(d.list, e)
	d.at[e] = max(at, d.now)
}

func (d *dumb) remove(e *Entry[int]) {
	d.list = slices.DeleteFunc(d.list, func(o *Entry[int]) bool { return o == e })
}

// earliest returns the entry to be taken first: among equals the oldest.
func (d *dumb) earliest() *Entry[int] {
	if len(d.list) == 0 {
		return nil
	}
	return slices.MinFunc(d.list, func(a, b *Entry[int]) int {
		switch {
		case d.at[a] < d.at[b]:
			return -1
		case d.at[a] > d.at[b]:
			return 1
		}
		return 0
	})
}

func (d *dumb) pop(now uint64) *Entry[int] {
	e := d.earliest()
	if e == nil || d.at[e] > now {
		return nil
	}
	d.now = max(d.now, d.at[e])
	d.remove(e)
	return e
}

// twins are a wheel and its dumb twin.
type twins struct {
	w    Wheel[int]
	d    dumb
	made int
	now  uint64
}

func newTwins(now uint64) *twins {
	return &twins{d: dumb{at: map[*Entry[int]]uint64{}}, now: now}
}

func (p *twins) add(at uint64) {
	e := &Entry[int]{Item: p.made}
	p.made++
	p.w.Add(e, at)
	p.d.add(e, at)
	p.d.at[e] = e.At() // a time that has gone by is as late as the wheel says, and no later than now
}

// delay draws how far away an entry is: any number of bytes is as likely.
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

// TestModel: the wheel gives out entries in the order of their times, ties in the
// order in which they were added, none too early and none too late; and Next is no
// later than the earliest.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newTwins(rapid.SampledFrom([]uint64{0, 1, 255, 1 << 40, math.MaxUint64 - 1<<20}).Draw(t, "start"))
		t.Repeat(map[string]func(*rapid.T){
			"Add":  func(t *rapid.T) { p.add(later(p.now, delay(t))) },
			"Same": func(t *rapid.T) { p.addAgain(t) },
			"Past": func(t *rapid.T) { p.add(p.now - min(p.now, delay(t))) },
			"Remove": func(t *rapid.T) {
				if len(p.d.list) > 0 {
					e := rapid.SampledFrom(p.d.list).Draw(t, "entry")
					p.w.Remove(e)
					p.d.remove(e)
				}
			},
			"Pass":     func(t *rapid.T) { p.now = later(p.now, delay(t)); p.drain(t) },
			"PassNext": func(t *rapid.T) { p.toNext(t) },
			"PopOne":   func(t *rapid.T) { p.now = later(p.now, delay(t)); p.pop(t) },
			"":         p.check,
		})
		p.now = math.MaxUint64
		p.drain(t)
		if p.w.Len() != 0 {
			t.Fatalf("%d entries are left at the end of time", p.w.Len())
		}
	})
}

// addAgain adds an entry for a time that has one.
func (p *twins) addAgain(t *rapid.T) {
	if len(p.d.list) > 0 {
		p.add(rapid.SampledFrom(p.d.list).Draw(t, "entry").At())
	}
}

// toNext goes to just before what Next says, where nothing is due, and then there.
func (p *twins) toNext(t *rapid.T) {
	at, ok := p.w.Next()
	if !ok || at < p.now {
		return
	}
	if at > p.now {
		p.now = at - 1
		if e := p.w.Pop(p.now); e != nil {
			t.Fatalf("entry %d was due before Next", e.Item)
		}
	}
	p.now = at
	p.drain(t)
}

func (p *twins) pop(t *rapid.T) (ok bool) {
	got, want := p.w.Pop(p.now), p.d.pop(p.now)
	if got != want {
		t.Fatalf("at %d: took %v, want %v", p.now, show(got), show(want))
	}
	return got != nil
}

func show(e *Entry[int]) string {
	if e == nil {
		return "none"
	}
	return fmt.Sprintf("entry %d of %d", e.Item, e.at)
}

func (p *twins) drain(t *rapid.T) {
	for p.pop(t) {
	}
}

// check compares what can be seen.
func (p *twins) check(t *rapid.T) {
	if p.w.Len() != len(p.d.list) {
		t.Fatalf("%d entries, want %d", p.w.Len(), len(p.d.list))
	}
	at, ok := p.w.Next()
	e := p.d.earliest()
	if ok != (e != nil) || ok && at > e.At() {
		t.Fatalf("Next says %d, %v; the earliest is %v", at, ok, show(e))
	}
	for _, e := range p.d.list {
		if !e.In() {
			t.Fatalf("entry %d is lost", e.Item)
		}
	}
}

// TestNextIsExact: "that of the earliest, unless one that was earlier has been
// removed".
func TestNextIsExact(t *testing.T) {
	var w Wheel[int]
	var far, near Entry[int]
	w.Add(&far, 3_000_000_000)
	w.Add(&near, 2_999_999_999)
	if at, ok := w.Next(); !ok || at != 2_999_999_999 {
		t.Fatalf("Next: %d, %v", at, ok)
	}
	w.Remove(&near)
	if near.In() || !far.In() || w.Pop(2_999_999_999) != nil {
		t.Fatal("a removed entry was taken, or another one too early")
	}
	if at, _ := w.Next(); at != 3_000_000_000 {
		t.Fatalf("after a look the time is exact again: %d", at)
	}
	if w.Pop(3_000_000_000) != &far {
		t.Fatal("not taken in time")
	}
}

// TestMovesDown: an entry moves at most once per level.
func TestMovesDown(t *testing.T) {
	var w Wheel[int]
	var e Entry[int]
	w.Add(&e, math.MaxUint64)
	for n := levels - 1; n >= 0; n-- {
		if int(e.level) != n {
			t.Fatalf("on level %d, want %d", e.level, n)
		}
		if n > 0 { // a neighbour that is taken makes it move one level down
			var o Entry[int]
			w.Add(&o, math.MaxUint64>>(n*digit)<<(n*digit))
			if w.Pop(o.At()) != &o {
				t.Fatal("the neighbour was not taken")
			}
		}
	}
	if w.Pop(math.MaxUint64) != &e {
		t.Fatal("not taken at the end of time")
	}
}
