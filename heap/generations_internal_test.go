package heap

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The costs of collections for an actor with many live objects, for each message, with
// generations and without: the figures of docs/decisions/0014-a-heap-of-its-own.md.

const perMessage = 64 << 10

// leafed is a node of 32 bytes of a tree.
type leafed struct {
	value, weight uint64
	left, right   Ptr[leafed]
}

func growTree(a *Arena, n int) Ptr[leafed] {
	if n == 0 {
		return Ptr[leafed]{}
	}
	p := New[leafed](a)
	l, r := growTree(a, (n-1)/2), growTree(a, n-1-(n-1)/2)
	p.Deref(a).left, p.Deref(a).right = l, r
	return p
}

// litterNodes makes garbage.
func litterNodes(a *Arena, bytes int) {
	for range bytes / 32 {
		New[leafed](a).Deref(a).value = 1
	}
}

// keeping is an arena with the roots of its live objects.
type keeping struct {
	a      Arena
	root   struct{ first, last Ptr[leafed] }
	chance *rand.Rand
}

// ways are the kinds of messages. Most of them make garbage.
var ways = []struct {
	name string
	live []int // KiB
	do   func(k *keeping)
}{
	{"path", []int{256, 1024, 4096, 16384}, func(k *keeping) {
		litterNodes(&k.a, perMessage)
		k.walkDown(k.root.first)
	}},
	{"path in a sixteenth", []int{4096}, func(k *keeping) {
		litterNodes(&k.a, perMessage)
		k.walkDown(k.root.first.Deref(&k.a).left.Deref(&k.a).left.Deref(&k.a).left.Deref(&k.a).left)
	}},
	{"whole tree", []int{4096}, func(k *keeping) {
		litterNodes(&k.a, perMessage)
		k.sum(k.root.first)
	}},
	{"subtrees replaced", []int{4096}, func(k *keeping) {
		litterNodes(&k.a, perMessage/2)
		for range perMessage / 2 / 32 / 30 {
			k.replace(k.root.first, 5)
		}
	}},
	{"queue", []int{4096}, func(k *keeping) {
		for range perMessage / 32 {
			p := New[leafed](&k.a)
			k.root.last.Deref(&k.a).left = p
			k.root.last = p
			k.root.first = k.root.first.Deref(&k.a).left
		}
	}},
}

// walkDown follows a path to a leaf, and writes to each node.
func (k *keeping) walkDown(p Ptr[leafed]) {
	for !p.IsZero() {
		q := p.Deref(&k.a)
		q.weight++
		if p = q.left; k.chance.IntN(2) == 0 {
			p = q.right
		}
	}
}

func (k *keeping) sum(p Ptr[leafed]) uint64 {
	if p.IsZero() {
		return 0
	}
	q := p.Deref(&k.a)
	return q.weight + k.sum(q.left) + k.sum(q.right)
}

// replace replaces the 2^depth-2 nodes below a node near a leaf by new nodes.
func (k *keeping) replace(p Ptr[leafed], depth int) {
	path := []Ptr[leafed]{p}
	for q := p.Deref(&k.a); !q.left.IsZero() && !q.right.IsZero(); q = p.Deref(&k.a) {
		if p = q.left; k.chance.IntN(2) == 0 {
			p = q.right
		}
		path = append(path, p)
	}
	at := path[max(0, len(path)-depth)].Deref(&k.a)
	at.left, at.right = growTree(&k.a, 1<<(depth-1)-1), growTree(&k.a, 1<<(depth-1)-1)
}

func newKeeping(way string, live int) *keeping {
	k := &keeping{chance: rand.New(rand.NewPCG(1, 1))}
	k.a.Bind(new(Recycler))
	if way != "queue" {
		k.root.first = growTree(&k.a, live<<10/32)
	} else {
		k.root.first = New[leafed](&k.a)
		k.root.last = k.root.first
		for range live << 10 / 32 {
			p := New[leafed](&k.a)
			k.root.last.Deref(&k.a).left = p
			k.root.last = p
		}
	}
	k.a.Collect(RootAt(&k.root))
	return k
}

// BenchmarkGenerations runs messages, with the collections that they cause.
func BenchmarkGenerations(b *testing.B) {
	defer UsualGenerations()
	for _, w := range ways {
		for _, live := range w.live {
			for _, kind := range []string{"two", "one"} {
				b.Run(fmt.Sprintf("%s/%dKiB/%s", w.name, live, kind), func(b *testing.B) {
					if UsualGenerations(); kind == "one" {
						ForceGenerations(false)
					}
					newKeeping(w.name, live).bench(b, w.do)
				})
			}
		}
	}
}

// bench runs messages, and collects in steps as an actor does.
func (k *keeping) bench(b *testing.B, do func(k *keeping)) {
	collections, whole, most := 0, 0, 0
	var steps []time.Duration
	var spent time.Duration
	for b.Loop() {
		if do(k); !k.a.Due() {
			continue
		}
		collections++
		most = max(most, k.a.reserved)
		start := time.Now()
		if k.a.BeginDue(RootAt(&k.root)); k.a.pages.gc.whole {
			whole++
		}
		for done := false; !done; {
			done = k.a.Step(512 << 10)
			now := time.Now()
			steps = append(steps, now.Sub(start))
			spent += now.Sub(start)
			start = now
		}
	}
	slices.Sort(steps)
	b.ReportMetric(float64(spent.Microseconds())/float64(max(collections, 1)), "µs/collection")
	b.ReportMetric(float64(whole)/float64(max(collections, 1)), "whole/collection")
	b.ReportMetric(float64(most>>10), "KiB")
	if n := len(steps); n > 0 {
		b.ReportMetric(float64(steps[n*99/100].Microseconds()), "µs/step(p99)")
	}
}
