package supervise_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// lateContext ends after it was asked a number of times whether it has ended.
type lateContext struct {
	context.Context
	cancel context.CancelFunc
	left   int
}

func (c *lateContext) Err() error {
	if c.left--; c.left == 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// TestTree_LineForEach: "String draws the tree with a line for each node", for any reasons.
func TestTree_LineForEach(t *testing.T) {
	n := supervise.Node{Name: "root", Type: "supervisor", State: supervise.Running,
		Supervises: true, Children: []supervise.Node{
			{Name: "a", Type: "toy", State: supervise.Stopped,
				Last: errors.Join(actor.ErrKilled, errors.New("and so"))},
			{Name: "b", Type: "toy", State: supervise.Running},
		}}
	equal(t, "the tree", n.String(),
		"root: supervisor, one_for_one, running\n├─ a: toy, stopped, killed; and so\n└─ b: toy, "+
			"running\n")
}

// TestText_OfReasons: nodes and events are printed with any reason, also with an error whose text
// panics.
func TestText_OfReasons(t *testing.T) {
	for want, reason := range map[string]error{
		"<nil>":            (*nilError)(nil),
		"whose text":       textOf(func() string { panic("no text") }),
		"one, and another": textOf(func() string { return "one, and another" }),
	} {
		for what, text := range map[string]string{
			"node":  supervise.Node{Name: "a", Last: reason}.String(),
			"event": supervise.Event{Path: "a", Reason: reason}.String(),
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s is %q, without %q", what, text, want)
			}
		}
	}
}

// textOf is an error whose text is that of a function.
type textOf func() string

func (f textOf) Error() string { return f() }

// TestTree_WholeOrError: "The errors are the errors of Ask": if the context ends at any moment,
// Tree returns its error. A tree without an error is complete.
func TestTree_WholeOrError(t *testing.T) {
	h := newHarness(t)
	h.run(supervise.Spec{Name: "root", Children: []supervise.Child{
		supervise.Spec{Name: "a", Children: h.workers("a1")},
		supervise.Spec{Name: "b",
			Children: []supervise.Child{supervise.Spec{Name: "c", Children: h.workers("c1")}}},
		supervise.Spec{Name: "d", Children: h.workers("d1")},
	}})
	whole := h.tree().String()
	for left := 1; ; left++ {
		ctx, cancel := context.WithCancel(h.soon())
		late := &lateContext{ctx, cancel, left}
		n, err := supervise.Tree(late, h.root)
		cancel()
		if err == nil {
			equal(t, "the tree", n.String(), whole)
		} else {
			wants(t, err, context.Canceled)
		}
		if late.left > 0 { // it is not asked more often
			return
		}
	}
}
