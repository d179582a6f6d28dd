package stacktext

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Both behave as their twins in package strings do.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.StringOf(rapid.SampledFrom([]rune("ab\n")))
		text, part := few.Draw(t, "text"), few.Filter(func(s string) bool { return s != "" }).Draw(t,
			"part")
		if got, want := Index(text, part), strings.Index(text, part); got != want {
			t.Errorf("Index(%q, %q) is %d, want %d", text, part, got, want)
		}
		before, behind := Cut(text, part)
		if first, last, _ := strings.Cut(text, part); before != first || behind != last {
			t.Errorf("Cut(%q, %q) is %q and %q, want %q and %q", text, part, before, behind, first, last)
		}
	})
}
