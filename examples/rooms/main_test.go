package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// TestDemo: the output in the README.
func TestDemo(t *testing.T) {
	var out strings.Builder
	if err := demo(&out); err != nil {
		t.Fatal(err)
	}
	const want = `ann has heard 10 of 10
bob has heard 10 of 10
eve has heard 1 of 10
9 dropped
`
	if out.String() != want {
		t.Errorf("it prints\n%s", &out)
	}
}

// TestChat_Falls: a supervisor restarts topic, registry and pool like other children. After a
// restart in place, a topic or pool keeps its subscribers and members; the registry keeps them even
// as a new actor.
func TestChat_Falls(t *testing.T) {
	sys := actor.Start(actor.WithDeterministic(1),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	defer sys.Stop()
	chat, err := NewChat(t.Context(), sys)
	if err != nil {
		t.Fatal(err)
	}
	enter := func(name string) {
		t.Helper()
		if err := chat.Enter("library", name, false); err != nil {
			t.Fatal(err)
		}
	}
	enter("ann")
	if err := chat.Say(t.Context(), "library", ""); !errors.Is(err, actor.ErrPanicked) {
		t.Errorf("nothing was said: %v", err)
	}
	for _, name := range []string{"people", "editors", "library"} {
		if _, err := supervise.RestartChild.Ask(t.Context(), chat.root.Ref, name); err != nil {
			t.Fatal(err)
		}
		if err := sys.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := chat.Say(t.Context(), "library", "still here"); err != nil {
			t.Fatalf("when %q has been restarted: %v", name, err)
		}
	}
	actor.Kill(sys, chat.people.Any())
	actor.Kill(sys, chat.editors.Any())
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	enter("bob")
	if err := chat.Say(t.Context(), "library", "still here"); err != nil {
		t.Fatal(err)
	}
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := chat.Members("library")
	if len(all) != 2 {
		t.Fatalf("there are %v", all)
	}
	for i, want := range []int{4, 1} {
		if name, n, err := chat.Heard(t.Context(), all[i]); err != nil || n != want {
			t.Errorf("%s has heard %d, %v; want %d", name, n, err, want)
		}
	}
}

// TestRun: the exit codes.
func TestRun(t *testing.T) {
	for args, want := range map[string]int{"": 0, "-h": 0, "-x": 2, "arg": 2} {
		if code := run(strings.Fields(args), io.Discard, io.Discard); code != want {
			t.Errorf("%q exits with %d, want %d", args, code, want)
		}
	}
}
