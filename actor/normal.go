package actor

// NormalError is a reason for which an actor ends normally and which carries
// information: see [Normal].
type NormalError struct {
	// Info is the information.
	Info error
}

// Error implements error.
func (e *NormalError) Error() string { return "gallop: normal end: " + e.Info.Error() }

// Unwrap returns Info.
func (e *NormalError) Unwrap() error { return e.Info }

// Normal returns a reason for [Context.Exit] and [StopWith] that means a normal end and carries
// info, as {shutdown, Info} does in Erlang. [Down], [Exit], [Fallen] and [Join] deliver the reason,
// a *[NormalError], and ErrStopped wraps it. Nothing else happens: links do not end other actors
// for it, Care.Decide is not asked about it, and supervisors take it for a normal end. Normal(nil)
// is nil.
//
// Only the error that Normal returns is such a reason, not one that wraps it.
func Normal(info error) error {
	if info == nil {
		return nil
	}
	return &NormalError{info}
}

// IsNormal reports whether an actor that ends for reason ends normally: reason is nil,
// ErrShutdown, or what [Normal] has returned. It does not look at what a reason wraps:
// a panic, or an error about the end of another actor, may wrap each of these.
func IsNormal(reason error) bool { return reason == ErrShutdown || hasNoEffect(reason) }

// hasNoEffect reports whether the end of a linked actor for reason leaves the other side alone.
func hasNoEffect(reason error) bool {
	if reason == nil {
		return true
	}
	_, is := reason.(*NormalError)
	return is
}
