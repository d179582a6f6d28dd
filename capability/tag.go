package capability

// Tag is the identity of a value of type T. It can be compared, used as the key of a map and sent,
// and gives no access to the value. The zero Tag is no identity.
//
// A Tag keeps its value alive, so that no other value can get the same identity. But values of a T
// of size 0 may all have the same identity.
type Tag[T any] struct{ p *T }

// TagOf returns the identity of the value that p points to. No other T has this identity while the
// Tag exists, unless T has size 0. Any goroutine.
func TagOf[T any](p *T) Tag[T] { return Tag[T]{p} }

// Tag returns the identity of the value, which stays the same when the value is moved, taken or
// frozen. No other T has this identity, unless T has size 0. Tag panics with ErrGone if the value
// is gone. Owner only.
func (i Iso[T]) Tag() Tag[T] { return Tag[T]{i.mustHold("Tag").value} }

// Tag returns the identity of the value. No other T has this identity, unless T has size 0. Tag
// panics on the zero Val. Any goroutine.
func (v Val[T]) Tag() Tag[T] { return Tag[T]{v.mustHold("Tag").value} }

// IsZero reports whether t is the zero Tag.
func (t Tag[T]) IsZero() bool { return t.p == nil }

// Is reports whether t is the identity of the value that p points to. Any goroutine.
func (t Tag[T]) Is(p *T) bool { return t.p != nil && t.p == p }
