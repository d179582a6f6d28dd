package inspect

import (
	"context"
	"log/slog"
	"slices"

	"github.com/gallop-go/gallop/internal/kernel"
)

// LogHandler implements observe.LogHandler.
func LogHandler(next slog.Handler) slog.Handler {
	if next == nil {
		panic("gallop: observe.LogHandler of a nil Handler")
	}
	return logHandler{next, false}
}

type logHandler struct {
	slog.Handler
	named bool // it has the attribute "actor" already
}

// Handle implements slog.Handler.
func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if !h.named && ctx != nil {
		if who, ok := kernel.ActorOf(ctx); ok {
			r = r.Clone()
			r.AddAttrs(who.LogValue().Group()...)
		}
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	has := slices.ContainsFunc(attrs, func(a slog.Attr) bool { return a.Key == "actor" })
	return logHandler{h.Handler.WithAttrs(attrs), h.named || has}
}

// WithGroup implements slog.Handler.
func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name), h.named}
}
