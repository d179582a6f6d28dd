package inspect

import "slices"

// topKeys is the number of keys counted at a time.
const topKeys = 256

// topK counts the most frequent keys of a stream: Space-Saving, by Metwally, Agrawal and El Abbadi
// (2005). A key with more than 1/256 of the stream is always counted, and no count is too low. Keys
// are sorted by their counts, so that a counted key moves by a few places. The zero topK is empty.
type topK[K comparable] struct {
	counted []keyCount[K] // the most frequent first
	at      map[K]int
}

type keyCount[K comparable] struct {
	of         K
	n, tooMany uint64
}

// add counts a key.
func (t *topK[K]) add(k K) {
	if t.at == nil {
		t.at = make(map[K]int, topKeys)
	}
	i, ok := t.at[k]
	switch {
	case ok:
	case len(t.counted) < topKeys:
		i = len(t.counted)
		t.counted = append(t.counted, keyCount[K]{of: k})
	default: // replaces the rarest key
		i = topKeys - 1
		rarest := &t.counted[i]
		delete(t.at, rarest.of)
		rarest.of, rarest.tooMany = k, rarest.n
	}
	t.counted[i].n++
	t.at[k] = i
	// Move the entry to the first place among entries with the same count as before.
	n := t.counted[i].n
	first, _ := slices.BinarySearchFunc(t.counted[:i], n, func(e keyCount[K], n uint64) int {
		if e.n >= n {
			return -1
		}
		return 1
	})
	if first != i {
		t.counted[first], t.counted[i] = t.counted[i], t.counted[first]
		t.at[t.counted[i].of], t.at[k] = i, first
	}
}
