package invariant

// Failure is the value of a panic of Check, so that it is not taken for a panic of a
// behaviour, which ends one actor and no other: a Failure is the runtime's fault.
type Failure string

// Error implements error.
func (f Failure) Error() string { return string(f) }
