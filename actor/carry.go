package actor

import "context"

// Carried is a message that carries a context with it: a trace, a user, a deadline.
// Ordinary messages stay as small as they are. A behaviour that wants contexts says so
// in its type, as in Behaviour[S, Carried[M]], and gets its method by [DoCarried].
type Carried[M any] struct {
	// Context is the context that is carried. nil stands for context.Background.
	Context context.Context
	// Message is the message.
	Message M
}

// Carry makes a message that carries ctx along with m.
func Carry[M any](ctx context.Context, m M) Carried[M] { return Carried[M]{ctx, m} }

// DoCarried is [Behaviour.Do] for messages that carry a context: method is given both.
// If the context has ended before the message runs, the message becomes a dead letter,
// whose reason is the context's error.
func DoCarried[S, M any](b Behaviour[S, Carried[M]], method func(*S, *Context, context.Context, M)) Entry[S] {
	if method == nil {
		panic("gallop: DoCarried: a nil method for " + b.d.made().fullName())
	}
	return Entry[S]{b.d.made(), func(c *Context, at *body, m *message) {
		p := payloadOf[Carried[M]](m)
		v := *p
		if v.Context == nil {
			v.Context = context.Background()
		}
		if err := v.Context.Err(); err != nil {
			c.count.messages-- // it does not run after all
			replier{c: c, sys: c.sys}.declareDead(at, m, err, at.ticks(m))
			return
		}
		clear1(p)
		method(stateOf[S](at), c, v.Context, v.Message)
	}}
}
