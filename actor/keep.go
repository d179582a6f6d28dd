package actor

// TypeKeep says what of the state survives when an actor of this type goes down to be
// restarted in its place (see [SpawnSupervised]). keep runs in the actor's turn, after
// OnStop. It is given the state, and what it leaves there is what the init of the next
// life finds. Without TypeKeep, that is the zero state.
//
// An actor that was ended by order is replaced by a new one, for which nothing was kept.
// What keep leaves must not refer to the actor's arena, nor to anything else that ends
// with a life, such as timers. If keep panics, nothing is kept. TypeKeep panics if keep
// is nil; NewType panics if its state is not an S.
func TypeKeep[S any](keep func(*S)) TypeOption {
	if keep == nil {
		panic("gallop: TypeKeep: a nil function")
	}
	return func(t *typeInfo) {
		if _, ok := t.state.(*S); !ok {
			panicMisuse("NewType: TypeKeep of another state than that of ", t.name)
		}
		t.keep = func(a *cell) { keepOf(keep, stateOf[S](a)) }
	}
}

// keepOf runs keep, and clears the state if that panics.
func keepOf[S any](keep func(*S), state *S) {
	done := false
	defer func() {
		if !done {
			_ = recover()
			clear1(state)
		}
	}()
	keep(state)
	done = true
}
