package process

import (
	"context"
	"fmt"
	"testing"
)

type ctxKey struct{}

// with returns a context with a value.
func with(v int) context.Context { return context.WithValue(context.Background(), ctxKey{}, v) }

// ways are the ways to send a process a message.
var ways = map[string]func(by *Proc, to Ref[int], m int){
	"Send":     func(by *Proc, to Ref[int], m int) { to.Send(by, m) },
	"TrySend":  func(by *Proc, to Ref[int], m int) { _ = to.TrySend(by, m) },
	"SendWait": func(by *Proc, to Ref[int], m int) { _ = to.SendWait(by, m) },
	"Ask":      func(by *Proc, to Ref[int], m int) { Ask(by, to, func(ReplyTo[int]) int { return m }) },
	"Call": func(by *Proc, to Ref[int], m int) {
		_, _ = Call(by, to, func(ReplyTo[int]) int { return m }, Within(1))
	},
}

// TestContext: each message has the context that was set when it was sent, and the next one without a
// context has none; in mailboxes with and without a bound, and if a later message is received first.
func TestContext(t *testing.T) {
	for name, send := range ways {
		for bound, opts := range map[string][]Option{"": nil, ", bound": {WithBound(10)}} {
			t.Run(name+bound, func(t *testing.T) {
				onBoth(t, func(t *testing.T, s *System) {
					var got []string
					ref := Spawn(s, func(self *Self[int]) {
						self.ReceiveMatch(func(m int) bool { return m == 3 })
						got = append(got, fmt.Sprint(3, self.Context().Value(ctxKey{})))
						for range 2 {
							m := self.Receive()
							got = append(got, fmt.Sprint(m, self.Context().Value(ctxKey{})))
						}
						noneKept(t, &self.Proc)
					}, opts...)
					Go(s, func(p *Proc) {
						p.SetContext(with(10))
						send(p, ref, 1)
						p.SetContext(context.Background())
						send(p, ref, 2)
						p.SetContext(with(30))
						send(p, ref, 3)
					})
					quiet(t, s)
					equal(t, "what came", fmt.Sprint(got), "[3 30 1 10 2 <nil>]")
				})
			})
		}
	}
}

// noneKept checks that no context is kept for messages that are gone.
func noneKept(t *testing.T, p *Proc) {
	t.Helper()
	if to := p.travels.Load(); to != nil {
		to.mu.Lock()
		defer to.mu.Unlock()
		equal(t, "contexts that are kept", len(to.arriving), 0)
	}
}

// TestContext_Outside: System.With gives messages a context, and a process without one has an empty
// context.
func TestContext_Outside(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		ref := Spawn(s, func(self *Self[int]) {
			equal(t, "context at first", self.Context(), context.Background())
			self.Receive()
			equal(t, "value", self.Context().Value(ctxKey{}), any(7))
			self.Receive()
			equal(t, "context at last", self.Context(), context.Background())
		})
		ref.Send(s.With(with(7)), 1)
		ref.Send(s, 1)
		quiet(t, s)
	})
}

// TestContext_DeadLetters: no context is kept for a message that will not be received: since the process
// has ended, ends, or its mailbox is full.
func TestContext_DeadLetters(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	c := NewChan[int](0)
	gone := Spawn(s, func(*Self[int]) {})
	quiet(t, s)
	full := Spawn(s, func(self *Self[int]) { c.Recv(self) }, WithBound(1))
	for range 3 {
		gone.Send(s.With(with(1)), 1)
		full.Send(s.With(with(1)), 1)
		Ask(s.With(with(1)), full, func(ReplyTo[int]) int { return 1 })
	}
	full.p.travels.Load().mu.Lock()
	n := len(full.p.travels.Load().arriving)
	full.p.travels.Load().mu.Unlock()
	equal(t, "contexts of the message in the mailbox", n, 1)
	Go(s, func(p *Proc) { c.Send(p, 1) })
	quiet(t, s)
	noneKept(t, gone.p)
	noneKept(t, full.p)
}

// TestContext_Misuse: a nil context panics at the call.
func TestContext_Misuse(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	var none context.Context
	for name, f := range map[string]func(p *Proc){
		"SetContext": func(p *Proc) { p.SetContext(none) },
		"With":       func(*Proc) { s.With(none) },
	} {
		p := Go(s, func(p *Proc) {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f(p)
		})
		if err := result(t, s, p); err != nil {
			t.Error(err)
		}
	}
}
