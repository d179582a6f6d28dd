package observe

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/supervise"
)

// nilError is an error whose text cannot be had of a nil pointer, the commonest slip with errors.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// evilError is an error whose Error method calls it.
type evilError func()

func (e evilError) Error() string { e(); return "" }

// misdeeds are errors whose Error method fails, with the text shown instead.
var misdeeds = map[string]struct {
	err  error
	want string
}{
	"nil":            {(*nilError)(nil), "<nil>"},
	"panic":          {evilError(func() { panic("no text") }), "a observe.evilError whose text panics"},
	"panic within":   {evilError(func() { panic(evilError(func() { panic(0) })) }), "whose text panics"},
	"runtime.Goexit": {evilError(runtime.Goexit), "a observe.evilError whose text calls runtime.Goexit"},
}

// end ends the system of a script, and waits until the page has seen it.
func (s *script) end(h *handler) {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	<-h.look.ended
}

// TestErrorsWithoutText: an error whose text panics is a line of the page, and ends neither the page
// nor the program.
func TestErrorsWithoutText(t *testing.T) {
	for name, m := range misdeeds {
		t.Run(name, func(t *testing.T) {
			src := crowd()
			tick := src.tick
			src.tick = func(n int) *sample {
				s := tick(n)
				child := supervise.Node{Name: "bob", Restarts: 9, Last: m.err}
				s.trees = []supervise.Node{{Name: "app", Children: []supervise.Node{child}}}
				s.panics = []inspect.Panic{{PanicReport: actor.PanicReport{Type: "bob", Value: m.err}}}
				return s
			}
			h := newHandler(src)
			for _, r := range h.routes() {
				w := ask(h, "GET", "/api/v1/"+r.name)
				if w.Code != http.StatusOK {
					t.Errorf("%s: %d %s", r.name, w.Code, w.Body)
				}
				if (r.name == "tree" || r.name == "panics") && !strings.Contains(
					strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(w.Body.String()), m.want) {
					t.Errorf("%s lacks %q: %s", r.name, m.want, w.Body)
				}
			}
			found := walkThrough(&restartLoop{}, 5, func(n int) *sample {
				s := restarts(n)
				s.trees[0].Children[0].Last = m.err
				return s
			})
			if text := found[4][0].says; !strings.Contains(text, m.want) {
				t.Errorf("the lint lacks %q: %s", m.want, text)
			}
			src.end(h)
		})
	}
}

// TestALookThatPanics: the goroutine that looks for the page survives any panic, with a line on the
// page.
func TestALookThatPanics(t *testing.T) {
	for name, misdeed := range map[string]func(){"panic": func() { panic("no sample") },
		"runtime.Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			src := &script{tick: func(int) *sample { misdeed(); return nil }}
			h := newHandler(src, WithRedact(func(_, _ string) string { panic("no secret") }))
			text := ask(h, "GET", "/api/v1/lints").Body.String()
			if !strings.Contains(text, "The sample of this page has panicked, and is left out") {
				t.Errorf("no line: %s", text)
			}
			src.end(h)
		})
	}
}

// blocked is a state that does not become JSON before it is released.
type blocked chan struct{}

func (b blocked) MarshalJSON() ([]byte, error) { <-b; return []byte("1"), nil }

// TestAStateThatBlocks: the methods by which a state becomes JSON cost the caller a
// moment, and no more.
func TestAStateThatBlocks(t *testing.T) {
	src := crowd()
	inBubble(t, src, nil, func(h *handler) {
		state := make(blocked)
		defer close(state)
		src.stateOf = func(context.Context, inspect.Actor) (inspect.Snapshot, error) {
			return inspect.Snapshot{Value: state}, nil
		}
		for _, want := range []string{"it has not come to it", "it cannot be shown: that takes longer than 1s"} {
			begin := time.Now()
			w := ask(h, "GET", "/api/v1/actor/7")
			if took := time.Since(begin); took > stateGrace || !strings.Contains(w.Body.String(), want) {
				t.Errorf("after %v: %s", took, w.Body)
			}
			pass(textTimeout)
		}
	})
}
