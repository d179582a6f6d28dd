package supervise

// row is the children that have an actor, by age: a search tree in which the parent is the one
// with the higher rank, which is drawn, so that no order in which they come and go makes it deep.
//
// Rejected: to walk along the siblings from one to the next that has an actor. A hundred thousand
// that have ended lie between two that run, and each restart of the older one as a new actor took
// two milliseconds.
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

// after returns the oldest of those who are younger than a number says; nil if there is none.
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

// split takes a tree apart: those up to a number, and those above.
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

// rank is drawn by the number, not by chance: what a supervisor does is to be reproducible.
func (k *kid) rank() uint64 {
	x := k.no * 0x9e3779b97f4a7c15
	return (x ^ x>>32) * 0xbf58476d1ce4e5b9
}
