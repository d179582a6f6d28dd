// Package model has the messages of a user.
package model

import "iter"

// Job hides what it shares.
type Job struct {
	ID   int
	Then func()
}

// Plain shares nothing.
type Plain struct {
	ID   int
	Name string
}

// Lazy is read when the receiver likes.
type Lazy struct {
	Name string
	Rows iter.Seq[int]
}

// Wrapped has a Job inside.
type Wrapped struct{ Jobs map[string]Job }

// Note has anything in it.
type Note struct {
	Key  string
	Body any
}
