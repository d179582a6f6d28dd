package actor

// extras is what few actors have. Owner only.
type extras struct {
	timers actorTimers
	names  []string
	ended  chan struct{} // closed when the actor ends; nil: nobody waits for it
}

// mine returns the actor's extras, made at the first call. Owner only.
func (b *body) mine() *extras {
	if b.extra == nil {
		b.extra = new(extras)
	}
	return b.extra
}

// dropExtras ends whatever ends with the actor. Names go first, and all of it goes
// before the mailbox is closed: whoever learns of the actor's end, by a dead letter,
// by ErrStopped or by a message, finds its names free. The caller owns the body.
func (b *body) dropExtras(r replier) {
	x := b.extra
	if x == nil {
		return
	}
	b.extra = nil
	b.sys.names.release(b, x.names)
	x.timers.end(r)
	if x.ended != nil {
		close(x.ended)
	}
}
