package process

// list has entries in the order in which they came. Each can be taken out at once. The lock of its
// owner guards it and its entries, but for their of.
type list[T any] struct {
	first, last *entry[T]
	n           int
}

// entry is a place in a list.
type entry[T any] struct {
	in         *list[T] // nil: it is in none
	next, prev *entry[T]
	of         T
}

// push appends e, which is in no list.
func (l *list[T]) push(e *entry[T]) {
	e.in, e.prev, e.next = l, l.last, nil
	if l.last == nil {
		l.first = e
	} else {
		l.last.next = e
	}
	l.last = e
	l.n++
}

// remove takes e out, and reports whether it was in the list.
func (l *list[T]) remove(e *entry[T]) bool {
	if e.in != l {
		return false
	}
	if e.prev == nil {
		l.first = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		l.last = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.in, e.prev, e.next = nil, nil, nil
	l.n--
	return true
}

// all returns the values of all entries.
func (l *list[T]) all() []T {
	if l.first == nil {
		return nil
	}
	all := make([]T, 0, l.n)
	for e := l.first; e != nil; e = e.next {
		all = append(all, e.of)
	}
	return all
}

// takeAll is all, and takes all of them out.
func (l *list[T]) takeAll() []T {
	all := l.all()
	for e := l.first; e != nil; e = l.first {
		l.remove(e)
	}
	return all
}
