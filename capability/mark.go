package capability

// Immutable says that a type may be sent, since nothing writes to its values, or to what they point
// to, once the function that makes one has returned. A package says so of its own types, once, and
// without cost:
//
//	type _ = capability.Immutable[*Config]
//
// The compiler checks the name, and a rename finds it. gallopvet believes it where the type is
// sent, in any package, and checks it where the type is declared: a write to a field outside of the
// functions that make the values is reported. Nothing checks it at run time.
type Immutable[T any] struct{}

// Shared says that a type may be sent though several goroutines write to its values: it has locks
// of its own, as a *sql.DB has. A package says so of its own types, once, and without cost:
//
//	type _ = capability.Shared[*Pool]
//
// gallopvet believes it in any package. Nothing checks it, at run time or before.
type Shared[T any] struct{}
