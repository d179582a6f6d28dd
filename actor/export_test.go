package actor

// Muted tells whether an actor is parked, for tests.
func Muted[S any](r Ref[S]) bool { return r.b.debt.Parked() }

// OutsideRoom is how many messages from outside may wait for one actor.
const OutsideRoom = outsideRoom
