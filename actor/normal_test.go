package actor_test

import (
	"errors"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestNormal: "Down, Exit, ChildDown and Join deliver the reason, which is a *NormalError, and
// ErrStopped wraps it. It has no other effect: links do not end other actors for it".
func TestNormal(t *testing.T) {
	for name, end := range map[string]func(sys *actor.System, r actor.Ref[mortal]){
		"Exit": func(sys *actor.System, r actor.Ref[mortal]) { doAct.Send(sys, r, exitNormally) },
		"StopWith": func(sys *actor.System, r actor.Ref[mortal]) {
			actor.StopWith(sys, r, actor.Normal(errUser))
		},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t)
			var d diary
			r := mortalType.Spawn(sys, mortal{})
			var down, fell error
			watcher := mortalType.Spawn(sys, mortal{name: "watcher", diary: &d, born: true,
				onDown: func(_ *mortal, _ *actor.Context, n actor.Down) {
					down = n.Reason
				}})
			tied := mortalType.Spawn(sys, mortal{name: "tied", diary: &d, born: true})
			trap := mortalType.Spawn(sys, mortal{name: "trap", diary: &d, born: true})
			in(t, watcher, func(_ *mortal, c *actor.Context) { actor.Watch(c, r, onDown) })
			in(t, tied, func(_ *mortal, c *actor.Context) { actor.Link(c, r) })
			in(t, trap, func(_ *mortal, c *actor.Context) {
				actor.TrapExit(c, onExit)
				actor.Link(c, r)
			})
			end(sys, r)
			quiet(t, sys)
			fell = joined(t, r)
			for _, err := range []error{down, fell} {
				var n *actor.NormalError
				if !errors.As(err, &n) || n.Info != errUser || !actor.IsNormal(err) {
					t.Errorf("the reason is %v", err)
				}
			}
			eventually(t, "the linked one to be idle again", func() bool {
				return tied.Status() == actor.StatusIdle
			})
			err := say.TrySend(sys, r, "")
			wants(t, err, actor.ErrStopped)
			wants(t, err, errUser)
			equal(t, "text", err.Error(), "gallop: actor stopped: normal end: "+errUser.Error())
			equal(t, "lines", len(d.lines), 2) // one line of the watcher, one of the trap
		})
	}
}

func exitNormally(_ *mortal, c *actor.Context) { c.Exit(actor.Normal(errUser)) }

// TestIsNormal: "It does not look at wrapped errors"; "Normal(nil) is nil".
func TestIsNormal(t *testing.T) {
	for err, want := range map[error]bool{
		nil: true, actor.ErrShutdown: true, actor.Normal(errUser): true,
		errUser: false, actor.ErrKilled: false, errors.Join(actor.Normal(errUser)): false,
		&actor.PanicError{Value: actor.Normal(errUser)}: false,
	} {
		equal(t, "normal", actor.IsNormal(err), want)
	}
	equal(t, "Normal(nil)", actor.Normal(nil), nil)
}

// TestRestarting: in OnStop "whether the actor may come up again in its place"; "Outside of OnStop
// it reports false".
func TestRestarting(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	var said []bool
	child := mortal{onStop: func(_ *mortal, c *actor.Context) { said = append(said, c.Restarting()) }}
	u := newUnder(t, actor.Care[mortal]{}, child)
	u.do(t, func(_ *mortal, c *actor.Context) { said = append(said, c.Restarting()); panic(errUser) })
	actor.Restart(u.sys, u.child)
	quiet(t, u.sys)
	u.do(t, func(_ *mortal, c *actor.Context) { c.Stop() }) // its supervisor restarts it even so
	must(t, actor.StopWait(soon(t), u.child))
	r := mortalType.Spawn(sys, child)
	quiet(t, sys)
	must(t, actor.StopWait(soon(t), r))
	for i, want := range []bool{false, true, true, true, false, false} {
		equal(t, "Restarting", said[i], want)
	}
	panics(t, "Restarting with a nil or zero Context", func() { new(actor.Context).Restarting() })
}
