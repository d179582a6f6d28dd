package invariant

// Failure is what Check panics with, so that nobody takes it for a panic of a behaviour,
// which costs one actor its life and nobody else: what it tells of is the runtime's.
type Failure string

// Error implements error.
func (f Failure) Error() string { return string(f) }
