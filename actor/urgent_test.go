package actor_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// hasty is an actor with urgent behaviours for outcomes.
type hasty struct {
	said  []string
	heard chan string // gets the urgent outcomes; nil, or with room
}

func (h *hasty) hear(s string) {
	h.said = append(h.said, s)
	if h.heard != nil {
		h.heard <- s
	}
}

func (h *hasty) result(_ *actor.Context, r actor.Result[any]) { h.hear(fmt.Sprint(r.Value, r.Err)) }

var (
	hastyType   = actor.NewType[hasty]("hasty")
	hastyDo     = actor.Declare[func(*hasty, *actor.Context)](hastyType, "do")
	hastySay    = actor.Declare[string](hastyType, "say")
	hastyCall   = actor.Declare[string](hastyType, "call", actor.Urgent())
	hastyResult = actor.Declare[actor.Result[any]](hastyType, "result", actor.Urgent())
	hastySaid   = actor.DeclareAsk[struct{}, string](hastyType, "said")
	_           = hastyType.Table(
		hastyDo.Handle(func(h *hasty, c *actor.Context, f func(*hasty, *actor.Context)) { f(h, c) }),
		hastySay.Handle(func(h *hasty, _ *actor.Context, s string) { h.said = append(h.said, s) }),
		hastyCall.Handle(func(h *hasty, _ *actor.Context, s string) { h.hear(s) }),
		hastyResult.Handle((*hasty).result),
		hastySaid.Handle(func(h *hasty, _ *actor.Context, _ struct{}) (string,
			error) {
			return fmt.Sprint(h.said), nil
		}))
)

// waysIn are the ways to an urgent behaviour, except for a send. Each brings the value 7.
var waysIn = map[string]func(c *actor.Context, other actor.Ref[puppet]){
	"AskTo": func(c *actor.Context, other actor.Ref[puppet]) {
		actor.AskTo(c, try, other, seven, hastyResult)
	},
	"AskToWithin": func(c *actor.Context, other actor.Ref[puppet]) {
		actor.AskTo(c, try, other, seven, hastyResult, actor.Within(time.Hour))
	},
	"Pipe": func(c *actor.Context, _ actor.Ref[puppet]) {
		actor.Pipe(c, hastyResult, func(context.Context) (any, error) { return 7, nil })
	},
	"FromChan": func(c *actor.Context, _ actor.Ref[puppet]) {
		ch := make(chan string, 1)
		ch <- "7 <nil>"
		close(ch)
		bridge.FromChan(c, ch, hastyCall)
	},
}

func seven(*puppet, *actor.Context) (any, error) { return 7, nil }

// TestUrgent_Outcomes: "makes the messages of a behaviour overtake ordinary ones … whatever brings
// the message: a send, the outcomes of AskTo, AskToWithin and Pipe, or FromChan".
func TestUrgent_Outcomes(t *testing.T) {
	for name, begin := range waysIn {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			r, other := hastyType.Spawn(sys, hasty{}), puppetType.Spawn(sys, puppet{})
			hastyDo.Send(sys, r, func(_ *hasty, c *actor.Context) {
				hastySay.Send(c, r, "a")
				hastySay.Send(c, r, "b")
				before := actor.Incoming(c)
				begin(c, other)
				eventually(t, "the outcome to come", func() bool { return actor.Incoming(c) > before })
			})
			quiet(t, sys)
			said, err := hastySaid.Ask(soon(t), r, struct{}{})
			must(t, err)
			equal(t, "what it heard", said, "[7 <nil> a b]")
			equal(t, "dead letters", sys.Stats().DeadLetters, 0)
			equal(t, "left over", actor.LeftoversOf(sys), actor.Leftovers{})
		})
	}
}

// TestUrgent_OutcomeOfTheDead: the error of a request to an ended actor overtakes mail too, in the
// same system and from another.
func TestUrgent_OutcomeOfTheDead(t *testing.T) {
	sys, there := start(t), start(t)
	for _, s := range []*actor.System{sys, there} {
		dead := puppetType.Spawn(s, puppet{})
		must(t, actor.KillWait(soon(t), dead))
		r := hastyType.Spawn(sys, hasty{})
		hastyDo.Send(sys, r, func(_ *hasty, c *actor.Context) {
			hastySay.Send(c, r, "a")
			waysIn["AskTo"](c, dead)
			waysIn["AskToWithin"](c, dead)
		})
		quiet(t, sys)
		said, err := hastySaid.Ask(soon(t), r, struct{}{})
		must(t, err)
		outcome := "<nil> " + actor.ErrStopped.Error() + ": killed"
		equal(t, "what it heard", said, "["+outcome+" "+outcome+" a]")
	}
}

// TestUrgent_OutcomeToTheMuted: "Urgent messages reach a muted actor".
func TestUrgent_OutcomeToTheMuted(t *testing.T) {
	for name, begin := range waysIn {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(4))
			o := overload(t, sys)
			heard := make(chan string, 1)
			r, other := hastyType.Spawn(sys, hasty{heard: heard}), puppetType.Spawn(sys, puppet{})
			muted := make(chan struct{})
			do.Send(sys, other, func(*puppet, *actor.Context) { <-muted })
			hastyDo.Send(sys, r, func(_ *hasty, c *actor.Context) {
				begin(c, other)
				slowDo.Send(c, o.ref, func(*puppet, *actor.Context) {})
			})
			eventually(t, "the actor to be muted", func() bool { return actor.Muted(r) })
			close(muted)
			equal(t, "what it heard", receive(t, "the outcome", heard), "7 <nil>")
			o.release()
			quiet(t, sys)
		})
	}
}

// TestUrgent_OutcomeOfTheEnded: an outcome that does not run is a dead letter. The counts of a
// deterministic system add up.
func TestUrgent_OutcomeOfTheEnded(t *testing.T) {
	for name, begin := range waysIn {
		for how, opts := range map[string][]actor.Option{"free": nil,
			"seed": {actor.WithDeterministic(3)}} {
			t.Run(name+"/"+how, func(t *testing.T) {
				var dead letters
				sys := start(t, append(opts, dead.option())...)
				r, gone := hastyType.Spawn(sys, hasty{}), puppetType.Spawn(sys, puppet{})
				actor.Kill(sys, gone)
				quiet(t, sys)
				hastyDo.Send(sys, r, func(_ *hasty, c *actor.Context) {
					begin(c, gone)
					c.Exit(errUser)
				})
				quiet(t, sys)
				switch last := dead.last.Load(); {
				case name == "FromChan": // takes nothing out any more, or one value
				case last == nil || last.ActorID != r.ID():
					t.Errorf("the last dead letter is %+v", last)
				default:
					wants(t, last.Reason, errUser)
				}
				equal(t, "left over", actor.LeftoversOf(sys), actor.Leftovers{})
				if st := sys.Stats(); how == "seed" {
					equal(t, "the books", sys.SimCounts().Sent, st.Messages+st.DeadLetters)
				}
			})
		}
	}
}

// TestUrgent_OutcomeToTheRestarted: an outcome for an urgent behaviour belongs to the life that has
// asked for it, too. It is a dead letter after its actor has been restarted.
func TestUrgent_OutcomeToTheRestarted(t *testing.T) {
	for _, name := range []string{"AskTo", "AskToWithin", "Pipe"} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			heard := make(chan string, 1)
			other, release := busyPuppet(t, sys)
			parent := actor.NewType[hasty]("parent")
			begin := actor.Declare[struct{}](parent, "begin")
			fell := actor.Declare[actor.ChildDown](parent, "fell")
			childDown, stay := make(chan struct{}), make(chan struct{})
			restart := sync.OnceFunc(func() { close(stay) })
			t.Cleanup(restart)
			var child actor.Ref[hasty]
			parent.Table(begin.Handle(func(_ *hasty, c *actor.Context, _ struct{}) {
				child = actor.SpawnUnder(c, hastyType, func(h *hasty) {
					h.heard = heard
				}, actor.Care[hasty]{Fell: fell})
				hastyDo.Send(c, child, func(_ *hasty, c *actor.Context) {
					waysIn[name](c, other)
					panic("on purpose")
				})
			}), fell.Handle(func(_ *hasty, c *actor.Context, f actor.ChildDown) {
				close(childDown)
				<-stay
				actor.Restart(c, child)
			}))
			begin.Send(sys, parent.Spawn(sys, hasty{}), struct{}{})
			receive(t, "the fall", childDown)
			release()
			_, err := try.Ask(soon(t), other, seven) // the other actor has answered
			must(t, err)
			restart()
			quiet(t, sys)
			equal(t, "outcomes heard", len(heard), 0)
			equal(t, "dead letters", sys.Stats().DeadLetters, 1)
		})
	}
}

// volley is the message that players send to and fro.
type volley struct {
	to, from actor.Ref[player]
	left     int
}

type player struct{}
