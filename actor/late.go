package actor

// lazy is a part of a system as its start and stop see it, so that a program that has no
// use for it does not link it. keeper is not embedded: its methods would be made anew.
type lazy struct{ impl lazySubsystem }

type lazySubsystem interface {
	stopAll()                      // the system begins to stop
	finish()                       // everything left over was terminated
	count(f func(of *cell, n int)) // what keeps the system from being quiescent, by actors
}

// ended ends what is in no queue: what bridges have in hand, what timers own, and actors
// under pressure. It is sched.Config.Stopped.
func (s *System) ended() {
	// Before anybody hears that the system has stopped; who injects them terminates them.
	s.stopList.wakeAll(s)
	for _, l := range [...]*lazy{s.bridges.Load(), s.timers.Load()} {
		if l != nil {
			l.impl.finish()
		}
	}
	s.deadlocks.end()
	s.blocked.stop()
}
