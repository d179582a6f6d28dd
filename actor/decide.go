package actor

// Decision is what becomes of a supervised actor that is about to fall: see [Care].
type Decision uint8

const (
	// DecideRestart suspends the actor. Its supervisor is told, and decides on [Restart]
	// or [Stop].
	DecideRestart Decision = iota
	// DecideResume lets the actor go on with its state as it is, and its mail, timers,
	// children, stash, and replies that were put off. The message over which it panicked is gone,
	// and its asker hears ErrPanicked. The panic is reported as usual. The supervisor is not told.
	// An actor that was not up, that has lost its arena to the panic of a collection, or that
	// leaves already has no state to go on with: for it this is DecideRestart.
	DecideResume
	// DecideStop ends the actor for good, with the reason of the fall, as StopWith would. Its supervisor is
	// told by a [Fallen] that is Final.
	DecideStop
	// DecideEscalate suspends the actor and asks its supervisor to fail for the same reason:
	// see [Fallen].
	DecideEscalate
)
