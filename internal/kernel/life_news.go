package kernel

// This file delivers the news of an end to the behaviour of a watcher, or of an actor that traps
// exits. The news is the last message of the actor that has ended: its earlier messages run before.
//
// The news itself comes ahead of the mail, by the system queue: it must reach actors in every
// state, and an actor that does not trap exits ends at once. If the receiver runs an ordinary
// behaviour for the news, it puts the news after its own mail:
//
//	the actor that ends                   the receiver
//	N1 its turns push its messages
//	N2 it ends, and pushes the news       N3 takes the news out of the system queue
//	   to the system queue     (RMW)      N4 pushes it to its own mailbox, or to its queue   (RMW)
//	                                      N5 runs its behaviour, if the news is still wanted
//
// N1 comes before N2, and N2 before N3, which sees the signal of N2. So at N4 all messages of N1
// are in the mailbox, or the turn that does N4 has taken them out. That holds for messages under a
// bias too, since a turn revokes the bias of another worker before N3.
//
// The mailbox of a receiver that drains is closed, and takes no news at N4. There the news waits in
// held, as late outcomes do, until the remaining mail has run.
//
// N4 leaves the monitor or link in the receiver's list: until N5 the receiver may call Unwatch and
// Unlink, and its life may end.
//
// Rejected: to push the news to the mailbox at N2. The actor that ends does not know which
// receivers trap exits, and would have to look into the state of a receiver that drains. Rejected
// as well: news by the mailbox for supervisors. A child sends its supervisor no messages that news
// could overtake, and a supervisor that is told early restarts the child early.

// queueNews is N4. It reports whether it has put the news after the mail, so that the news will be
// served again. If not, no mail is before the news, or the actor is at its end. Owner only, in a
// turn beside the mail.
func (a *Cell) queueNews(c *Turn, s Signal) bool {
	switch x := a.Cold; {
	case x.State != alive || x.gone:
		return false
	case x.drained:
		x.held.Add(NewSignal(c, s))
		return true
	}
	a.moveNewest(c)                // with a bound that drops the oldest, a message of N1 may be there
	c.pushMail(a, NewSignal(c, s)) // open: the actor is alive, and does not drain
	return true
}

// deliver runs a message that the runtime has made, at once: ahead of the mail, or in the place of
// the news in the mailbox. It does nothing if the actor is not alive: monitors and traps end with
// their life.
func deliver[M any](c *Turn, at *Cell, d *Descriptor, v M) {
	if at.MakeCold().State != alive {
		return
	}
	m := c.Node(d.Size)
	m.ID, m.From, m.Next = d.ID, 0, nil
	*PayloadOf[M](m) = v
	if c.Aside {
		at.runUrgent(c, at.Cold, m)
		return
	}
	c.Msg.ID = d.ID // for the reports, and for Stash
	c.Invoke(at, m)
	c.Recycle(m)
}
