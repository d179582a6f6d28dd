package actortest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// runLog keeps the log of a run, which is shown only if the run is printed.
type runLog struct {
	mu    sync.Mutex
	lines []string // guarded by mu
}

// logHandler writes records to a runLog, with the virtual time, and a stack on lines of its own.
type logHandler struct {
	slog.Handler // writes to text
	text         *bytes.Buffer
	to           *runLog
	now          func() time.Duration
}

// newLogger returns a logger that writes to a runLog.
func newLogger(to *runLog, now func() time.Duration) *slog.Logger {
	text := &bytes.Buffer{}
	return slog.New(&logHandler{slog.NewTextHandler(text, nil), text, to, now})
}

// Handle implements slog.Handler.
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	plain, stack := slog.NewRecord(time.Time{}, r.Level, r.Message, 0), ""
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "stack" {
			stack = a.Value.String()
		} else {
			plain.AddAttrs(a)
		}
		return true
	})
	h.to.mu.Lock()
	defer h.to.mu.Unlock()
	h.text.Reset()
	if err := h.Handler.Handle(ctx, plain); err != nil {
		return err
	}
	line := fmt.Sprintf("%v %s", h.now().Round(time.Microsecond), h.text.String())
	for l := range strings.Lines(stack) {
		line += "\t" + l
	}
	h.to.lines = append(h.to.lines, strings.TrimSuffix(line, "\n"))
	return nil
}

// WithAttrs implements slog.Handler.
func (h *logHandler) WithAttrs(all []slog.Attr) slog.Handler {
	return &logHandler{h.Handler.WithAttrs(all), h.text, h.to, h.now}
}

// WithGroup implements slog.Handler.
func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.Handler.WithGroup(name), h.text, h.to, h.now}
}

// tail returns the last lines; all of them if most is negative.
func (l *runLog) tail(most int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := 0
	if most >= 0 {
		first = max(0, len(l.lines)-most)
	}
	if len(l.lines) == 0 {
		return ""
	}
	text := fmt.Sprintf("actortest: the run has logged %d times\n", len(l.lines))
	if first > 0 {
		text += fmt.Sprintf("  … %d before\n", first)
	}
	return text + strings.Join(l.lines[first:], "\n")
}
