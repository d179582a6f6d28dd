package capability

// Immutable marks a type whose values may be sent: after the function that makes a value has
// returned, nothing writes to the value, or to the targets of its pointers. A package marks each of
// its own types once. The mark costs nothing:
//
//	type _ = capability.Immutable[*Config]
//
// The compiler checks the name, and a rename finds it. gallopvet believes it where the type is
// sent, in any package, and checks it where the type is declared: a write to a field outside of the
// functions that make the values is reported. Nothing checks it at run time.
type Immutable[T any] struct{}

// Shared marks a type whose values may be sent though several goroutines write to them: it has
// locks of its own, as a *sql.DB has. A package marks each of its own types once. The mark costs
// nothing:
//
//	type _ = capability.Shared[*Pool]
//
// gallopvet believes it in any package. Nothing checks it, at run time or before.
type Shared[T any] struct{}
