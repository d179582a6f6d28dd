package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// asService makes the test binary the service.
const asService = "GALLOP_INCIDENTS_SERVICE"

func TestMain(m *testing.M) {
	if os.Getenv(asService) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A played service runs in a process of its own.
type played struct {
	*testing.T
	base string // address of the page
	pid  int

	mu       sync.Mutex
	culprits []string
	shutdown chan string
	began    chan struct{}
}

// play starts the service with an incident, and returns when that has begun.
func play(t *testing.T, in incident) *played {
	cmd := exec.Command(os.Args[0], "-child", "-incident", in.name, "-load", fmt.Sprint(in.load))
	cmd.Env = append(os.Environ(), asService+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	logged, err := os.Create(filepath.Join(t.ArtifactDir(), in.name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = logged
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &played{T: t, pid: cmd.Process.Pid, culprits: slices.Clone(in.culprits), shutdown: make(chan string, 1),
		began: make(chan struct{})}
	t.Cleanup(func() {
		_ = stdin.Close() // the service ends by that
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		_ = logged.Close()
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.listen(out)
	}()
	select {
	case <-p.began:
	case <-ended:
		t.Fatal("the service has ended before the incident: see its log")
	case <-time.After(hang):
		t.Fatal("the service does not begin the incident")
	}
	return p
}

// hang is long, because a busy machine may halt a process for a while.
const hang = time.Minute

func (p *played) listen(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		word, text, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case sayPage:
			p.base = text
		case sayBegan:
			close(p.began)
		case sayCulprit:
			p.mu.Lock()
			p.culprits = append(p.culprits, text)
			p.mu.Unlock()
		case sayShutdown:
			p.shutdown <- text
		}
	}
}

// names reports whether a text names the culprit.
func (p *played) names(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.culprits, func(c string) bool { return strings.Contains(text, c) })
}

// An overview is an event of the stream: the part about the findings.
type overview struct {
	System struct {
		Health, Headline string
		Utilisation      float64
		PerSecond        struct{ Messages float64 } `json:"per_second"`
	}
	Lints []finding
}

type finding struct {
	Rule, Severity, Text, Advice string
	Since                        time.Time
	Actors                       []struct {
		ID         uint64
		Type, Name string
		Path       string
	}
}

// subject returns the first actor of the finding, or its text.
func (f finding) subject() string {
	if len(f.Actors) == 0 {
		return f.Text
	}
	a := f.Actors[0]
	return fmt.Sprintf("%s#%d (%s) %s", a.Type, a.ID, a.Name, a.Path)
}

// stream calls f with each overview that the browser would draw, until f returns false or ctx ends.
func (p *played) stream(ctx context.Context, f func(overview) bool) {
	p.Helper()
	r := p.get(ctx, "api/v1/stream", "text/event-stream, application/json")
	if r == nil {
		return
	}
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var o overview
		if err := json.Unmarshal([]byte(data), &o); err != nil {
			p.Fatal(err)
		}
		if !f(o) {
			return
		}
	}
}

// text returns a page of the API as curl gets it.
func (p *played) text(ctx context.Context, page string) string {
	p.Helper()
	r := p.get(ctx, "api/v1/"+page, "*/*")
	if r == nil {
		return ""
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil && ctx.Err() == nil {
		p.Fatal(err)
	}
	return string(data)
}

// get returns nil if ctx ended first.
func (p *played) get(ctx context.Context, path, accept string) *http.Response {
	p.Helper()
	q, err := http.NewRequestWithContext(ctx, "GET", p.base+path, nil)
	if err != nil {
		p.Fatal(err)
	}
	q.Header.Set("Accept", accept)
	r, err := http.DefaultClient.Do(q)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		p.Fatal(err)
	}
	if r.StatusCode != http.StatusOK {
		p.Fatalf("%s: %s", path, r.Status)
	}
	return r
}

var tableFile = flag.String("table", "", "file for a table of the incidents and their first findings")
