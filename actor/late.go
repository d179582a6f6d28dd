package actor

// late is a part of a system as its start and stop see it, so that a program that has no
// use for it does not link it. keeper is not embedded: its methods would be made anew.
type late struct{ keeper lateKeeper }

type lateKeeper interface {
	stopAll()                      // the system begins to stop
	over()                         // everything left over was buried
	count(f func(of *body, n int)) // what keeps the system from being quiescent, by actors
}

// ended ends what is in no queue: what bridges have in hand, what timers own, and actors
// under pressure. It is sched.Config.Stopped.
func (s *System) ended() {
	s.wards.rouse(s) // before anybody hears that the system has stopped; who injects them buries them
	for _, l := range [...]*late{s.bridges.Load(), s.timers.Load()} {
		if l != nil {
			l.keeper.over()
		}
	}
	s.stalls.end()
}
