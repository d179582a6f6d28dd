package heap

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// What an actor with much that lives pays for its collections, message by message, with
// generations and without: the figures of
// docs/decisions/0022-what-go-marks-and-the-young.md.

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

// keeping is an arena and what lives in it.
type keeping struct {
	a      Arena
	root   struct{ first, last Ptr[leafed] }
	chance *rand.Rand
}

// ways are what a message does besides its garbage, if any.
var ways = []struct {
	name string
	live []int // KiB
	do   func(k *keeping)
}{
	{"path", []int{256, 1024, 4096, 16384}, func(k *keeping) {
		litterNodes(&k.a, perMessage)
		k.walkDown(k.root.first)
	}},
	{"left half of the tree", []int{4096}, func(k *keeping) {
		litterNodes(&k.a, perMessage)
		k.walkDown(k.root.first.Deref(&k.a).left.Deref(&k.a).left.Deref(&k.a).left.Deref(&k.a).left)
	}},
	{"whole tree", []int{4096}, func(k *keeping) {
		litterNodes(&k.a, perMessage)
		k.sum(k.root.first)
	}},
	{"subtrees replaced", []int{4096}, func(k *keeping) {
		for range 16 {
			litterNodes(&k.a, perMessage/32)
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

// walkDown is a path to a leaf, with a write to each node.
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

// replace puts a new subtree in the place of one of 2^depth-1 nodes.
func (k *keeping) replace(p Ptr[leafed], depth int) {
	path := []Ptr[leafed]{p}
	for q := p.Deref(&k.a); !q.left.IsZero() && !q.right.IsZero(); q = p.Deref(&k.a) {
		if p = q.left; k.chance.IntN(2) == 0 {
			p = q.right
		}
		path = append(path, p)
	}
	at := path[max(0, len(path)-depth)].Deref(&k.a)
	at.left, at.right = growTree(&k.a, 1<<(depth-2)-1), growTree(&k.a, 1<<(depth-2)-1)
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

func BenchmarkGenerations(b *testing.B) {
	for _, w := range ways {
		for _, live := range w.live {
			for _, from := range []int{256 << 10, 1 << 40} {
				kind := "two"
				if from > 1<<30 {
					kind = "one"
				}
				b.Run(fmt.Sprintf("%s/%dKiB/%s", w.name, live, kind), func(b *testing.B) {
					generationsFrom = from
					defer func() { generationsFrom = 256 << 10 }()
					k := newKeeping(w.name, live)
					collections, whole, most := 0, 0, 0
					for b.Loop() {
						w.do(k)
						if k.a.Due() {
							most = max(most, k.a.reserved)
							k.a.BeginDue(RootAt(&k.root))
							if k.a.pages.gc.whole {
								whole++
							}
							k.a.Finish()
							collections++
						}
					}
					b.ReportMetric(float64(collections)/float64(b.N)*1000, "collections/1000")
					b.ReportMetric(float64(whole)/float64(b.N)*1000, "whole/1000")
					b.ReportMetric(float64(most>>10), "KiB")
				})
			}
		}
	}
}
