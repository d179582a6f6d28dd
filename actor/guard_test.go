package actor_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// answering is an actor that answers a request in each possible way. Its interceptors then
// misbehave.
type answering struct {
	late    actor.Deferred[int]
	outcome chan error
}

var (
	// afterAnswer is called by After of the next request.
	afterAnswer   func()
	answeringType = actor.NewType[answering]("answering",
		actor.WithInterceptor(actor.Interceptor{After: func(_ *actor.Context, in *actor.Invocation,
			_ actor.Outcome) {
			if f := afterAnswer; f != nil && in.IsRequest() {
				f()
			}
		}}))
	answerIt   = actor.DeclareAsk[string, int](answeringType, "answer")
	answerDone = actor.Declare[actor.Result[int]](answeringType, "done")
	answerAsk  = actor.Declare[answeringAsk](answeringType, "ask")
)

type answeringAsk struct {
	to  actor.Ref[answering]
	how string
	opt []actor.AskOption
}

func init() {
	answeringType.Table(answerIt.Handle((*answering).Answer),
		answerDone.Handle(func(a *answering, _ *actor.Context, r actor.Result[int]) {
			a.outcome <- r.Err
		}),
		answerAsk.Handle(func(a *answering, c *actor.Context, q answeringAsk) {
			actor.AskTo(c, answerIt, q.to, q.how, answerDone, q.opt...)
		}))
}

func (a *answering) Answer(c *actor.Context, how string) (int, error) {
	switch how {
	case "error":
		return 0, errUser
	case "defer":
		a.late = actor.Defer(c, answerIt)
	case "deferred reply":
		actor.Defer(c, answerIt).Reply(c, 1, nil)
	case "stash":
		return answerIt.Stash(c, how)
	}
	return 1, nil
}

// TestInterceptor_AfterPanics: "If After panics, the actor fails as if its behaviour had panicked,
// but the caller of a request keeps the reply that it has." A caller without a reply is told of the
// end.
func TestInterceptor_AfterPanics(t *testing.T) {
	misdeeds := map[string]func(){"panic": func() { panic("metrics") }, "Goexit": runtime.Goexit}
	for _, how := range []string{"reply", "error", "defer", "deferred reply", "stash"} {
		for misdeed, f := range misdeeds {
			for _, from := range []string{"Ask", "AskTo", "Within"} {
				t.Run(how+", "+misdeed+", "+from, func(t *testing.T) {
					var panicked []actor.PanicReport
					sys := start(t, actor.WithHooks(actor.Hooks{Panic: func(r actor.PanicReport) {
						panicked = append(panicked, r)
					}}))
					r := answeringType.Spawn(sys, answering{})
					afterAnswer = f
					defer func() { afterAnswer = nil }()
					var err error
					if from == "Ask" {
						_, err = answerIt.Ask(soon(t), r, how)
					} else {
						q := answeringAsk{to: r, how: how}
						if from == "Within" {
							q.opt = []actor.AskOption{actor.Within(time.Hour)}
						}
						outcome := make(chan error, 1)
						answerAsk.Send(sys, answeringType.Spawn(sys, answering{outcome: outcome}), q)
						err = receive(t, "the outcome", outcome)
					}
					quiet(t, sys)
					switch how {
					case "reply", "deferred reply":
						must(t, err)
					case "error":
						wants(t, err, errUser)
					default:
						wants(t, err, actor.ErrPanicked)
					}
					equal(t, "reports", len(panicked), 1)
					equal(t, "named", panicked[0].Behaviour, "answer")
					equal(t, "the actor", r.Status(), actor.StatusEnded)
				})
			}
		}
	}
}

// TestInterceptor_DefersAfterReply: after the reply there is nothing to defer: "Defer panics if the
// running request … has its reply".
func TestInterceptor_DefersAfterReply(t *testing.T) {
	for name, misdeed := range map[string]func(c *actor.Context){
		"Defer": func(c *actor.Context) { actor.Defer(c, answerIt) },
		"Stash": func(c *actor.Context) { _, _ = answerIt.Stash(c, "reply") },
	} {
		t.Run(name, func(t *testing.T) {
			var panicked []actor.PanicReport
			sys := start(t, actor.WithInterceptor(actor.Interceptor{After: func(c *actor.Context,
				in *actor.Invocation, _ actor.Outcome) {
				if in.IsRequest() {
					misdeed(c)
				}
			}}), actor.WithHooks(actor.Hooks{Panic: func(r actor.PanicReport) { panicked = append(panicked, r) }}))
			n, err := answerIt.Ask(soon(t), answeringType.Spawn(sys, answering{}), "reply")
			must(t, err)
			equal(t, "answer", n, 1)
			quiet(t, sys)
			equal(t, "reports", len(panicked), 1)
			if text := fmt.Sprint(panicked[0].Value); !strings.Contains(text, "has its reply") {
				t.Errorf("it says %q", text)
			}
			sys.Stop()
		})
	}
}
