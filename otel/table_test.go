package otel_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/otel"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// step is a row of the table in docs/metrics.md that says what carries a trace, and a program that
// proves it: with the spans that it makes below the span "root".
type step struct {
	row  string
	run  func(w *world)
	want string
}

// steps has each row.
var steps = []step{
	{"a goroutine: `b.Ask(ctx, …)`, `AskPool.Ask` | the actor, the member | child", func(w *world) {
		_, _ = price.Ask(w.ctx, w.store, "tea")
		pool := group.NewAskPool(group.RoundRobin[string](), price.To(w.store))
		_, _ = pool.Ask(w.ctx, "tea")
	}, `
		price store(consumer) <root
		price store(consumer) <root`},
	{"a goroutine: `b.Send(sys.With(ctx), …)` | the actor | new trace with a link", func(w *world) {
		note.Send(w.sys.With(w.ctx), w.store, 1)
	}, `
		note store(consumer) ~root`},
	{"a behaviour after `c.SetContext(c.Context())`: `AskTo`, `AskPool.AskTo` | the actor that is asked, and the outcome | child",
		func(w *world) {
			w.do(passOn(func(c *actor.Context) {
				pool := group.NewAskPool(group.RoundRobin[string](), price.To(w.store))
				pool.AskTo(c, "tea", priced.To(w.desk))
			}))
			w.do(passOn(func(c *actor.Context) { actor.AskTo(c, price, w.store, "tea", priced) }))
		}, `
		do desk(consumer) ~root
		price store(consumer) <do desk
		priced desk(consumer) <do desk
		do desk(consumer) ~root
		price store(consumer) <do desk
		priced desk(consumer) <do desk`},
	{"the same: `Pipe` | the context of the function, and the outcome | child", func(w *world) {
		w.do(passOn(func(c *actor.Context) {
			actor.Pipe(c, priced, func(ctx context.Context) (int, error) {
				w.span(ctx, "query")
				return 1, nil
			})
		}))
	}, `
		do desk(consumer) ~root
		query(internal) <do desk
		priced desk(consumer) <do desk`},
	{"the same: `Send`, `TrySend`, `Yield`, `After`, `Every` | the actor | new trace with a link",
		func(w *world) {
			w.do(passOn(func(c *actor.Context) {
				note.Send(c, w.store, 1)
				_ = note.TrySend(c, w.store, 1)
				actor.Yield(c, do, func(*desk, *actor.Context) {})
				actor.After(c, time.Minute, do, func(*desk, *actor.Context) {})
				var t actor.Timer
				t = actor.Every(c, time.Hour, do, func(_ *desk, c *actor.Context) { t.Cancel(c) })
			}))
		}, `
		do desk(consumer) ~root
		note store(consumer) ~do desk
		note store(consumer) ~do desk
		do desk(consumer) ~do desk
		do desk(consumer) ~do desk
		do desk(consumer) ~do desk`},
	{"a behaviour without `SetContext` | all that it sends | none", func(w *world) {
		w.do(func(_ *desk, c *actor.Context) {
			note.Send(c, w.store, 1)
			actor.AskTo(c, price, w.store, "tea", priced)
		})
	}, `
		do desk(consumer) ~root`},
	{"`Pool.Send`, `Topic.Send` with a context | the actor of the pool or topic, and the members or subscribers | new trace with a link, of each to the one before",
		func(w *world) {
			pool := group.NewPool(group.RoundRobin[int](), note.To(w.store)).Start(w.sys)
			topic := group.NewTopic[int]().Start(w.sys)
			topic.Subscribe(w.sys, note.To(w.store))
			w.wait()
			pool.Send(w.sys.With(w.ctx), 1)
			w.wait()
			topic.Send(w.sys.With(w.ctx), 1)
		}, `
		dispatch pool(consumer) ~root
		note store(consumer) ~dispatch pool
		publish topic(consumer) ~root
		note store(consumer) ~publish topic`},
	{"a goroutine: `ref.Send(processes.With(ctx), …)` | the process | no span; `Self.Context` has the trace",
		func(w *world) {
			ref := w.reader(func(self *process.Self[int]) { w.span(self.Context(), "read") })
			ref.Send(actors.Join(w.sys).With(w.ctx), 1)
		}, `
		read(internal) <root`},
	{"a behaviour after `SetContext`: `ref.Send(actors.Env(c), …)` | the process | no span; `Self.Context` has the trace",
		func(w *world) {
			ref := w.reader(func(self *process.Self[int]) { w.span(self.Context(), "read") })
			w.do(passOn(func(c *actor.Context) { ref.Send(actors.Env(c), 1) }))
		}, `
		do desk(consumer) ~root
		read(internal) <do desk`},
	{"the same: `actors.AskTo` | the process, and the outcome | no span for the process, child",
		func(w *world) {
			ref := process.Spawn(actors.Join(w.sys), func(self *process.Self[process.ReplyTo[int]]) {
				r := self.Receive()
				w.span(self.Context(), "answer")
				r.Reply(self, 1)
			})
			w.do(passOn(func(c *actor.Context) { askProcess(c, ref) }))
		}, `
		do desk(consumer) ~root
		answer(internal) <do desk
		priced desk(consumer) <do desk`},
	{"the same: a timer that the outcome's behaviour arms after `SetContext` | the actor | new trace with a link",
		func(w *world) {
			ref := process.Spawn(actors.Join(w.sys), func(self *process.Self[process.ReplyTo[int]]) {
				self.Receive().Reply(self, 1)
			})
			w.do(passOn(func(c *actor.Context) {
				actors.AskToWith(c, ref, itself, marked, then(func(c *actor.Context, _ int) {
					c.SetContext(c.Context())
					actor.After(c, time.Minute, do, func(*desk, *actor.Context) {})
				}))
			}))
		}, `
		do desk(consumer) ~root
		marked desk(consumer) <do desk
		do desk(consumer) ~marked desk`},
	{"a process after `self.SetContext(self.Context())`: `Send`, `Call`, `Ask` | another process | no span; `Self.Context` has the trace",
		func(w *world) {
			second := w.reader(func(self *process.Self[int]) { w.span(self.Context(), "second") })
			third := process.Spawn(actors.Join(w.sys), func(self *process.Self[process.ReplyTo[int]]) {
				r := self.Receive()
				w.span(self.Context(), "third")
				r.Reply(self, 1)
			})
			ref := w.reader(func(self *process.Self[int]) {
				self.SetContext(self.Context())
				second.Send(self, 1)
				_, _ = process.Call(self, third, itself)
			})
			ref.Send(actors.Join(w.sys).With(w.ctx), 1)
		}, `
		second(internal) <root
		third(internal) <root`},
	{"the same: `actors.Sender(self)` | the actor | new trace with a link", func(w *world) {
		ref := w.reader(func(self *process.Self[int]) {
			self.SetContext(self.Context())
			note.Send(actors.Sender(self), w.store, 1)
		})
		ref.Send(actors.Join(w.sys).With(w.ctx), 1)
	}, `
		note store(consumer) ~root`},
	{"the same: `actors.Call`, `actors.Ask`, `CallContext` | the actor | child", func(w *world) {
		ref := w.reader(func(self *process.Self[int]) {
			_, _ = actors.CallContext(self.Context(), self, price, w.store, "tea")
			self.SetContext(self.Context())
			_, _ = actors.Call(self, price, w.store, "tea")
			_, _ = actors.Ask(self, price, w.store, "tea").Reply(self)
		})
		ref.Send(actors.Join(w.sys).With(w.ctx), 1)
	}, `
		price store(consumer) <root
		price store(consumer) <root
		price store(consumer) <root`},
	{"a process without `SetContext`; a `process.Chan` | whoever receives | none", func(w *world) {
		c := process.NewChan[int](1)
		process.Go(actors.Join(w.sys), func(p *process.Proc) {
			c.Recv(p)
			w.span(p.Context(), "from a channel") // with no parent
		})
		ref := w.reader(func(self *process.Self[int]) {
			note.Send(actors.Sender(self), w.store, 1)
			self.SetContext(self.Context())
			c.Send(self, 1)
		})
		ref.Send(actors.Join(w.sys).With(w.ctx), 1)
	}, `
		from a channel(internal)`},
	{"an actor that is restarted | its mail | as before the restart", func(w *world) {
		root := supervise.Start(w.sys, supervise.Spec{Name: "app", Children: []supervise.Child{
			supervise.Worker[store]{Name: "s", Type: storeType}}})
		w.wait()
		s, err := supervise.Find[store](context.Background(), root, "s")
		if err != nil {
			w.Fatal(err)
		}
		note.Send(w.sys.With(w.ctx), s, 13)
		note.Send(w.sys.With(w.ctx), s, 2)
	}, `
		note store(consumer) ~root !Error the behaviour has panicked
		note store(consumer) ~root`},
	{"a behaviour after `SetContext`: `Stop`, `Watch`, `Link` | the news of an end: `Down`, `Exit` | none",
		func(w *world) {
			w.do(passOn(func(c *actor.Context) {
				actor.Watch(c, w.store, ended)
				actor.Stop(c, w.store)
			}))
		}, `
		do desk(consumer) ~root`},
	{"a message that will not run, with `otel.DeadLetters` | | child, with the reason as its error",
		func(w *world) {
			actor.Stop(w.sys, w.store)
			w.wait()
			note.Send(w.sys.With(w.ctx), w.store, 1)
		}, `
		note store(consumer) <root !Error gallop: actor stopped: shut down`},
}

// TestTable: each row of the table in docs/metrics.md is proved by a program, and each program has its
// row.
func TestTable(t *testing.T) {
	var rows []string
	for _, s := range steps {
		rows = append(rows, "| "+s.row+" |")
		name, _, _ := strings.Cut(s.row, "|")
		t.Run(name, func(t *testing.T) {
			rec := newRecorder(t)
			w := newWorld(t, rec, actor.WithInterceptor(otel.Interceptor(rec)), actor.WithHooks(actor.Hooks{
				Panic: func(actor.PanicReport) {}, DeadLetter: otel.DeadLetters(rec, func(actor.DeadLetter) {})}))
			s.run(w)
			w.wait()
			w.root.End()
			same(t, rec.tree(), "root(internal)"+s.want)
		})
	}
	text, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	const head = "| from | to | the span of the receiver |\n|---|---|---|\n"
	_, table, _ := strings.Cut(string(text), head)
	table, _, _ = strings.Cut(table, "\n\n")
	same(t, table, strings.Join(rows, "\n"))
}

// span makes a span below the one of a context.
func (w *world) span(ctx context.Context, name string) {
	_, span := w.rec.tracer.Start(ctx, name)
	span.End()
}

// reader spawns a process that receives one message and then runs f.
func (w *world) reader(f func(*process.Self[int])) process.Ref[int] {
	return process.Spawn(actors.Join(w.sys), func(self *process.Self[int]) {
		self.Receive()
		f(self)
	})
}

func itself(r process.ReplyTo[int]) process.ReplyTo[int] { return r }

func askProcess(c *actor.Context, ref process.Ref[process.ReplyTo[int]]) {
	actors.AskTo(c, ref, itself, priced)
}
