// Package nocmp keeps structures from being compared. For every comparable type that reflection
// may come upon, and so for each part of a scheduler, Go's linker adds a function that compares
// two values: some 300 bytes of every program, each.
package nocmp

// Field in a structure makes it incomparable. It takes no room, unless it is the last field.
type Field [0]func()
