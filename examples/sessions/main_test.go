package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// begin starts a service behind a server for tests. end ends both.
func begin(t *testing.T, out io.Writer) (server *httptest.Server, end func()) {
	t.Helper()
	server, _, end = beginWith(t, out)
	return server, end
}

// beginWith is begin, and returns the system too.
func beginWith(t *testing.T, out io.Writer) (server *httptest.Server, sys *actor.System,
	end func()) {
	t.Helper()
	s := newService(out, actor.WithLogger(slog.New(slog.DiscardHandler)))
	root, err := supervise.StartWait(t.Context(), s.sys, s.tree())
	if err == nil {
		s.sessions, err = supervise.FindSupervisor(t.Context(), root, "sessions")
	}
	if err != nil {
		t.Fatal(err)
	}
	server = httptest.NewServer(s.routes())
	return server, s.sys, sync.OnceFunc(func() {
		server.Close()
		actor.Stop(s.sys, root)
		if err := errors.Join(root.Wait(t.Context()), s.sys.Shutdown(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

// TestService: each user has a session, which survives its own crash with a new state and
// without harm to others.
func TestService(t *testing.T) {
	server, end := begin(t, io.Discard)
	defer end()
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/users/ann", "hello", "200 1"},
		{"POST", "/users/ann", "again", "200 2"},
		{"POST", "/users/bob", "hello", "200 1"},
		{"POST", "/users/ann", "boom", "500 gallop: actor panicked: a bug that this line wakes"},
		{"POST", "/users/ann", "hello", "200 1"},
		{"POST", "/users/bob", "again", "200 2"},
		{"DELETE", "/users/eve", "", `404 gallop: supervise: no such child: "eve"`},
		{"POST", "/users/bob", strings.Repeat("x", maxBody+1), "400 http: request body too large"},
	} {
		if got := call(t, server, c.method, c.path, c.body); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.method, c.path, got, c.want)
		}
	}
	if tree := call(t, server, "GET", "/tree", ""); !strings.Contains(tree, "├─ ann: session#") ||
		!strings.Contains(tree, "1×") {
		t.Error(tree)
	}
	if got := call(t, server, "DELETE", "/users/ann", ""); got != "200 " {
		t.Error(got)
	}
}

// TestService_Concurrent: many requests at once, also for the first one of a user: nothing is
// lost, and each user has one session.
func TestService_Concurrent(t *testing.T) {
	var saved strings.Builder
	server, end := begin(t, &saved)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			if got := call(t, server, "POST", fmt.Sprint("/users/u", i%2),
				"hello"); !strings.HasPrefix(got, "200 ") {
				t.Error(got)
			}
		})
	}
	all.Wait()
	end()
	for _, want := range []string{"saved 100 lines of u0\n", "saved 100 lines of u1\n"} {
		if !strings.Contains(saved.String(), want) {
			t.Errorf("%q lacks %q", saved.String(), want)
		}
	}
}

// TestService_Poisoned: "A bug is one user's problem": ten thousand requests over which bob's
// session panics cost no other user an answer, and bob nothing but these.
func TestService_Poisoned(t *testing.T) {
	n := 2500
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		n = 10_000
	}
	server, end := begin(t, io.Discard)
	defer end()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range n / 4 {
				got := call(t, server, "POST", "/users/bob", "boom")
				if !strings.HasPrefix(got, "500 ") && !strings.HasPrefix(got, "503 ") {
					t.Error(got)
				}
			}
		})
	}
	for _, user := range []string{"ann", "eve"} {
		all.Go(func() {
			for i := range n / 10 {
				if got, want := call(t, server, "POST", "/users/"+user, "hello"),
					fmt.Sprint("200 ", i+1); got != want {
					t.Errorf("%s: %q, want %q", user, got, want)
				}
			}
		})
	}
	all.Wait()
	for _, c := range []struct{ method, path, want string }{
		{"POST", "/users/bob", "200 1"}, {"POST", "/users/ann", fmt.Sprint("200 ", n/10+1)},
		{"GET", "/tree", "200 "},
	} {
		if got := call(t, server, c.method, c.path, "hello"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.method, c.path, got, c.want)
		}
	}
}

// TestServe_RootEnds: main does not outlive the root: if the server in front fails, serve
// returns why.
func TestServe_RootEnds(t *testing.T) {
	ln, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	if err := serve(t.Context(), ln, io.Discard, time.Nanosecond); !errors.Is(err, net.ErrClosed) {
		t.Errorf("serve returned %v", err)
	}
}

// TestRefuse: an ended session or service is 503, even if it ended over a panic.
func TestRefuse(t *testing.T) {
	panicked := &actor.PanicError{Value: "bug"}
	for want, err := range map[int]error{
		500: panicked, 503: fmt.Errorf("%w: %w", actor.ErrStopped, panicked),
		404: supervise.ErrNoChild,
	} {
		w := httptest.NewRecorder()
		if refuse(w, err); w.Code != want {
			t.Errorf("%v: %d, want %d", err, w.Code, want)
		}
	}
}

// TestServe_SlowClient: a client that never sends the rest of a request is cut off at a stop, and
// costs no user a session.
func TestServe_SlowClient(t *testing.T) {
	ln, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- serve(ctx, ln, &out, time.Nanosecond) }()
	res, err := http.Post(fmt.Sprintf("http://%s/users/ann", ln.Addr()), "text/plain",
		strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	slow, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	fmt.Fprint(slow, "POST /users/eve HTTP/1.1\r\nHost: eve\r\nContent-Length: 9\r\nExpect: "+
		"100-continue\r\n\r\n")
	if line, err := bufio.NewReader(slow).ReadString('\n'); !strings.Contains(line, "100") {
		t.Fatal(line, err)
	} // the body is being read now
	stop()
	if err := <-served; !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "cut off") {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "saved 1 lines of ann\n") {
		t.Errorf("%q: ann was not saved", &out)
	}
}

func call(t *testing.T, s *httptest.Server, method, path, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Client().Do(r)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	return fmt.Sprintf("%d %s", res.StatusCode, strings.TrimSuffix(string(b), "\n"))
}

// Bad arguments print an error and the usage, exit with 2, and run nothing.
func TestRun_BadArgumentsExit2WithUsage(t *testing.T) {
	for args, says := range map[string]string{
		"-x": "not defined", "8080": `unexpected argument "8080"`,
		"-addr localhost:0 more": `"more"`,
	} {
		var stdout, stderr strings.Builder
		code := run(strings.Fields(args), &stdout, &stderr)
		if code != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), says) ||
			!strings.Contains(stderr.String(), "Usage of sessions:") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q, want %q", args, code, &stdout, &stderr,
				says)
		}
	}
	if code := run([]string{"-h"}, io.Discard, io.Discard); code != 0 {
		t.Errorf("-h: exit %d", code)
	}
}
