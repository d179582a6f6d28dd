//go:build gallop_explore

package mpsc

// For tests of package actor that explore.

// WindowOpen reports whether the worker is about to append.
func (b *Bias) WindowOpen() bool { return b.window.IsOpen() }

// AppendSlowly is Append, with a call of point between any two accesses of plain memory, so that
// the explorer lets other threads come there. alone reports that no other worker has changed the
// appended messages meanwhile.
func (b *Bias) AppendSlowly(q *Mailbox, in *Inbox, m *Message, point func()) (done, alone bool) {
	b.window.Open()
	defer b.window.Shut()
	if q.head.Load() != &b.mark {
		return false, true
	}
	point()
	last := in.appended
	point()
	alone = in.appended == last
	in.add(m)
	point()
	return true, alone
}
