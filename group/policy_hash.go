package group

import (
	"cmp"
	"slices"
)

// Hash sends messages with the same key to the same member, as long as that member is in the pool.
// It panics if key is nil.
//
// The hashing is consistent: when a member joins or leaves, only the keys change their member that
// it takes over or leaves behind. An overloaded member still gets its messages, and so does one
// that waits for its restart: they queue for it, up to its bound, so that the messages of a key
// stay in order. A member that the pool has started keeps its keys when it is restarted or
// replaced.
func Hash[M any](key func(M) uint64) Policy[M] {
	if key == nil {
		panic("gallop: group: Hash with a nil function")
	}
	return Policy[M]{func() chooser[M] { return &hashRing[M]{key: key} }}
}

// virtualNodes is the number of virtual nodes of a member on the hash ring. The relative deviation
// of loads is about one over its square root.
const virtualNodes = 128

type hashRing[M any] struct {
	key   func(M) uint64
	nodes []*node // by member
	// that many nodes, from the first, have their virtual nodes on the ring
	placed int
	nextID uint64
	ring   []virtualNode // sorted by hash, of which no two are equal
	stale  bool          // members have changed since the last rebuild
}

// node is a member of the ring. Its index changes when others join and leave; its virtual nodes
// point to it and stay.
type node struct {
	index int // as of the last rebuild
	id    uint64
}

// noMember is the index of a node whose member was removed.
const noMember = -1

// virtualNode is a place of a member on the ring: keys between the virtual node before it and
// itself belong to the member.
type virtualNode struct {
	hash uint64
	node *node
}

func (h *hashRing[M]) choose(_ Members, m M) int { return h.at(h.key(m)) }

// at returns the index of the member for a key.
func (h *hashRing[M]) at(key uint64) int {
	if h.stale {
		h.rebuild()
	}
	at := mix(key)
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

// changed leaves the rebuild to the next message, so that many changes cost one rebuild.
func (h *hashRing[M]) changed(members int) {
	h.stale = true
	for len(h.nodes) < members {
		h.nodes = append(h.nodes, &node{id: h.nextID})
		h.nextID++
	}
}

// rebuild visits each virtual node once, and sorts only the nodes of new members.
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

// merge merges two sorted slices, backwards, into the first.
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
