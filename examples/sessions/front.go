package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// front is the HTTP server as the youngest child of the tree: it accepts requests when all other
// children are up, and is the first to end.
type front struct {
	*service
	ln      net.Listener
	answers time.Duration // how long its end waits for requests that run
	server  *http.Server
	// requests that were cut off; to be read when the tree has ended
	cut error
}

var (
	frontType = actor.NewType[*front]("front")
	failed    = actor.Declare[error](frontType, "failed")
	_         = frontType.Table(failed.Handle(func(_ **front, c *actor.Context, err error) {
		c.Exit(err)
	})).
		OnStart(func(f **front, c *actor.Context) error { return (*f).start(c) }).
		OnStop(func(f **front, c *actor.Context, _ error) { (*f).stop(c) })
)

// worker declares it. Without it, the service is of no use, and ends.
func (f *front) worker() supervise.Child {
	return supervise.Worker[*front]{
		Name: "front", Type: frontType, Init: func(at **front) { *at = f },
		Stop:   supervise.StopWithin(f.answers + grace),
		Decide: func(error) supervise.Decision { return supervise.DecideEscalate },
	}
}

func (f *front) start(c *actor.Context) (err error) {
	if f.sessions, err = supervise.SiblingSupervisor(c, "sessions"); err != nil {
		return err
	}
	f.server = &http.Server{Handler: f.routes(), ReadHeaderTimeout: grace}
	self := actor.Self[*front](c)
	go func() {
		if err := f.server.Serve(f.ln); !errors.Is(err, http.ErrServerClosed) {
			failed.Send(f.sys, self, err)
		}
	}()
	fmt.Fprintln(f.out, "listening on", f.ln.Addr())
	return nil
}

// stop waits for running requests, and cuts off slow ones. Otherwise a client that never sends the
// rest of a line would use up the time for saving the sessions of all others.
func (f *front) stop(c *actor.Context) {
	fmt.Fprintln(f.out, "shutting down")
	c.Blocking(func() {
		ctx, cancel := context.WithTimeout(context.Background(), f.answers)
		defer cancel()
		if err := f.server.Shutdown(ctx); err != nil {
			f.cut = errors.Join(fmt.Errorf("requests were cut off: %w", err), f.server.Close())
		}
	})
}
