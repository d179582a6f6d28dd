package msg

import "github.com/gallop-go/gallop/internal/invariant"

// List is a queue of messages that are linked by Next. Its owner only. The zero value is empty.
type List struct{ First, Last *Message }

// Add appends m, or the chain that begins with it. m may be nil.
func (l *List) Add(m *Message) {
	if m == nil {
		return
	}
	if invariant.On {
		verifyList(l)
	}
	if l.First == nil {
		l.First = m
	} else {
		l.Last.Next = m
	}
	for m.Next != nil {
		m = m.Next
	}
	l.Last = m
}

// Pop removes and returns the oldest message, or returns nil if the list is empty.
func (l *List) Pop() *Message {
	m := l.First
	if m == nil {
		return nil
	}
	if l.First, m.Next = m.Next, nil; l.First == nil {
		// Last would keep the memory of m alive, which the list no longer owns.
		l.Last = nil
	}
	return m
}

// PutBack makes m the oldest message.
func (l *List) PutBack(m *Message) {
	if invariant.On {
		verifyList(l)
	}
	if m.Next = l.First; l.First == nil {
		l.Last = m
	}
	l.First = m
}

// Append moves all messages of o to the end of l, in constant time.
func (l *List) Append(o *List) {
	switch {
	case o.First == nil:
		return
	case l.First == nil:
		l.First = o.First
	default:
		l.Last.Next = o.First
	}
	l.Last = o.Last
	*o = List{}
	if invariant.On {
		verifyList(l)
	}
}

// Before puts the messages of l before the chain m, in constant time, and returns the whole chain.
// It empties the list.
func (l *List) Before(m *Message) (chain *Message) {
	if l.First == nil {
		return m
	}
	l.Last.Next = m
	return l.All()
}

// All empties the list and returns it as a chain.
func (l *List) All() *Message {
	m := l.First
	*l = List{}
	return m
}

// Concat appends chain b to chain a.
func Concat(a, b *Message) *Message {
	if a == nil {
		return b
	}
	m := a
	for m.Next != nil {
		m = m.Next
	}
	m.Next = b
	return a
}

// Reversed reverses the chain from m to end, exclusive.
func Reversed(m, end *Message) (first *Message) {
	for m != end {
		m.Next, first, m = first, m, m.Next
	}
	return first
}

// Distance returns the number of messages from m to end, exclusive.
func Distance(m, end *Message) (n int) {
	for ; m != end; m = m.Next {
		n++
	}
	return n
}

// Unlink removes the links of the first n messages of a chain. Code that leaves nodes of a block to
// the GC must call it: the link of a dead node would keep the block of the next one alive.
// size_class.go says more.
func Unlink(first *Message, n int) {
	for ; n > 0; n-- {
		m := first
		first, m.Next = m.Next, nil
	}
}
