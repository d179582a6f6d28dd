package actor

// How the news of an end comes to the behaviour of a watcher, or of an actor that traps exits: as
// the last message of the one that has ended. So what that has sent before comes before it.
//
// The news itself comes ahead of the mail, by the system queue: it must reach actors in every state,
// and one that does not trap exits ends at once. An actor that is to run an ordinary behaviour for
// it puts it behind its own mail:
//
//	the one that ends                     the one that is told
//	N1 its turns push what it says
//	N2 it ends, and pushes the news       N3 takes the news out of the system queue
//	   to the system queue     (RMW)      N4 pushes it to its own mailbox, or to its queue   (RMW)
//	                                      N5 runs its behaviour, if the news is still wanted
//
// N1 comes before N2, and N2 before N3, which sees the signal of N2. So at N4 all messages of N1 are
// in the mailbox, or the turn that does N4 has taken them out. That holds for messages under a bias
// too, since a turn revokes the bias of another worker before N3.
//
// A mailbox that is closed, since the actor drains, takes nothing at N4. There the news waits in
// held, as late outcomes do, until the mail that is left has run.
//
// N4 does not take the actor off the list of its monitors, or of its links: until N5 it may call
// Unwatch and Unlink, and its life may end.
//
// Rejected: to push the news to the mailbox at N2. The one that ends does not know who traps exits,
// and would have to look into the state of an actor that drains. Rejected as well: news by the
// mailbox for supervisors. A child sends its supervisor no words that news could overtake; and the
// sooner a supervisor hears of a fall, the sooner the child is restarted.

// queueNews is N4. It reports whether it has put the news behind mail, from where it comes again. If
// not, no mail is before the news, or the actor is at its end. Owner only, in a turn beside the mail.
func (a *cell) queueNews(c *Context, s signal) bool {
	switch x := a.cold; {
	case x.state != alive || x.gone:
		return false
	case x.drained:
		x.held.Add(newSignal(c, s))
		return true
	}
	a.moveNewest(c)                // with a bound that drops the oldest, a message of N1 may be there
	c.pushMail(a, newSignal(c, s)) // open: the actor is alive, and does not drain
	return true
}

// deliver runs a message of the runtime's making at once: ahead of the mail, or in the place of the
// news in the mailbox. An actor that leaves hears no more: what it watched and trapped goes with its
// life.
func deliver[M any](c *Context, at *cell, d *descriptor, v M) {
	if at.makeCold().state != alive {
		return
	}
	m := c.node(d.size)
	m.ID, m.From, m.Next = d.id, 0, nil
	*payloadOf[M](m) = v
	if c.aside {
		at.runUrgent(c, at.cold, m)
		return
	}
	c.msg.ID = d.id // for the reports, and for Stash
	c.invoke(at, m)
	c.recycle(m)
}
