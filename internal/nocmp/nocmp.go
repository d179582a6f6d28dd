// Package nocmp keeps structures from being compared. Go's linker makes a function that
// compares two of a kind for every comparable type that reflection may come upon, and so for each
// part of a scheduler: some 300 bytes of every program, each.
package nocmp

// Field in a structure makes it incomparable. It takes no room, unless it is the last field.
type Field [0]func()
