package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestService: each user has a session, which survives its own crash with a fresh state and
// without harm to others.
func TestService(t *testing.T) {
	s := newService(io.Discard)
	server := httptest.NewServer(s.routes())
	defer func() {
		server.Close()
		if err := s.close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/users/ann", "hello", "200 1"},
		{"POST", "/users/ann", "again", "200 2"},
		{"POST", "/users/bob", "hello", "200 1"},
		{"POST", "/users/ann", "boom", "500 gallop: actor panicked: a bug that this line wakes"},
		{"POST", "/users/ann", "hello", "200 1"},
		{"POST", "/users/bob", "again", "200 2"},
		{"DELETE", "/users/eve", "", `404 gallop: supervise: no such child: "eve"`},
		{"POST", "/users/bob", strings.Repeat("x", longest+1), "400 http: request body too large"},
	} {
		if got := call(t, server, c.method, c.path, c.body); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.method, c.path, got, c.want)
		}
	}
	if tree := call(t, server, "GET", "/tree", ""); !strings.Contains(tree, "├─ ann: session#") || !strings.Contains(tree, "1×") {
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
	s := newService(&saved)
	server := httptest.NewServer(s.routes())
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			if got := call(t, server, "POST", fmt.Sprint("/users/u", i%2), "hello"); !strings.HasPrefix(got, "200 ") {
				t.Error(got)
			}
		})
	}
	all.Wait()
	server.Close()
	if err := s.close(context.Background()); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"saved 100 lines of u0\n", "saved 100 lines of u1\n"} {
		if !strings.Contains(saved.String(), want) {
			t.Errorf("%q lacks %q", saved.String(), want)
		}
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

// Bad arguments: what is wrong, usage, and exit 2; nothing is run.
func TestRun_BadArgumentsExit2WithUsage(t *testing.T) {
	for args, says := range map[string]string{
		"-x": "not defined", "8080": `unexpected argument "8080"`, "-addr localhost:0 more": `"more"`,
	} {
		var stdout, stderr strings.Builder
		code := run(strings.Fields(args), &stdout, &stderr)
		if code != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), says) || !strings.Contains(stderr.String(), "Usage of sessions:") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q, want %q", args, code, &stdout, &stderr, says)
		}
	}
	if code := run([]string{"-h"}, io.Discard, io.Discard); code != 0 {
		t.Errorf("-h: exit %d", code)
	}
}
