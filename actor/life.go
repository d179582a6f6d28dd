package actor

import "github.com/gallop-go/gallop/internal/kernel"

// OnStart sets a function that runs in every actor of the type before its first
// message, even an urgent one, and again when a supervised actor is restarted. If f
// returns an error, the actor ends for that reason. An actor with a start function runs
// once without being sent anything. OnStart returns t. It panics if f is nil, if there
// is a start function already, or after the first spawn.
//
// Call OnStart after [Type.Table], as in the example, or in an init function. Chained
// onto [NewType] it makes Go refuse the program (initialization cycle) once f names a
// behaviour of the type, as most do some day: the behaviour needs the type, and the
// type needs f.
func (t *Type[S]) OnStart(f func(*S, *Context) error) *Type[S] {
	i := infoOf(t).Made("OnStart").Unsealed("OnStart", f == nil, func(i *kernel.TypeInfo) bool {
		return i.OnStart != nil
	})
	i.OnStart = func(a *kernel.Cell, c *kernel.Turn) error { return f(kernel.StateOf[S](a), contextOf(c)) }
	return t
}

// OnStop sets a function that runs in every actor of the type after its last message,
// when its mailbox is closed and its children have ended. f is given the reason of the
// end: nil if the actor ended by itself, ErrShutdown if it was told to; [IsNormal] tells
// a normal end from a fault. f may send messages. OnStop returns t. It panics if f is
// nil, if there is a stop function already, or after the first spawn. Call it after
// [Type.Table], for the reason that [Type.OnStart] gives.
//
// f runs after a panic too, and finds the state as the panic left it. It also runs
// before a restart. It does not run in an actor that was killed, that has not been
// started or failed in OnStart, or whose system stops.
func (t *Type[S]) OnStop(f func(*S, *Context, error)) *Type[S] {
	i := infoOf(t).Made("OnStop").Unsealed("OnStop", f == nil, func(i *kernel.TypeInfo) bool {
		return i.OnStop != nil
	})
	i.OnStop = func(a *kernel.Cell, c *kernel.Turn, why error) { f(kernel.StateOf[S](a), contextOf(c), why) }
	return t
}

// WithKeep lets part of the state survive when an actor of this type goes down to be
// restarted in its place (see package supervise). keep runs in the actor's turn, after
// OnStop. It is given the state, and clears the parts that shall not survive. The init of
// the next life is given the result. Without WithKeep, init is given the zero state.
//
// An actor that was ended by order is replaced by a new one, for which nothing is kept.
// The kept state must not refer to the actor's arena, nor to anything else that ends
// with a life, such as timers. If keep panics, that is logged, and nothing is kept.
// WithKeep panics if keep is nil; NewType panics if its state is not an S.
func WithKeep[S any](keep func(*S)) TypeOption {
	if keep == nil {
		panic("gallop: WithKeep: a nil function")
	}
	return typeOption(func(t *kernel.TypeInfo) {
		if _, ok := t.State.(*S); !ok {
			kernel.PanicMisuse("NewType: WithKeep of another state than that of ", t.Name)
		}
		t.Keep = func(a *kernel.Cell) {
			state, kept := kernel.StateOf[S](a), false
			a.Sys().Guard("WithKeep", func() { keep(state); kept = true })
			if !kept {
				kernel.ClearValue(state)
			}
		}
	})
}
