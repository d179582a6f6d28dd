// Package bad has what GV7 must report. Each case leaves an asker or a system waiting, or loses a message.
package bad

import (
	"context"
	"strings"

	"cases/step"

	"github.com/gallop-go/gallop/actor"
)

type server struct {
	later []actor.Deferred[int]
	n     int
}

func (s *server) Never(c *actor.Context, _ int) (int, error) {
	actor.Defer(c, never) // want `GV7: the reply that Defer puts off is never given: the asker waits for it`
	return 0, nil
}

func (s *server) Blank(c *actor.Context, _ int) (int, error) {
	_ = actor.Defer(c, blank) // want `the reply that Defer puts off is never given`
	return 0, nil
}

func (s *server) Some(c *actor.Context, q int) (int, error) {
	d := actor.Defer(c, some) // want `the reply that Defer puts off is not given, and not kept, on every path`
	if q > 0 {
		s.later = append(s.later, d)
	}
	return 0, nil
}

func (s *server) Early(c *actor.Context, q int) (int, error) {
	d := actor.Defer(c, early) // want `the reply that Defer puts off is not given, and not kept, on every path`
	if q == 0 {
		return 0, nil
	}
	d.Reply(c, q, nil)
	return 0, nil
}

func (s *server) Switch(c *actor.Context, q int) (int, error) {
	d := actor.Defer(c, switches) // want `the reply that Defer puts off is not given, and not kept, on every path`
	switch q {
	case 1:
		d.Reply(c, 1, nil)
	case 2:
		s.later = append(s.later, d)
	}
	return 0, nil
}

func (s *server) Add(_ *actor.Context, n int) { s.n += n }

func (s *server) Sum(_ *actor.Context, _ int) (int, error) { return s.n, nil }

type ask = actor.AskBehaviour[server, int, int]

var (
	serverType = actor.NewType[server]("server", actor.WithBound(1, actor.OverflowRefuse))
	never      = actor.DeclareAsk[int, int](serverType, "never")
	blank      = actor.DeclareAsk[int, int](serverType, "blank")
	some       = actor.DeclareAsk[int, int](serverType, "some")
	early      = actor.DeclareAsk[int, int](serverType, "early")
	switches   = actor.DeclareAsk[int, int](serverType, "switches")
	sum        = actor.DeclareAsk[int, int](serverType, "sum")
	add        = actor.Declare[int](serverType, "add")
	_          = serverType.Table(
		never.Handle((*server).Never), blank.Handle((*server).Blank), some.Handle((*server).Some),
		early.Handle((*server).Early), switches.Handle((*server).Switch), sum.Handle((*server).Sum),
		add.Handle((*server).Add),
	)
)

// holders fails the process if something of that kind is left.
func holders(sys *actor.System, what string) {
	for _, h := range sys.Why() {
		if strings.Contains(h.String(), what) {
			step.Fail("left:", h.String())
		}
	}
}

func init() {
	for name, b := range map[string]ask{
		"never": never, "blank": blank, "some": some, "early": early, "switch": switches,
	} {
		step.Case("gv7/"+name, "left: 1 put-off reply", func() {
			sys := step.Start()
			r := serverType.Spawn(sys, server{})
			go func() { _, _ = b.Ask(context.Background(), r, 0) }()
			for sys.Stats().Messages == 0 {
				_ = sys.Wait(context.Background())
			}
			holders(sys, "put-off reply")
		})
	}
	step.Case("gv7/hold", "left: 1 Hold", func() {
		sys := step.Start()
		_, err := sys.Hold() // want `the release of Hold is dropped: the system waits for it`
		if err == nil {
			holders(sys, "Hold")
		}
	})
	step.Case("gv7/hold on one path", "left: 1 Hold", func() {
		sys := step.Start()
		release, err := sys.Hold() // want `the release of Hold is not called, and not kept, on every path`
		if err != nil {
			return
		}
		if sys.Workers() == 100 {
			release()
		}
		holders(sys, "Hold")
	})
	step.Case("gv7/refused", "lost", func() {
		sys := step.Start(actor.WithWorkers(1))
		r := serverType.Spawn(sys, server{})
		const sent = 10000
		for range sent {
			add.TrySend(sys, r, 1) // want `the error of TrySend is ignored: a message that is refused is lost`
		}
		n, err := sum.Ask(context.Background(), r, 0)
		if err == nil && n < sent || err != nil {
			step.Fail("lost", sent-n, err)
		}
	})
}
