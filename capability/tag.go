package capability

// Tag is the identity of a value of type T: it can be compared, used as the key of a map
// and sent, and gives no access to anything. The zero value is no identity. A Tag keeps
// its value alive, so that no other can come to have the same; but values of a T of no
// size may all have the same.
type Tag[T any] struct{ p *T }

// TagOf returns the identity of what p points to. It is that of no other T as long as
// the Tag exists, unless T has no size. Any goroutine.
func TagOf[T any](p *T) Tag[T] { return Tag[T]{p} }

// Tag returns the identity of the value; it stays the same when the value is moved,
// taken or frozen. It is that of no other T, unless T has no size. It panics with ErrGone
// if the value is gone. Owner only.
func (i Iso[T]) Tag() Tag[T] { return Tag[T]{i.here("Tag").value} }

// Tag returns the identity of the value. It is that of no other T, unless T has no size.
// It panics on the zero Val. Any goroutine.
func (v Val[T]) Tag() Tag[T] { return Tag[T]{v.here("Tag").value} }

// IsZero tells whether t is no identity.
func (t Tag[T]) IsZero() bool { return t.p == nil }

// Is tells whether p points to the value whose identity t is. Any goroutine.
func (t Tag[T]) Is(p *T) bool { return t.p != nil && t.p == p }
