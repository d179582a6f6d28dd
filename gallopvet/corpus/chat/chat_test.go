package chat

import (
	"context"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestChat: all who have joined are known.
func TestChat(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	s := ServerType.Spawn(sys, Server{})
	for _, name := range []string{"bob", "alice"} {
		Join(sys, s, name)
		Say.Send(sys, s, &Message{name, "hello"})
	}
	got, err := Who.Ask(context.Background(), s, struct{}{})
	if err != nil || !slices.Equal(got, []string{"alice", "bob"}) {
		t.Errorf("got %v, %v", got, err)
	}
}
