package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/supervise"
)

// User is a listener. One that does not read has room for two lines only.
type User struct {
	name  string
	deaf  bool
	heard int
}

func (u *User) hear(c *actor.Context, _ string) {
	if u.heard++; u.deaf {
		c.ApplyPressure() // its connection takes no more
	}
}

func (u *User) tell(*actor.Context, struct{}) (User, error) { return *u, nil }

// Editor corrects lines. It stands for work that is slow and may fail.
type Editor struct{}

func (*Editor) correct(_ *actor.Context, line string) (string, error) {
	if line == "" {
		panic("nothing to correct")
	}
	return strings.ToUpper(line[:1]) + line[1:] + ".", nil
}

var (
	userType = actor.NewType[User]("user")
	hear     = actor.Declare[string](userType, "hear")
	tell     = actor.DeclareAsk[struct{}, User](userType, "tell")
	_        = userType.Table(hear.Handle((*User).hear), tell.Handle((*User).tell))

	editorType = actor.NewType[Editor]("editor")
	correct    = actor.DeclareAsk[string, string](editorType, "correct")
	_          = editorType.Table(correct.Handle((*Editor).correct))
)

// Chat is a set of rooms, each a topic that drops lines for slow listeners, a registry of the
// members of each room, and a pool of editors that correct all lines.
type Chat struct {
	sys     *actor.System
	root    supervise.Supervisor
	rooms   map[string]group.Topic[string]
	people  group.Registry[string, actor.Ref[User]]
	editors group.AskPool[string, string]
}

// NewChat starts a chat with the room "library".
func NewChat(ctx context.Context, sys *actor.System) (*Chat, error) {
	library := group.NewTopic[string](group.WithLag(group.LagDrop))
	chat := &Chat{
		sys:    sys,
		rooms:  map[string]group.Topic[string]{"library": library},
		people: group.NewRegistry[string, actor.Ref[User]](),
		editors: group.NewAskPoolOf(group.LeastLoaded[string](), 3, correct,
			group.MemberSpec[Editor]{Type: editorType}),
	}
	var err error
	chat.root, err = supervise.StartWait(ctx, sys, supervise.Spec{Name: "chat",
		Children: []supervise.Child{chat.people.Child("people"), chat.editors.Child("editors"),
			library.Child("library")}})
	return chat, err
}

// Enter adds a user to a room.
func (chat *Chat) Enter(room, name string, deaf bool) error {
	topic, there := chat.rooms[room]
	if !there {
		return fmt.Errorf("no room %q", room)
	}
	u := userType.Spawn(chat.sys, User{name: name, deaf: deaf})
	chat.people.Join(chat.sys, room, u)
	topic.Subscribe(chat.sys, hear.To(u))
	return nil
}

// Say has a line corrected and publishes it in the room.
func (chat *Chat) Say(ctx context.Context, room, line string) error {
	line, err := chat.editors.Ask(ctx, line)
	if err != nil {
		return err
	}
	topic, there := chat.rooms[room]
	if !there {
		return fmt.Errorf("no room %q", room)
	}
	topic.Publish(chat.sys, line)
	return nil
}

// Members lists the members of a room.
func (chat *Chat) Members(room string) []actor.Ref[User] { return chat.people.Members(room) }

// Heard asks a user for its name and the number of lines that it got.
func (chat *Chat) Heard(ctx context.Context, u actor.Ref[User]) (string, int, error) {
	state, err := tell.Ask(ctx, u, struct{}{})
	return state.name, state.heard, err
}
