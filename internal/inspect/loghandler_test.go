package inspect_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/slogtest"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// plain is a handler without time and level.
func plain(to *bytes.Buffer) slog.Handler {
	return slog.NewTextHandler(to, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		},
	})
}

// TestLogHandler: it "adds to each record who logs", if the context is that of a behaviour or of a
// Pipe, or derived from it.
func TestLogHandler(t *testing.T) {
	var out bytes.Buffer
	l := slog.New(inspect.LogHandler(plain(&out)))
	sys := start(t, actor.WithWorkers(1), actor.WithLogger(l))
	r, err := dollType.SpawnNamed(sys, "bob", doll{})
	if err != nil {
		t.Fatal(err)
	}
	type key struct{}
	in(t, r, func(_ *doll, c *actor.Context) {
		ctx := c.Context()
		l.Info("no context")
		l.InfoContext(context.Background(), "another context")
		l.InfoContext(ctx, "context", "n", 1)
		l.With("n", 2).InfoContext(context.WithValue(ctx, key{}, 1), "derived")
		l.WithGroup("g").InfoContext(ctx, "group")
		c.Logger().InfoContext(ctx, "own")
		l.Info("ref", "to", r, "any", r.Any(), "none", actor.AnyRef{})
	})
	who := fmt.Sprintf("actor=%d type=doll name=bob", r.ID())
	in := strings.NewReplacer("actor=", "g.actor=", "type=", "g.type=", "name=", "g.name=").Replace
	to := strings.NewReplacer("actor=", "to.actor=", "type=", "to.type=", "name=", "to.name=").Replace
	equal(t, "the log", out.String(), strings.Join([]string{
		`msg="no context"`, `msg="another context"`, "msg=context n=1 " + who,
		"msg=derived n=2 " + who, "msg=group " + in(who), "msg=own " + who,
		"msg=ref " + to(who) + " " + strings.ReplaceAll(to(who), "to.", "any.") + " none=none", "",
	}, "\n"))
}

// TestLogHandler_Pipe: the function of a Pipe logs for its actor, and an actor that got a context
// from another for itself.
func TestLogHandler_Pipe(t *testing.T) {
	var out bytes.Buffer
	l := slog.New(inspect.LogHandler(plain(&out)))
	sys := start(t, actor.WithWorkers(1))
	a, b := piperType.Spawn(sys, piper{}), piperType.Spawn(sys, piper{})
	play.Send(sys, a, func(c *actor.Context) {
		actor.Pipe(c, played, func(ctx context.Context) (int, error) {
			l.InfoContext(ctx, "pipe")
			return 0, nil
		})
		c.SetContext(c.Context())
		play.Send(c, b, func(c *actor.Context) { l.InfoContext(c.Context(), "sent") })
	})
	quiet(t, sys)
	for _, want := range []string{fmt.Sprintf("msg=pipe actor=%d type=piper\n", a.ID()),
		fmt.Sprintf("msg=sent actor=%d type=piper\n", b.ID())} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
}

type piper struct{}

var (
	piperType = actor.NewType[piper]("piper")
	play      = actor.Declare[func(*actor.Context)](piperType, "play")
	played    = actor.Declare[actor.Result[int]](piperType, "played")
	_         = piperType.Table(
		play.Handle(func(_ *piper, c *actor.Context, f func(*actor.Context)) { f(c) }),
		played.Handle(func(*piper, *actor.Context, actor.Result[int]) {}))
)

// TestLogHandler_Slog: LogHandler meets the requirements of package slog for handlers.
func TestLogHandler_Slog(t *testing.T) {
	var out bytes.Buffer
	err := slogtest.TestHandler(inspect.LogHandler(slog.NewJSONHandler(&out, nil)),
		func() (all []map[string]any) {
			for line := range bytes.Lines(out.Bytes()) {
				m := map[string]any{}
				if err := json.Unmarshal(line, &m); err != nil {
					t.Error(err)
				}
				all = append(all, m)
			}
			return all
		})
	if err != nil {
		t.Error(err)
	}
}
