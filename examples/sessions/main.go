// Command sessions is an HTTP service with a supervised actor per user, that loses nothing
// when it is told to stop. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gallop-go/gallop/actor"
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
		err = serve(ctx, ln, stdout, patience)
	}
	if err != nil {
		fmt.Fprintln(stderr, "sessions:", err)
		return 1
	}
	return 0
}

// parse returns an error after it has written what is wrong, and the usage.
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

// patience is how long a shutdown waits for requests, and then as long again for sessions.
const patience = 10 * time.Second

// serve serves until ctx ends. Then it stops in this order: no new requests come in, those that run
// are answered if that takes no longer than answers, sessions are saved, the system ends.
func serve(ctx context.Context, ln net.Listener, out io.Writer, answers time.Duration) error {
	s := newService(out)
	server := &http.Server{Handler: s.routes(), ReadHeaderTimeout: patience}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ln) }()
	fmt.Fprintln(out, "listening on", ln.Addr())
	select {
	case err := <-failed:
		return errors.Join(err, s.close())
	case <-ctx.Done():
	}
	fmt.Fprintln(out, "shutting down")
	return errors.Join(finish(server, answers), s.close())
}

// finish answers the requests that run. Those that take too long are cut off. Otherwise a client
// that never sends the rest of a line would use up the time to save the sessions of all others.
func finish(server *http.Server, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were cut off: %w", err), server.Close())
	}
	return nil
}

// service is what the handlers share.
type service struct {
	sys      *actor.System
	sessions supervise.Supervisor
	out      io.Writer
}

func newService(out io.Writer, opts ...actor.Option) *service {
	s := &service{sys: actor.Start(append(opts, actor.Logger(slog.New(slog.NewTextHandler(io.Discard, nil))))...), out: out}
	s.sessions = supervise.Start(s.sys, supervise.Spec{
		Name:      "sessions",
		Strategy:  supervise.SimpleOneForOne,
		Intensity: supervise.Intensity{Restarts: 1000, Within: time.Minute},
		Template: supervise.Worker[session]{
			Type:    sessionType,
			Restart: supervise.Transient,
			Stop:    supervise.DrainWithin(patience / 2), // what was said before is heard
		},
	})
	return s
}

// close ends the sessions, and then the system.
func (s *service) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := actor.StopWait(ctx, s.sys, s.sessions)
	return errors.Join(err, s.sys.Shutdown(ctx))
}

// session finds the session of a user, or starts one. If two requests start one at the same time,
// the second finds the session of the first.
func (s *service) session(ctx context.Context, user string) (actor.Ref[session], error) {
	r, err := supervise.Find[session](ctx, s.sys, s.sessions, user)
	if !errors.Is(err, supervise.ErrNoChild) {
		return r, err
	}
	started, err := supervise.StartChild(ctx, s.sys, s.sessions, supervise.Like(user, func(u *session) { u.user, u.out = user, s.out }))
	if errors.Is(err, supervise.ErrTaken) {
		return supervise.Find[session](ctx, s.sys, s.sessions, user)
	}
	r, _ = actor.As[session](started)
	return r, err
}
