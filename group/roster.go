package group

// roster is a set in the order in which its keys came, each with a value. A key that goes leaves a
// gap behind, so its going costs the same however many there are; the gaps are closed when there
// are more of them than keys.
type roster[K comparable, V any] struct {
	list []entry[K, V]
	know map[K]int // where in the list
}

// entry is a place in a roster.
type entry[K comparable, V any] struct {
	key   K
	val   V
	there bool // it is no gap
}

func (r *roster[K, V]) len() int { return len(r.know) }

// find returns the entry of a key; nil if there is none. It is valid until the next change.
func (r *roster[K, V]) find(k K) *entry[K, V] {
	if i, there := r.know[k]; there {
		return &r.list[i]
	}
	return nil
}

// add adds a key that is not there.
func (r *roster[K, V]) add(k K, v V) {
	if r.know == nil {
		r.know = map[K]int{}
	}
	r.know[k] = len(r.list)
	r.list = append(r.list, entry[K, V]{k, v, true})
}

// drop removes the key at i and leaves a gap.
func (r *roster[K, V]) drop(i int) {
	delete(r.know, r.list[i].key)
	r.list[i] = entry[K, V]{}
}

// remove removes a key, and reports whether it was there.
func (r *roster[K, V]) remove(k K) bool {
	i, there := r.know[k]
	if there {
		r.drop(i)
		r.closeGaps()
	}
	return there
}

// dropIf removes the keys for which f reports true.
func (r *roster[K, V]) dropIf(f func(k K) bool) {
	for i := range r.list {
		if r.list[i].there && f(r.list[i].key) {
			r.drop(i)
		}
	}
	r.closeGaps()
}

// closeGaps closes the gaps if there are more gaps than keys.
func (r *roster[K, V]) closeGaps() {
	if len(r.list) <= 2*len(r.know) {
		return
	}
	kept := 0
	for _, e := range r.list {
		if e.there {
			r.list[kept], r.know[e.key] = e, kept
			kept++
		}
	}
	clear(r.list[kept:])
	r.list = r.list[:kept]
}

// keys returns all keys in their order, in a new slice; nil if there are none.
func (r *roster[K, V]) keys() []K {
	if r.len() == 0 {
		return nil
	}
	all := make([]K, 0, r.len())
	for _, e := range r.list {
		if e.there {
			all = append(all, e.key)
		}
	}
	return all
}
