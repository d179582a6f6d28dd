package group

// orderedMap is a map that keeps its keys in the order of insertion. A removed key leaves a gap, so
// that a removal takes constant time; the gaps are closed when there are more of them than keys.
type orderedMap[K comparable, V any] struct {
	list  []entry[K, V]
	index map[K]int // index in the list
}

// entry is an element of an orderedMap, or a gap.
type entry[K comparable, V any] struct {
	key     K
	val     V
	present bool // false: a gap
}

func (om *orderedMap[K, V]) len() int { return len(om.index) }

// find returns the entry of a key; nil if there is none. It is valid until the next change.
func (om *orderedMap[K, V]) find(k K) *entry[K, V] {
	if i, there := om.index[k]; there {
		return &om.list[i]
	}
	return nil
}

// add appends a key that is not in the map.
func (om *orderedMap[K, V]) add(k K, v V) {
	if om.index == nil {
		om.index = map[K]int{}
	}
	om.index[k] = len(om.list)
	om.list = append(om.list, entry[K, V]{k, v, true})
}

// removeAt removes the key at i and leaves a gap.
func (om *orderedMap[K, V]) removeAt(i int) {
	delete(om.index, om.list[i].key)
	om.list[i] = entry[K, V]{}
}

// remove removes a key, and reports whether it was present.
func (om *orderedMap[K, V]) remove(k K) bool {
	i, there := om.index[k]
	if there {
		om.removeAt(i)
		om.compact()
	}
	return there
}

// removeIf removes the keys for which f returns true.
func (om *orderedMap[K, V]) removeIf(f func(k K) bool) {
	for i := range om.list {
		if om.list[i].present && f(om.list[i].key) {
			om.removeAt(i)
		}
	}
	om.compact()
}

// compact closes the gaps if there are more gaps than keys.
func (om *orderedMap[K, V]) compact() {
	if len(om.list) <= 2*len(om.index) {
		return
	}
	kept := 0
	for _, e := range om.list {
		if e.present {
			om.list[kept], om.index[e.key] = e, kept
			kept++
		}
	}
	clear(om.list[kept:])
	om.list = om.list[:kept]
}

// keys returns all keys in order, in a new slice; nil if there are none.
func (om *orderedMap[K, V]) keys() []K {
	if om.len() == 0 {
		return nil
	}
	all := make([]K, 0, om.len())
	for _, e := range om.list {
		if e.present {
			all = append(all, e.key)
		}
	}
	return all
}
