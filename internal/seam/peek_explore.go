//go:build gallop_explore

package seam

// Peek reads x for a check of invariants. It is no interleaving point. See the Peek of the plain
// build.
func Peek[T any](x interface{ peek() T }) T { return x.peek() }

func (x *Pointer[T]) peek() *T { return x.p.Load() }
func (x *Word[T]) peek() T     { return T(x.v.Load()) }
func (x *Bool) peek() bool     { return x.v.Load() }
func (f *Flag) peek() uint32   { return f.v.peek() }
