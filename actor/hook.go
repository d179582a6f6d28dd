package actor

// loggerHook is the one hook whose crashes cannot be logged.
const loggerHook = "Logger"

// guard keeps a panic or a Goexit in a user's hook from doing harm. The hook has a goroutine of its
// own: nothing stops a Goexit, such as that of a test that fails in the hook, and the calling
// goroutine may be a worker. The caller waits for it.
func (s *System) guard(hook string, f func()) {
	s.sched.Lend(1)
	ended := make(chan any) // nothing: well
	go func() {
		var v any = "runtime.Goexit"
		defer func() {
			if r := recover(); r != nil {
				v = r
			}
			ended <- v
		}()
		f()
		v = nil
	}()
	if v := <-ended; v != nil && hook != loggerHook {
		s.log(func(l logSink) {
			l.fail("gallop: panic in a hook", "hook", hook, "value", v)
		})
	}
	s.sched.Lend(-1)
}
