// Command sessions is an HTTP service with a supervised actor per user, that loses nothing at
// shutdown. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
	"github.com/gallop-go/gallop/supervise"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole program: it exits with 2 on arguments that it cannot use.
func run(args []string, stdout, stderr io.Writer) int {
	addr, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	ln, err := net.Listen("tcp", addr)
	if err == nil {
		err = serve(ctx, ln, stdout, grace)
	}
	if err != nil {
		fmt.Fprintln(stderr, "sessions:", err)
		return 1
	}
	return 0
}

// parse returns an error after it has written the error and the usage.
func parse(args []string, stderr io.Writer) (addr string, err error) {
	fs := flag.NewFlagSet("sessions", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&addr, "addr", "localhost:8080", "where to listen")
	if err := fs.Parse(args); err != nil {
		return "", err
	}
	if fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
		fmt.Fprintln(stderr, "sessions:", err)
		fs.Usage()
	}
	return addr, err
}

// grace is how long a shutdown waits for requests, and then as long again for sessions.
const grace = 10 * time.Second

// serve serves until ctx ends. Then it stops in this order: new requests are refused, running
// requests are answered if that takes no longer than answers, sessions are saved, the system ends.
// It returns an error if the tree ends by itself.
func serve(ctx context.Context, ln net.Listener, out io.Writer, answers time.Duration) error {
	s := newService(out)
	f := &front{service: s, ln: ln, answers: answers}
	err := supervise.Serve(ctx, s.sys, s.tree(f.worker()), 2*grace)
	return errors.Join(f.cut, err)
}

// service is the state that the handlers share.
type service struct {
	sys      *actor.System
	sessions supervise.Supervisor
	out      io.Writer
	page     http.Handler // the live page, for the person on call
}

func newService(out io.Writer, opts ...actor.Option) *service {
	sys := actor.Start(opts...)
	return &service{sys: sys, out: &oneByOne{to: out}, page: observe.Handler(sys)}
}

// oneByOne lets sessions, which end at the same time, write one after another.
type oneByOne struct {
	mu sync.Mutex
	to io.Writer
}

func (w *oneByOne) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// tree declares the service: the sessions, and the HTTP server in front of them.
func (s *service) tree(front ...supervise.Child) supervise.Spec {
	sessions := supervise.Spec{
		Name:     "sessions",
		Strategy: supervise.SimpleOneForOne,
		Template: supervise.Worker[session]{
			Type:    sessionType,
			Restart: supervise.Transient,
			// A session is cheap to restart, and only its user notices. One that fails more often
			// than that is forgotten; the next request starts another.
			Backoff:   supervise.NoBackoff,
			Intensity: supervise.Intensity{Restarts: 1000, Within: time.Minute},
			Stop:      supervise.DrainWithin(grace / 2), // queued lines are kept
		},
	}
	return supervise.Spec{Name: "app", Children: append([]supervise.Child{sessions}, front...)}
}

// session finds the session of a user, or starts one. If two requests start one at the same time,
// the second finds the session of the first.
func (s *service) session(ctx context.Context, user string) (actor.Ref[session], error) {
	r, err := supervise.Find[session](ctx, s.sessions, user)
	if !errors.Is(err, supervise.ErrNoChild) {
		return r, err
	}
	started, err := supervise.StartChild.Ask(ctx, s.sessions.Ref,
		supervise.FromTemplate(user, func(u *session) { u.user, u.out = user, s.out }))
	if errors.Is(err, supervise.ErrNameTaken) {
		return supervise.Find[session](ctx, s.sessions, user)
	}
	r, _ = actor.As[session](started)
	return r, err
}
