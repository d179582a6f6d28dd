package supervise

// row is the children that have an actor, by age. It is a search tree in which a parent has a
// higher rank than those below it. Ranks are drawn, so that no order of coming and going makes it
// deep.
//
// Rejected: walking along the siblings to the next that has an actor. A hundred thousand that have
// ended lie between two that run, and each restart of the older one as a new actor took two
// milliseconds.
type row struct{ top *kid }

func (r *row) add(k *kid) {
	older, younger := split(r.top, k.no)
	r.top = join(join(older, k), younger)
}

func (r *row) remove(k *kid) {
	older, rest := split(r.top, k.no-1)
	_, younger := split(rest, k.no)
	k.left, k.right = nil, nil
	r.top = join(older, younger)
}

// after returns the oldest child with a number above no; nil if there is none.
func (r *row) after(no uint64) (found *kid) {
	for k := r.top; k != nil; {
		if k.no > no {
			found, k = k, k.left
		} else {
			k = k.right
		}
	}
	return found
}

// split takes a tree apart: the children with numbers up to no, and those above.
func split(k *kid, no uint64) (older, younger *kid) {
	switch {
	case k == nil:
		return nil, nil
	case k.no <= no:
		k.right, younger = split(k.right, no)
		return k, younger
	}
	older, k.left = split(k.left, no)
	return older, k
}

// join makes one tree of two.
func join(older, younger *kid) *kid {
	switch {
	case older == nil:
		return younger
	case younger == nil:
		return older
	case older.rank() > younger.rank():
		older.right = join(older.right, younger)
		return older
	}
	younger.left = join(older, younger.left)
	return younger
}

// rank is drawn from the number, not by chance: what a supervisor does must be reproducible.
func (k *kid) rank() uint64 {
	x := k.no * 0x9e3779b97f4a7c15
	return (x ^ x>>32) * 0xbf58476d1ce4e5b9
}
