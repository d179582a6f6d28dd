// Package observetest has a test fail if package observe finds a problem in a system at work.
// It is for tests of programs under their usual load, which then guard against long turns,
// mailboxes that grow, circles of waiting and the like.
//
// This package has no compatibility promise: each version may change it.
package observetest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
)

// NoLints looks at a system once a second, as the page of package observe does, until end is called
// or the system has ended. Each lint that it finds is an error of the test, once for each rule.
// Exceptions are lints of severity info, which tell how far to trust the others, and the rules
// named in except. docs/observe.md lists the rules. end returns how many looks there were; it may
// be called again.
func NoLints(t testing.TB, sys *actor.System, except ...string) (end func() (looks int)) {
	ctx, cancel := context.WithCancel(context.Background())
	h := observe.Handler(sys)
	read, write := io.Pipe()
	var done sync.WaitGroup
	done.Go(func() {
		r := httptest.NewRequestWithContext(ctx, "GET", "/api/v1/stream", nil)
		r.Host = "localhost"
		h.ServeHTTP(&events{httptest.NewRecorder(), write}, r)
		_ = write.Close() // the reader sees the end
	})
	looks := 0
	done.Go(func() { looks = report(t, read, except) })
	return func() int {
		cancel()
		done.Wait()
		return looks
	}
}

// report reads events to their end.
func report(t testing.TB, from io.Reader, except []string) (looks int) {
	said := slices.Clone(except)
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return looks
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			continue
		}
		looks++
		var o struct {
			Lints []struct{ Rule, Severity, Text, Advice string }
		}
		if err := json.Unmarshal(data, &o); err != nil {
			t.Errorf("observetest: %v", err)
		}
		for _, l := range o.Lints {
			if l.Severity != "info" && !slices.Contains(said, l.Rule) {
				said = append(said, l.Rule)
				t.Errorf("lint %s (%s): %s. %s", l.Rule, l.Severity, l.Text, l.Advice)
			}
		}
	}
}

// events is a response that writes the events of a stream to a pipe.
type events struct {
	*httptest.ResponseRecorder
	to io.Writer
}

var _ http.Flusher = (*events)(nil)

// Write implements http.ResponseWriter.
func (e *events) Write(data []byte) (int, error) { return e.to.Write(data) }

// Flush implements http.Flusher.
func (e *events) Flush() {}
