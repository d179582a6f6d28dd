package guard_test

import (
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/internal/guard"
)

// matches is an error whose methods Is and Unwrap call a function.
type matches struct{ is func() bool }

func (matches) Error() string   { return "matches" }
func (m matches) Is(error) bool { return m.is() }
func (m matches) Unwrap() error { m.is(); return nil }

// TestIs: Is returns although a method of the error panics or calls runtime.Goexit.
func TestIs(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"itself":         {io.EOF, true},
		"another":        {io.ErrNoProgress, false},
		"nil":            {nil, false},
		"wrapped":        {errors.Join(io.EOF), true},
		"Is says so":     {matches{func() bool { return true }}, true},
		"Is panics":      {matches{func() bool { panic("planted") }}, false},
		"Is ends":        {matches{func() bool { runtime.Goexit(); return true }}, false},
		"Is ends inside": {errors.Join(matches{func() bool { runtime.Goexit(); return true }}), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := guard.Is(c.err, io.EOF); got != c.want {
				t.Errorf("Is(%T, io.EOF) = %v, want %v", c.err, got, c.want)
			}
		})
	}
}
