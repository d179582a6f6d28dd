// Package processes has processes that GV7 must not report.
package processes

import (
	"errors"

	"github.com/gallop-go/gallop/process"
)

type question struct {
	n     int
	reply process.ReplyTo[int]
}

// Answered elsewhere.
type query struct{ reply process.ReplyTo[int] }

func answer(p *process.Proc, q query) { q.reply.Reply(p, 1) }

// Requests of an exported type may be answered by others.
type Question struct{ Reply process.ReplyTo[int] }

func asks(p *process.Proc, a process.Ref[question], b process.Ref[query], c process.Ref[Question]) {
	_, _ = process.Call(p, a, func(to process.ReplyTo[int]) question { return question{1, to} })
	_, _ = process.Call(p, b, func(to process.ReplyTo[int]) query { return query{to} })
	_, _ = process.Call(p, c, func(to process.ReplyTo[int]) Question { return Question{to} })
	asked := process.Ask(p, a, func(to process.ReplyTo[int]) question { return question{2, to} })
	var n int
	var err error
	process.Select(p, asked.Replied(&n, &err))
}

// Each is answered, by one branch or the other.
func serve(self *process.Self[question]) {
	for {
		m := self.Receive()
		if m.n > 1 {
			m.reply.Reply(self, m.n)
			continue
		}
		m.reply.Reply(self, 0)
	}
}

var errFull = errors.New("full")

func sends(p *process.Proc, c *process.Chan[int], signal *process.Chan[struct{}]) error {
	_ = c.TrySend(p, 1)
	signal.TrySend(p, struct{}{}) // it is there already
	if !c.TrySend(p, 2) {
		return errFull
	}
	return nil
}

type box struct {
	mu process.Mutex
	n  int
}

// lock locks for its caller.
func (b *box) lock(p *process.Proc) { b.mu.Lock(p) }

func (b *box) add(p *process.Proc, n int) error {
	b.mu.Lock(p)
	if n < 0 {
		b.mu.Unlock(p)
		return errFull
	}
	b.n += n
	b.mu.Unlock(p)
	return nil
}

func (b *box) set(p *process.Proc, n int) {
	b.mu.Lock(p)
	defer b.mu.Unlock(p)
	if n > 0 {
		b.n = n
	}
}

func (b *box) maybe(p *process.Proc, shared bool) {
	if shared {
		b.mu.Lock(p)
	}
	b.n++
	if shared {
		b.mu.Unlock(p)
	}
}

func (b *box) cleanup(p *process.Proc) func() {
	b.mu.Lock(p)
	return func() { b.mu.Unlock(p) }
}
