package actor

import "fmt"

// This file says who an actor is, for reports and logs. An actor of one type among thousands is
// known by its number, by the name that it has registered, or by its place in a tree of
// supervisors.

// ActorName names an actor.
type ActorName struct {
	// Type is the name of the actor's type.
	Type string
	// ID is the actor's number, as [Ref.ID] returns it.
	ID uint64
	// Name is the first of the names that the actor has registered ([Context.Register],
	// [Type.SpawnNamed]); of an actor that has ended, the name that it had. "" if none.
	Name string
	// Path is the actor's place under its supervisor, as in "app/sessions/bob"; "" if
	// nobody has given it one ([Care]).
	Path string
}

// String returns the type and the number, as in "socket#4".
func (n ActorName) String() string { return fmt.Sprintf("%s#%d", n.Type, n.ID) }

// describe adds the path or, if there is none, the name, as in "socket#4 (app/sockets/4)".
func (n ActorName) describe() string {
	switch {
	case n.Path != "":
		return n.String() + " (" + n.Path + ")"
	case n.Name != "":
		return n.String() + " (" + n.Name + ")"
	}
	return n.String()
}

// attrs returns the keys and values of a log line that is about the actor.
func (n ActorName) attrs(more ...any) []any {
	args := []any{"actor", n.ID, "type", n.Type}
	if n.Name != "" {
		args = append(args, "name", n.Name)
	}
	if n.Path != "" {
		args = append(args, "path", n.Path)
	}
	return append(args, more...)
}

// actorName says who the actor is. It costs a look at a map. Any goroutine.
func (a *cell) actorName() ActorName {
	return ActorName{Type: a.typ().name, ID: a.id, Name: a.knownAs(), Path: a.path()}
}

// ownName is actorName for the owner, which also knows the name that the actor has just given back.
func (a *cell) ownName() ActorName {
	n := a.actorName()
	if n.Name == "" && a.cold != nil {
		n.Name = a.cold.lastName
	}
	return n
}

// knownAs returns the actor's first name. If the mailbox is closed, it is the name that the actor
// had: the cold state do not change any more. Any goroutine.
func (a *cell) knownAs() string {
	if name, ok := a.sys().names.of.Load(a); ok {
		return name.(string)
	}
	if a.box.closed() {
		return a.cold.lastName
	}
	return ""
}

// path returns the actor's place under its supervisor. The cold state of a supervised actor are
// made before anybody knows of it. Any goroutine.
func (a *cell) path() string {
	if !a.supervised {
		return ""
	}
	return a.cold.path
}
