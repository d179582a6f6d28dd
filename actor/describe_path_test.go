package actor

import "testing"

// TestActorName_Path: a supervised actor is described by its path, any other by its name.
func TestActorName_Path(t *testing.T) {
	sys := Start()
	defer sys.Stop()
	typ := NewType[int]("session")
	r, err := typ.SpawnNamed(sys, "bob", 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.target().ActorName().Describe(); got != "session#1 (bob)" {
		t.Error(got)
	}
	child := typ.Spawn(sys, 0)
	child.target().Supervised = true
	child.target().MakeCold().Path = "app/sessions/bob"
	if got := child.target().ActorName().Describe(); got != "session#2 (app/sessions/bob)" {
		t.Error(got)
	}
	if got := child.String(); got != "session#2" {
		t.Error(got)
	}
}
