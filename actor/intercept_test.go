package actor_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// gated is an actor with two interceptors, which write a diary.
type gated struct{ n int }

func (g *gated) Add(c *actor.Context, n int) {
	switch n {
	case 13:
		panic("thirteen")
	case 14:
		actor.Become(c, gatedTwice)
	case 15:
		actor.After(c, 0, gatedAdd, 1)
	case 16:
		gatedAdd.Stash(c, 1)
	}
	g.n += n
}

func (g *gated) Get(c *actor.Context, n int) (int, error) {
	if n < 0 {
		return 0, errUser
	}
	if n == 7 {
		actor.Defer(c, gatedGet).Reply(c, 7, nil)
	}
	return g.n + n, nil
}

// noting returns an interceptor that writes each message into a diary. It refuses a message if
// refuse returns an error.
func noting(d *diary, name string, refuse func(in *actor.Invocation) error) actor.Interceptor {
	return actor.Interceptor{
		Before: func(c *actor.Context, in *actor.Invocation) error {
			in.Value = name
			if err := refuse(in); err != nil {
				d.add("%s refuses %s(%v)", name, in.Behaviour(), in.Message())
				return err
			}
			d.add("%s before %s.%s", name, in.Type(), in.Behaviour())
			return nil
		},
		After: func(c *actor.Context, in *actor.Invocation, out actor.Outcome) {
			d.add("%s after %s(%v) %+v", in.Value, in.Behaviour(), in.Message(), out)
		},
	}
}

var (
	gatedDiary = new(diary)
	errRefused = errors.New("refused")
	gatedType  = actor.NewType[gated]("gated",
		actor.WithInterceptor(noting(gatedDiary, "outer", func(in *actor.Invocation) error {
			return nil
		})),
		actor.WithInterceptor(noting(gatedDiary, "inner", func(in *actor.Invocation) error {
			if in.Message() == 99 {
				return errRefused
			}
			return nil
		})))
	gatedAdd   = actor.Declare[int](gatedType, "add")
	gatedRush  = actor.Declare[int](gatedType, "rush", actor.Urgent())
	gatedGet   = actor.DeclareAsk[int, int](gatedType, "get")
	gatedTwice *actor.Variant[gated]
)

func init() {
	gatedType.Table(gatedAdd.Handle((*gated).Add), gatedRush.Handle((*gated).Add),
		gatedGet.Handle((*gated).Get))
	gatedTwice = gatedType.Variant(gatedAdd.Handle(func(g *gated, c *actor.Context, n int) {
		g.n += 2 * n
	}))
}

// passes returns the lines of the diary of gatedType for one message.
func passes(behaviour string, msg any, out string) []string {
	return []string{"outer before gated." + behaviour, "inner before gated." + behaviour,
		fmt.Sprintf("inner after %s(%v) %s", behaviour, msg, out), fmt.Sprintf("outer after %s(%v) %s",
			behaviour, msg, out)}
}

const (
	wentWell = "{Err:<nil> Refused:false PutAside:false Crashed:false}"
	aside    = "{Err:<nil> Refused:false PutAside:true Crashed:false}"
	crashed  = "{Err:<nil> Refused:false PutAside:false Crashed:true}"
)

// TestTypeIntercept: "Before is called in this order, and After in the reverse order", around every
// behaviour: of mail, of urgent mail, of timers, of variants, of requests.
func TestTypeIntercept(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(sys *actor.System, r actor.Ref[gated])
		want []string
	}{
		"mail": {func(sys *actor.System, r actor.Ref[gated]) {
			gatedAdd.Send(sys, r, 1)
		}, passes("add", 1, wentWell)},
		"urgent": {func(sys *actor.System, r actor.Ref[gated]) {
			gatedRush.Send(sys, r, 1)
		}, passes("rush", 1, wentWell)},
		"panic": {func(sys *actor.System, r actor.Ref[gated]) {
			gatedAdd.Send(sys, r, 13)
		}, passes("add", 13, crashed)},
		"stash": {func(sys *actor.System, r actor.Ref[gated]) {
			gatedAdd.Send(sys, r, 16)
		}, passes("add", 16, aside)},
		"timer": {func(sys *actor.System, r actor.Ref[gated]) {
			gatedAdd.Send(sys, r, 15)
		}, append(passes("add", 15, wentWell), passes("add", 1, wentWell)...)},
		"variant": {func(sys *actor.System, r actor.Ref[gated]) {
			gatedAdd.Send(sys, r, 14)
			gatedAdd.Send(sys, r, 2)
		}, append(passes("add", 14, wentWell), passes("add", 2, wentWell)...)},
		"request": {func(sys *actor.System, r actor.Ref[gated]) {
			v, err := gatedGet.Ask(soon(t), r, 4)
			equal(t, "answer", v, 4)
			must(t, err)
		}, passes("get", 4, wentWell)},
		"error": {func(sys *actor.System, r actor.Ref[gated]) {
			_, err := gatedGet.Ask(soon(t), r, -1)
			wants(t, err, errUser)
			_, err = gatedGet.Ask(soon(t), r, 1) // the next request does not get the error
			must(t, err)
		}, append(passes("get", -1, "{Err:the user's error Refused:false PutAside:false Crashed:false}"),
			passes("get", 1, wentWell)...)},
		"deferred": {func(sys *actor.System, r actor.Ref[gated]) {
			v, err := gatedGet.Ask(soon(t), r, 7)
			equal(t, "answer", v, 7)
			must(t, err)
		}, passes("get", 7, aside)},
	} {
		for _, opts := range [][]actor.Option{{actor.WithWorkers(1)}, {actor.WithDeterministic(1)}} {
			t.Run(name, func(t *testing.T) {
				gatedDiary.lines = nil
				sys := start(t, opts...)
				c.do(sys, gatedType.Spawn(sys, gated{}))
				quiet(t, sys)
				gatedDiary.says(t, c.want...)
			})
		}
	}
}

// TestTypeIntercept_Refuses: the caller of a refused request "gets the error, and there is no other
// effect". A one-way message "becomes a dead letter with the error as its reason". After of earlier
// interceptors is called.
func TestTypeIntercept_Refuses(t *testing.T) {
	var dead letters
	sys := start(t, dead.option())
	r := gatedType.Spawn(sys, gated{})
	gatedDiary.lines = nil
	gatedAdd.Send(sys, r, 99)
	gatedRush.Send(sys, r, 99)
	quiet(t, sys)
	equal(t, "dead letters", dead.n.Load(), 2)
	wants(t, dead.last.Load().Reason, errRefused)
	_, err := gatedGet.Ask(soon(t), r, 99)
	wants(t, err, errRefused)
	quiet(t, sys)
	equal(t, "dead letters", dead.n.Load(), 2)
	equal(t, "messages run", sys.Stats().Messages, 1)
	var want []string
	for _, b := range []string{"rush", "add", "get"} {
		want = append(want, "outer before gated."+b, "inner refuses "+b+"(99)",
			"outer after "+b+"(99) {Err:refused Refused:true PutAside:false Crashed:false}")
	}
	if gatedDiary.lines[0] == "outer before gated.add" { // the messages came in different turns
		want = append(append(want[:0:0], want[3:6]...), append(want[:3:3], want[6:]...)...)
	}
	gatedDiary.says(t, want...)
}

// TestIntercept: an interceptor of a system comes first. A message is boxed only if Message is
// called.
func TestIntercept(t *testing.T) {
	var d diary
	sys := start(t, actor.WithWorkers(1), actor.WithInterceptor(actor.Interceptor{
		Before: func(c *actor.Context, in *actor.Invocation) error {
			d.add("%s.%s from %d, request %v, by %d", in.Type(), in.Behaviour(), in.From(), in.IsRequest(),
				c.ActorID())
			return nil
		},
	}), actor.WithInterceptor(actor.Interceptor{
		After: func(_ *actor.Context, in *actor.Invocation, _ actor.Outcome) {
			d.add("after: %v", in.Message())
		},
	}))
	a, b := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	do.Send(sys, a, func(_ *puppet, c *actor.Context) { count.Send(c, b, 5) })
	quiet(t, sys)
	_, err := value.Ask(soon(t), b, struct{}{})
	must(t, err)
	quiet(t, sys)
	d.says(t, fmt.Sprintf("puppet.do from 0, request false, by %d", a.ID()), "after: <nil>",
		fmt.Sprintf("puppet.count from %d, request false, by %d", a.ID(), b.ID()), "after: <nil>",
		fmt.Sprintf("puppet.value from 0, request true, by %d", b.ID()), "after: <nil>")
	gatedDiary.lines = nil
	gatedAdd.Send(sys, gatedType.Spawn(sys, gated{}), 1)
	quiet(t, sys)
	equal(t, "the type's come after", gatedDiary.lines[0], "outer before gated.add")
	equal(t, "first the system's", d.lines[6][:len("gated.add")], "gated.add")
	equal(t, "and last", d.lines[7], "after: 1") // the type's interceptors have called Message
}

// TestIntercept_Many: interceptors of actors that ask each other in their turns do not disturb each
// other, and allocate nothing.
func TestIntercept_Many(t *testing.T) {
	depth := 0
	sys := start(t, actor.WithWorkers(1), actor.WithInterceptor(actor.Interceptor{
		Before: func(_ *actor.Context, in *actor.Invocation) error {
			in.Value = in.Behaviour()
			return nil
		},
		After: func(_ *actor.Context, in *actor.Invocation, _ actor.Outcome) {
			if in.Value != in.Behaviour() {
				t.Errorf("%v after %s", in.Value, in.Behaviour())
			}
		},
	}))
	a, b := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	for range 100 {
		do.Send(sys, a, func(_ *puppet, c *actor.Context) {
			_, err := value.Ask(soon(t), b, struct{}{})
			must(t, err)
			depth++
		})
	}
	quiet(t, sys)
	equal(t, "asked", depth, 100)
}

// TestIntercept_Misuse: an interceptor without functions.
func TestIntercept_Misuse(t *testing.T) {
	panics(t, "without functions", func() {
		actor.NewType[int]("x", actor.WithInterceptor(actor.Interceptor{}))
	})
	panics(t, "without functions", func() { actor.Start(actor.WithInterceptor(actor.Interceptor{})) })
}

// TestIntercept_Before: a panic in Before counts as a panic of the behaviour. After of earlier
// interceptors is called.
func TestIntercept_Before(t *testing.T) {
	var d diary
	var crash actor.PanicReport
	sys := start(t, actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) { crash = p }}),
		actor.WithInterceptor(noting(&d, "first", func(*actor.Invocation) error { return nil })),
		actor.WithInterceptor(actor.Interceptor{Before: func(*actor.Context, *actor.Invocation) error {
			panic("in Before")
		}}))
	r := puppetType.Spawn(sys, puppet{})
	_, err := value.Ask(soon(t), r, struct{}{})
	wants(t, err, actor.ErrPanicked)
	quiet(t, sys)
	equal(t, "behaviour", crash.Behaviour, "value")
	d.says(t, "first before puppet.value", "first after value(<nil>) "+crashed)
}
