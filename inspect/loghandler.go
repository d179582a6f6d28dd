package inspect

import (
	"context"
	"log/slog"
	"slices"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
)

// LogHandler returns a handler that adds to each record who logs: actor, type and, if the actor has
// them, name and path, as the log of the system has them. It finds them in the context of the
// record, if that is, or is derived from, what [actor.Context.Context] or a Pipe has given. So a
// library that knows no actors logs for which actor it works, with slog.InfoContext(ctx, …):
//
//	slog.SetDefault(slog.New(inspect.LogHandler(slog.NewJSONHandler(os.Stderr, nil))))
//
// In a behaviour, [actor.Context.Logger] does the same without a handler; records of a logger that
// has the attribute actor already are passed on as they are. The attributes are in the group that
// is open, if there is one. The name is the one that the actor had at the first call of Context in
// its life. LogHandler panics if next is nil. A record without such a context costs some
// nanoseconds.
func LogHandler(next slog.Handler) slog.Handler {
	if next == nil {
		panic("gallop: inspect.LogHandler of a nil Handler")
	}
	return logHandler{next, false}
}

type logHandler struct {
	slog.Handler
	named bool // it has the attribute already
}

// Handle implements slog.Handler.
func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if !h.named && ctx != nil {
		if who, ok := access.ActorOf(ctx); ok {
			r = r.Clone()
			r.AddAttrs(who.(actor.ActorName).LogValue().Group()...)
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
