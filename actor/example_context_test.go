package actor_test

import (
	"context"
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
)

type caller struct{} // a key for values in contexts

// A speaking actor prints a word and the name of the caller, which it finds in its context.
type speaking struct{}

func (*speaking) Say(c *actor.Context, what string) {
	fmt.Println(what, "for", c.Context().Value(caller{}))
}

// After SetContext, the messages that a behaviour sends carry that context.
func ExampleContext_SetContext() {
	speakerType := actor.NewType[speaking]("speaker")
	say := actor.Declare[string](speakerType, "say")
	pass := actor.Declare[actor.Ref[speaking]](speakerType, "pass")
	speakerType.Table(say.Handle((*speaking).Say),
		pass.Handle(func(_ *speaking, c *actor.Context, to actor.Ref[speaking]) {
			c.SetContext(c.Context())
			say.Send(c, to, "tea")
		}))
	sys := actor.Start()
	a, b := speakerType.Spawn(sys, speaking{}), speakerType.Spawn(sys, speaking{})
	ctx := context.WithValue(context.Background(), caller{}, "Ada")
	pass.Send(sys.With(ctx), a, b)
	_ = sys.Run()
	// Output: tea for Ada
}

// A query in a behaviour ends when its actor is stopped.
func ExampleContext_Context() {
	dbType := actor.NewType[struct{}]("db")
	query := actor.Declare[chan struct{}](dbType, "query")
	dbType.Table(query.Handle(func(_ *struct{}, c *actor.Context, began chan struct{}) {
		c.Blocking(func() {
			close(began)
			<-c.Context().Done() // as rows, err := db.QueryContext(c.Context(), …) does
		})
		fmt.Println(context.Cause(c.Context()))
	}))
	sys := actor.Start()
	defer sys.Stop()
	db, began := dbType.Spawn(sys, struct{}{}), make(chan struct{})
	query.Send(sys, db, began)
	<-began
	fmt.Println(actor.StopWait(context.Background(), db))
	// Output:
	// gallop: actor stopped: shut down
	// <nil>
}

// A buyer asks for the balances of several people at once. Each outcome carries the name as its
// mark.
type buyer struct{ accounts actor.Ref[accounts] }

var (
	buyerType = actor.NewType[buyer]("buyer")
	buy       = actor.Declare[[]string](buyerType, "buy")
	known     = actor.Declare[actor.Reply[int, string]](buyerType, "known")
)

func init() {
	buyerType.Table(buy.Handle(func(b *buyer, c *actor.Context, names []string) {
		for _, name := range names {
			actor.AskToWith(c, balance, b.accounts, name, known, name)
		}
	}), known.Handle(func(_ *buyer, _ *actor.Context, r actor.Reply[int, string]) {
		fmt.Println(r.Mark, r.Value, r.Err)
	}))
}

func ExampleReply() {
	sys := actor.Start()
	l := accountsType.Spawn(sys, accounts{map[string]int{"ann": 12, "bob": 7}})
	buy.Send(sys, buyerType.Spawn(sys, buyer{l}), []string{"ann", "bob"})
	_ = sys.Run()
	// Output:
	// ann 12 <nil>
	// bob 7 <nil>
}

// A till needs only an Asker. So a test of the till needs no accounts actor.
type till struct {
	balances actor.Asker[string, int]
	heard    actor.Handler[actor.Result[int]]
}

var (
	tillType  = actor.NewType[till]("till")
	tillCheck = actor.Declare[string](tillType, "check")
	tillHeard = actor.Declare[actor.Result[int]](tillType, "heard")
)

func init() {
	tillType.OnStart(func(t *till, c *actor.Context) error {
		t.heard = tillHeard.To(actor.Self[till](c))
		return nil
	}).Table(tillCheck.Handle(func(t *till, c *actor.Context, who string) {
		t.balances.AskTo(c, who, t.heard)
	}),
		tillHeard.Handle(func(_ *till, _ *actor.Context, r actor.Result[int]) {
			fmt.Println(r.Value, r.Err)
		}))
}

// fixed is a test double. It answers without an actor.
type fixed int

func (f fixed) Ask(context.Context, string) (int, error) { return int(f), nil }
func (f fixed) AskTo(c *actor.Context, _ string, reply actor.Handler[actor.Result[int]]) {
	reply.Send(c, actor.Result[int]{Value: int(f)})
}

func ExampleAsker() {
	sys := actor.Start()
	l := accountsType.Spawn(sys, accounts{map[string]int{"ann": 12}})
	tillCheck.Send(sys, tillType.Spawn(sys, till{balances: balance.To(l)}), "ann")
	_ = sys.Wait(context.Background())
	tillCheck.Send(sys, tillType.Spawn(sys, till{balances: fixed(99)}), "ann")
	_ = sys.Run()
	// Output:
	// 12 <nil>
	// 99 <nil>
}

// A desk hands each request over to an actor of its own, which gives the reply. If that actor
// fails, the caller is told.
func ExampleDeferred_HandOver() {
	deskType := actor.NewType[struct{}]("desk")
	ask := actor.DeclareAsk[string, string](deskType, "ask")
	work := actor.Declare[func(*actor.Context)](deskType, "work")
	deskType.Table(ask.Handle(func(_ *struct{}, c *actor.Context, who string) (s string, err error) {
		d, helper := actor.Defer(c, ask), deskType.Spawn(c, struct{}{})
		d.HandOver(c, helper)
		work.Send(c, helper, func(c *actor.Context) {
			defer c.Stop()
			d.Reply(c, "hello "+who, nil)
		})
		return s, err // ignored: the reply was deferred
	}), work.Handle(func(_ *struct{}, c *actor.Context, f func(*actor.Context)) { f(c) }))
	sys := actor.Start()
	defer sys.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fmt.Println(ask.Ask(ctx, deskType.Spawn(sys, struct{}{}), "ann"))
	// Output: hello ann <nil>
}
