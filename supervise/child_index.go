package supervise

// childIndex finds, among the children that have an actor, the next younger one. It is a treap: a
// search tree by seq in which each node has a higher priority than the nodes below it. Priorities
// are hashes, so that no order of insertions and removals makes the tree deep.
//
// Rejected: walking along the siblings to the next one that has an actor. With a hundred thousand
// ended children between two that run, each restart of the older one as a new actor took two
// milliseconds.
type childIndex struct{ root *child }

func (r *childIndex) add(ch *child) {
	older, younger := split(r.root, ch.seq)
	r.root = join(join(older, ch), younger)
}

func (r *childIndex) remove(ch *child) {
	older, rest := split(r.root, ch.seq-1)
	_, younger := split(rest, ch.seq)
	ch.left, ch.right = nil, nil
	r.root = join(older, younger)
}

// after returns the oldest child whose seq is above no; nil if there is none.
func (r *childIndex) after(no uint64) (found *child) {
	for ch := r.root; ch != nil; {
		if ch.seq > no {
			found, ch = ch, ch.left
		} else {
			ch = ch.right
		}
	}
	return found
}

// split splits a tree: the children whose seq is at most no, and the others.
func split(ch *child, no uint64) (older, younger *child) {
	switch {
	case ch == nil:
		return nil, nil
	case ch.seq <= no:
		ch.right, younger = split(ch.right, no)
		return ch, younger
	}
	older, ch.left = split(ch.left, no)
	return older, ch
}

// join makes one tree of two.
func join(older, younger *child) *child {
	switch {
	case older == nil:
		return younger
	case younger == nil:
		return older
	case older.priority() > younger.priority():
		older.right = join(older.right, younger)
		return older
	}
	younger.left = join(older, younger.left)
	return younger
}

// priority is a hash of seq and not random, so that supervisors are reproducible.
func (ch *child) priority() uint64 {
	x := ch.seq * 0x9e3779b97f4a7c15
	return (x ^ x>>32) * 0xbf58476d1ce4e5b9
}
