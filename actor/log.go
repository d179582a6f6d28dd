package actor

import (
	"log/slog"

	"github.com/gallop-go/gallop/internal/kernel"
)

// Who an actor is, for reports and logs: an actor of one type among thousands is
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
	// its supervisor has given it none.
	Path string
}

// String returns the type and the number, as in "socket#4".
func (n ActorName) String() string { return kernel.ActorName(n).String() }

// LogValue implements slog.LogValuer: a group with actor, which is the number, type and, if the
// actor has them, name and path, as the log of the system has them.
func (n ActorName) LogValue() slog.Value { return kernel.ActorName(n).LogValue() }
