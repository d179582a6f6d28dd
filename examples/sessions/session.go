package main

import (
	"fmt"
	"io"

	"github.com/gallop-go/gallop/actor"
)

// session is the state of one user. It needs no mutex.
type session struct {
	user  string
	lines []string
	out   io.Writer
}

// Say adds a line and returns the number of lines.
func (s *session) Say(_ *actor.Context, line string) (int, error) {
	if line == "boom" {
		panic("a bug that this line wakes")
	}
	s.lines = append(s.lines, line)
	return len(s.lines), nil
}

// Save runs when the session ends or fails.
func (s *session) Save(_ *actor.Context, why error) {
	fmt.Fprintf(s.out, "saved %d lines of %s\n", len(s.lines), s.user)
}

var (
	sessionType = actor.NewType[session]("session")
	say         = actor.DeclareAsk[string, int](sessionType, "say")
	_           = sessionType.Table(say.Handle((*session).Say)).OnStop((*session).Save)
)
