package actor

// ended ends what is in no queue: what bridges have in hand, what timers own, and actors
// under pressure. It is sched.Config.Stopped.
func (s *System) ended() {
	// Before anybody hears that the system has stopped; who injects them terminates them.
	s.stopList.wakeAll(s)
	if b := s.bridges.Load(); b != nil {
		b.finish()
	}
	if t := s.timers.Load(); t != nil {
		t.finish()
	}
	s.deadlocks.end()
	s.blocked.stop()
}
