package group

import (
	"cmp"
	"slices"
)

// Hash gives messages of the same key to the same member, as long as that member is in
// the pool. It panics if key is nil.
//
// The hashing is consistent: when a member comes or goes, the only keys that change
// their member are those that it takes over or leaves behind. An overloaded member is
// given its messages all the same, and so is one that is down until it is restarted: they
// wait for it, up to its bound, so that the messages of a key stay in order. A member that
// a pool has started itself keeps its keys when it is restarted or replaced.
func Hash[M any](key func(M) uint64) Policy[M] {
	if key == nil {
		panic("gallop: group: Hash with a nil function")
	}
	return Policy[M]{func() chooser[M] { return &hashRing[M]{key: key} }}
}

// points is how many places on the circle a member has. Loads differ by about one part in the
// square root of it.
const virtualNodes = 128

type hashRing[M any] struct {
	key   func(M) uint64
	nodes []*node // by member
	// so many of the seats, from the first, have their points on the circle
	placed int
	nextID uint64
	ring   []virtualNode // in the order of at, of which no two are equal
	stale  bool          // somebody has come or gone since the circle was arranged
}

// seat is a member. It moves as others come and go, but its points lead to it and stay as they are.
type node struct {
	index int // as of the last time that the circle was arranged
	id    uint64
}

// gone is the seat of nobody.
const noMember = -1

// point is a member's place: keys from the last point before it belong to it.
type virtualNode struct {
	hash uint64
	node *node
}

func (h *hashRing[M]) choose(_ Members, m M) int {
	if h.stale {
		h.rebuild()
	}
	at := mix(h.key(m))
	i, _ := slices.BinarySearchFunc(h.ring, at,
		func(p virtualNode, at uint64) int { return cmp.Compare(p.hash, at) })
	return h.ring[i%len(h.ring)].node.index
}

func (h *hashRing[M]) removed(i int) {
	h.nodes[i].index = noMember
	h.nodes = slices.Delete(h.nodes, i, i+1)
	if i < h.placed {
		h.placed--
	}
}

// changed leaves the circle to the next message: however many come or go before it, that costs no
// more than one does.
func (h *hashRing[M]) changed(members int) {
	h.stale = true
	for len(h.nodes) < members {
		h.nodes = append(h.nodes, &node{id: h.nextID})
		h.nextID++
	}
}

// arrange looks at each point once, and sorts the points of new members only.
func (h *hashRing[M]) rebuild() {
	h.stale = false
	h.ring = slices.DeleteFunc(h.ring, func(p virtualNode) bool { return p.node.index == noMember })
	for i, s := range h.nodes {
		s.index = i
	}
	var more []virtualNode
	for _, s := range h.nodes[h.placed:] {
		for p := range uint64(virtualNodes) {
			more = append(more, virtualNode{mix(s.id*virtualNodes + p + 1<<40), s})
		}
	}
	h.placed = len(h.nodes)
	slices.SortFunc(more, func(a, b virtualNode) int { return cmp.Compare(a.hash, b.hash) })
	h.ring = merge(h.ring, more)
}

// merge puts more points into a circle, from its end on. Both are in order.
func merge(circle, more []virtualNode) []virtualNode {
	left := len(circle)
	circle = append(circle, more...)
	for at := len(circle) - 1; len(more) > 0; at-- {
		last := more[len(more)-1]
		if left > 0 && circle[left-1].hash > last.hash {
			left--
			circle[at] = circle[left]
			continue
		}
		more = more[:len(more)-1]
		circle[at] = last
	}
	return circle
}

// mix spreads a number over all 64 bits: the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
