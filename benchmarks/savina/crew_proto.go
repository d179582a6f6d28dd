package main

import (
	"io"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"
)

type protoCrew struct{ system *actor.ActorSystem }

// protoNode is an actor of protoactor's.
type protoNode struct {
	root *actor.RootContext
	pid  *actor.PID
	do   behaviour
}

func newProto() crew {
	quiet := func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(io.Discard,
			nil))
	}
	return &protoCrew{actor.NewActorSystem(actor.WithLoggerFactory(quiet))}
}

func (n *protoNode) send(_ node, m msg) { n.root.Send(n.pid, &m) }

func (n *protoNode) Receive(ctx actor.Context) {
	if m, ok := ctx.Message().(*msg); ok {
		n.do(n, *m)
	}
}

func (c *protoCrew) spawn(_ int, make func(self node) behaviour) node {
	n := &protoNode{root: c.system.Root}
	n.do = make(n)
	n.pid = c.system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return n }))
	return n
}

func (c *protoCrew) stop() { c.system.Shutdown() }
