//go:build gallop_figures

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"testing"
	"time"
)

// A benchmark is no incident: the page finds nothing wrong with a scenario that runs for some
// seconds with -observe. The short form looks at two of them: one with back pressure, and one that
// spawns. The nightly form looks at all.
func TestNoLints(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds") // the page looks once a second
	}
	picked, work := []scenario{fanin, fjcreate}, 5*time.Second
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		picked, work = registry, 15*time.Second
	}
	for _, s := range picked {
		t.Run(s.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), work)
			defer cancel()
			url := make(chan string, 1)
			looks := make(chan int)
			go func() { looks <- lintsOf(ctx, t, <-url) }()
			// One turn that does not end by itself, but for those whose turns fill the memory.
			n := 300_000_000
			if s.name == skynet.name || s.name == sieve.name {
				n = 3 * s.n
			}
			code := command{known: registry, stdout: io.Discard, stderr: urlOf(url),
				measure: measureBeside(nil)}.run(ctx, []string{
				"-observe", "127.0.0.1:0", "-scenario", s.name, "-n", fmt.Sprint(n), "-rounds", "1000",
				"-baseline=false"})
			if code != exitInterrupted {
				t.Errorf("exit %d", code)
			}
			if n := <-looks; n < 2 {
				t.Errorf("the page was looked at %d times", n)
			}
		})
	}
}

// urlOf is a standard error output that finds where the page is.
type urlOf chan<- string

var pageURL = regexp.MustCompile(`http://\S+/`)

func (u urlOf) Write(p []byte) (int, error) {
	if url := pageURL.Find(p); url != nil {
		u <- string(url)
	}
	return len(p), nil
}

// lintsOf looks at the page until ctx ends. Each lint is an error of the test, once for each rule.
// It returns how often it has looked.
func lintsOf(ctx context.Context, t *testing.T, url string) (looks int) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	said := map[string]bool{}
	for ctx.Err() == nil {
		r, err := http.NewRequestWithContext(ctx, "GET", url+"api/v1/stream", nil)
		if err != nil {
			t.Error(err)
			return looks
		}
		answer, err := client.Do(r)
		if err != nil {
			continue // the turn has ended, or the test
		}
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
			if !ok {
				continue
			}
			looks++
			var o struct {
				Lints []struct{ Rule, Severity, Text string }
			}
			if err := json.Unmarshal(data, &o); err != nil {
				t.Error(err)
			}
			for _, l := range o.Lints {
				if l.Severity != "info" && !said[l.Rule] {
					said[l.Rule] = true
					t.Errorf("%s: %s", l.Rule, l.Text)
				}
			}
		}
		_ = answer.Body.Close() // it was read to its end
	}
	return looks
}
