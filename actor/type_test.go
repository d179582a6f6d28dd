package actor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/internal/kernel"
)

// TestType_NamesOfTheRuntime: "panics if the name is empty or taken". The runtime's own rows take
// no name.
func TestType_NamesOfTheRuntime(t *testing.T) {
	typ := NewType[int]("odd")
	for _, d := range append(kernel.OwnDescs, &kernel.Descriptor{Name: "(timer)"}) {
		if d.Name != "" {
			Declare[int](typ, d.Name)
		}
	}
}

// TestType_TooManyBehaviours: 65,530 behaviours are the most. The lower numbers belong to the
// runtime's own messages.
func TestType_TooManyBehaviours(t *testing.T) {
	typ := NewType[int]("big")
	b := Declare[int](typ, "first")
	for len(infoOf(typ).Decls) < kernel.UserIDs+kernel.MaxBehaviours-1 {
		infoOf(typ).Decls = append(infoOf(typ).Decls, kernel.AnyBehaviour(b).Descriptor())
	}
	Declare[int](typ, "last but one")
	defer func() {
		if v := fmt.Sprint(recover()); !strings.HasPrefix(v, "gallop: big.last") ||
			!strings.Contains(v, "65,530 behaviours") {
			t.Errorf("panic %q, want one about too many behaviours", v)
		}
	}()
	late := Declare[int](typ, "last")
	t.Errorf("behaviour %d was accepted", kernel.AnyBehaviour(late).Descriptor().ID)
}
