package actor_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// banker handles one payment at a time. It waits for a reply to each, and stashes the payments that
// come meanwhile.
type banker struct {
	busy    bool
	begun   int
	done    []int
	longest int
}

func (b *banker) Pay(c *actor.Context, n int) {
	b.begun++
	if b.busy {
		bankerPay.Stash(c, n)
		b.longest = max(b.longest, actor.StashLen(c))
		return
	}
	b.busy = true
	b.done = append(b.done, n)
	bankerPaid.Send(c, actor.Self[banker](c), struct{}{}) // stands for the reply of another actor
}

func (b *banker) Paid(c *actor.Context, _ struct{}) {
	b.busy = false
	actor.Unstash(c, 1)
}

func (b *banker) Try(c *actor.Context, f func(*banker, *actor.Context) (int, error)) (int, error) {
	return f(b, c)
}

var (
	bankerType = actor.NewType[banker]("banker")
	bankerPay  = actor.Declare[int](bankerType, "pay")
	bankerPaid = actor.Declare[struct{}](bankerType, "paid")
	bankerTry  = actor.DeclareAsk[func(*banker, *actor.Context) (int, error), int](bankerType, "try")
	_          = bankerType.Table(bankerPay.Handle((*banker).Pay), bankerPaid.Handle((*banker).Paid),
		bankerTry.Handle((*banker).Try))

	// narrow is a banker with room for two.
	narrowType = actor.NewType[banker]("narrow", actor.WithStashLimit(2))
	narrowPay  = actor.Declare[int](narrowType, "pay")
	narrowTry  = actor.DeclareAsk[func(*banker, *actor.Context) (int, error), int](narrowType, "try")
	_          = narrowType.Table(
		narrowPay.Handle(func(b *banker, c *actor.Context, n int) {
			narrowPay.Stash(c, n)
			b.longest = actor.StashLen(c)
		}),
		narrowTry.Handle((*banker).Try))
)

// TestUnstash_OneByOne: Unstash "puts the n oldest messages … in front of its mailbox, in the order
// in which they were sent", and "the cost is proportional to n, for a stash of any size". With
// 20,000 messages in the stash each message begins twice, and none is stashed again.
func TestUnstash_OneByOne(t *testing.T) {
	const n = 20_000
	sys := start(t)
	r := bankerType.Spawn(sys, banker{})
	inside(t, sys, func(c *actor.Context) {
		for i := range n {
			bankerPay.Send(c, r, i)
		}
	})
	quiet(t, sys)
	_, err := bankerTry.Ask(soon(t), r, func(b *banker, c *actor.Context) (int, error) {
		equal(t, "stashed at most", b.longest >= n/2, true)
		equal(t, "left", actor.StashLen(c), 0)
		equal(t, "paid", len(b.done), n)
		for i, got := range b.done {
			equal(t, "in order", got, i)
		}
		if b.begun > 2*n {
			t.Errorf("%d began, want at most %d", b.begun, 2*n)
		}
		return 0, nil
	})
	must(t, err)
}

// TestUnstash: the oldest messages come first, fewer than n if the stash has fewer, and before the
// mail in the mailbox.
func TestUnstash(t *testing.T) {
	var d diary
	sys := start(t, actor.WithWorkers(1))
	r := mortalType.Spawn(sys, mortal{name: "a", diary: &d, born: true})
	inside(t, sys, func(c *actor.Context) {
		doAct.Send(c, r, func(_ *mortal, c *actor.Context) { actor.Become(c, stashing) })
		for _, s := range []string{"1", "2", "3", "4", "5"} {
			say.Send(c, r, s)
		}
		doAct.Send(c, r, func(m *mortal, c *actor.Context) {
			equal(t, "stashed", actor.StashLen(c), 5)
			equal(t, "none", actor.Unstash(c, 0), 0)
			equal(t, "one", actor.Unstash(c, 1), 1)
			equal(t, "two", actor.Unstash(c, 2), 2)
			equal(t, "left", actor.StashLen(c), 2)
			actor.Unbecome(c)
			panics(t, "want at least 0", func() { actor.Unstash(c, -1) })
		})
		say.Send(c, r, "mail")
		doAct.Send(c, r, func(m *mortal, c *actor.Context) { equal(t, "more", actor.Unstash(c, 9), 2) })
		say.Send(c, r, "last")
	})
	quiet(t, sys)
	d.says(t, "a: 1", "a: 2", "a: 3", "a: mail", "a: 4", "a: 5", "a: last")
	panics(t, "want at least 1", func() { actor.WithStashLimit(0) })
	panics(t, "StashLen", func() { actor.StashLen(nil) })
	panics(t, "Unstash", func() { actor.Unstash(nil, 1) })
}

// TestTypeStashLimit: "A message beyond that is not stashed: it becomes a dead letter with
// ErrOverloaded, and the caller of an ask gets that error."
func TestTypeStashLimit(t *testing.T) {
	var dead letters
	sys := start(t, dead.option())
	r := narrowType.Spawn(sys, banker{})
	for i := range 3 {
		narrowPay.Send(sys, r, i)
	}
	quiet(t, sys)
	equal(t, "dead letters", dead.n.Load(), 1)
	equal(t, "which", dead.last.Load().Message, any(2))
	wants(t, dead.last.Load().Reason, actor.ErrOverloaded)
	_, err := narrowTry.Ask(soon(t), r, func(b *banker, c *actor.Context) (int, error) {
		equal(t, "stashed", b.longest, 2)
		return narrowTry.Stash(c, func(*banker, *actor.Context) (int, error) { return 7, nil })
	})
	wants(t, err, actor.ErrOverloaded)
	equal(t, "dead letters", dead.n.Load(), 2)
	quiet(t, sys)
	equal(t, "messages run", sys.Stats().Messages, 0) // two messages are stashed, two were refused
	v, err := narrowTry.Ask(soon(t), r, func(_ *banker, c *actor.Context) (int, error) {
		return 10*actor.Unstash(c, 1) + actor.StashLen(c), nil
	})
	equal(t, "unstashed, left", v, 11)
	must(t, err)
}
