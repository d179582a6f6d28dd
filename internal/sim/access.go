package sim

// Functions that package actortest calls and package actor does not export. Package actor sets the
// variables when it is initialised. The types of package actor cannot be named here: a value of
// another type than the comments say panics.
var (
	// InTurn runs f, a func(*S, *actor.Context), in a turn of ref, an actor.Ref[S], in a simulated
	// system, and records the actions of f in t.
	InTurn func(t *Turn, ref, f any) error

	// Option returns an actor.Option: the system is deterministic, and driven by the hooks.
	Option func(h *Hooks) (option any)

	// CountsOf returns the counts of an *actor.System that is simulated.
	CountsOf func(sys any) Counts
)
