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
	if got := r.b.actorName().describe(); got != "session#1 (bob)" {
		t.Error(got)
	}
	child := typ.Spawn(sys, 0)
	child.b.supervised = true
	child.b.makeCold().path = "app/sessions/bob"
	if got := child.b.actorName().describe(); got != "session#2 (app/sessions/bob)" {
		t.Error(got)
	}
	if got := child.String(); got != "session#2" {
		t.Error(got)
	}
}
