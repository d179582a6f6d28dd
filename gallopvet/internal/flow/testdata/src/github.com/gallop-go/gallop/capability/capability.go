// Package capability is what gallop's will be once it has marks.
package capability

// Immutable marks a type to which nothing writes after it is made.
type Immutable[T any] struct{}

// Shared marks a type that has locks of its own.
type Shared[T any] struct{}
