package observe

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/internal/seam"
)

// ask makes a request, as a browser on the page would.
func ask(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	r.Host = "localhost:8080"
	r.Header.Set("Accept", "application/json")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// hostileName must not be taken for markup by a page, nor for control characters by a terminal.
const hostileName = "<script>alert(1)</script>\"'\u202e\x1b[31m&amp;"

// crowd is a script with something on every page.
func crowd() *script {
	all := []inspect.Actor{an("session", 7, queued(3)), an(hostileName, 8, named(hostileName)),
		an("ledger", 9, queued(inspect.MaxQueued), func(a *inspect.Actor) { a.Overloaded = true })}
	return &script{known: all, tick: func(n int) *sample {
		s := &sample{actors: all, looks: 200, ran: 150, slots: 2}
		s.stats = actor.Stats{Workers: make([]actor.WorkerStats, 2), Messages: uint64(1000 * n)}
		s.workers = []inspect.Worker{worker(0, 0.5, 0, all[0]), worker(1, 0.25, 0, all[1])}
		s.busy = []inspect.Busy{{Type: "session", Behaviour: "say", Actor: 7, Samples: 100, Share: 0.5}}
		s.types = []inspect.Type{{Name: "session", Behaviours: []string{"say"}}, {Name: hostileName}}
		s.names = []inspect.Named{{Name: hostileName, Actor: all[1]}}
		s.graph.Mutes = []inspect.Edge{{From: all[0], To: all[2]}}
		s.graph.Asks = []inspect.Edge{{From: all[1], To: all[0], Behaviour: "get"}}
		s.graph.Circles = [][]inspect.Actor{{all[0], all[2]}}
		s.why = []actor.Holder{{What: "mute", Count: 1, Actor: actor.ActorName{Type: "session", ID: 7}}}
		s.letters, s.panics = lettersAt(7, false).letters, panicAt(n).panics
		s.trees = restarts(1).trees
		s.groups, s.groupsLeftOut = []inspect.Group{{Actor: all[1], What: "pool", Of: "int", Members: 8},
			{Actor: all[2], What: "topic", Silent: true}}, 3
		s.processes = inspect.ProcessList{Seen: 2, Waits: []inspect.ProcessWaits{{On: "reply of",
			Count: 1}, {Count: 1}}, Processes: []inspect.Process{{ID: 21, Names: []string{hostileName},
			Waits: true, On: "reply of", For: all[2]}, {ID: 22}}}
		return s
	}, stateOf: func(_ context.Context, a inspect.Actor) (inspect.Snapshot, error) {
		return inspect.Snapshot{Actor: a, GoType: "main.session",
			Value: map[string]string{"password": "x"}}, nil
	}}
}

// pass lets virtual time pass, in a bubble.
func pass(d time.Duration) {
	time.Sleep(d) // virtual time: it passes when nothing else can go on
}

// inBubble runs f on virtual time, and waits afterwards until the handler looks no more.
func inBubble(t *testing.T, src *script, opts []Option, f func(h *handler)) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(src, opts...)
		f(h)
		pass(2 * idleAfter)
		synctest.Wait()
		if begun, closed := src.counts(); begun != closed {
			t.Errorf("%d begun, %d closed a minute after the last request", begun, closed)
		}
	})
}

// "foreign Origin, rebinding Host, POST without opt-in, 65th stream, oversized query: refused"
func TestRefusals(t *testing.T) {
	open := []Option{WithActions(), WithHosts("ops.example.com")}
	for _, c := range []struct {
		name, method, target string
		opts                 []Option
		header               []string
		want                 int
	}{
		{"a name that was bound to this address", "GET", "/", nil, []string{"Host",
			"evil.example.com"}, 403},
		{"a name that was allowed", "GET", "/", open, []string{"Host", "OPS.example.com:443"}, 200},
		{"an address", "GET", "/", nil, []string{"Host", "[::1]:8080"}, 200},
		{"a foreign origin", "GET", "/api/v1/why", nil, []string{"Origin",
			"https://evil.example.com"}, 403},
		{"an opaque origin", "GET", "/api/v1/why", nil, []string{"Origin", "null"}, 403},
		{"the page itself", "GET", "/api/v1/why", nil, []string{"Origin", "http://localhost:8080"},
			200},
		{"a picture on a foreign page", "GET", "/api/v1/why", nil, []string{"Sec-Fetch-Site",
			"cross-site"}, 403},
		{"a link that was followed", "GET", "/", nil, []string{"Sec-Fetch-Site", "cross-site",
			"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"a frame on a foreign page", "GET", "/", nil, []string{"Sec-Fetch-Site", "cross-site",
			"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"an action without opt-in", "POST", "/api/v1/actor/7/stop", nil, nil, 403},
		{"an action", "POST", "/api/v1/actor/7/stop", open, nil, 204},
		{"a foreign action", "POST", "/api/v1/actor/7/stop", open, []string{"Origin",
			"https://evil.example.com"}, 403},
		{"a foreign action of an old browser", "POST", "/api/v1/actor/7/stop", open,
			[]string{"Sec-Fetch-Site", "same-site"}, 403},
		{"an action by GET", "GET", "/api/v1/actor/7/stop", open, nil, 405},
		{"DELETE", "DELETE", "/api/v1/actor/7", open, nil, 405},
		{"a long query", "GET", "/api/v1/actors?q=" + strings.Repeat("x", 600), nil, nil, 414},
		{"an unknown parameter", "GET", "/api/v1/actors?all=1", nil, nil, 400},
		{"too many wanted", "GET", "/api/v1/actors?limit=501", nil, nil, 400},
		{"no order", "GET", "/api/v1/actors?sort=secret", nil, nil, 400},
		{"no number", "GET", "/api/v1/actor/bob", nil, nil, 400},
		{"an actor that is gone", "GET", "/api/v1/actor/12345", nil, nil, 404},
		{"a process that is gone", "GET", "/api/v1/process/12345", nil, nil, 404},
		{"no such page", "GET", "/api/v1/secrets", nil, nil, 404},
		{"out of the folder", "GET", "/page/..%2fdoc.go", nil, nil, 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := crowd()
			inBubble(t, src, c.opts, func(h *handler) {
				w := ask(h, c.method, c.target, c.header...)
				if w.Code != c.want {
					t.Errorf("status %d, want %d: %s", w.Code, c.want, w.Body)
				}
				if w.Header().Get("Content-Security-Policy") != policyOfContent {
					t.Error("no Content-Security-Policy")
				}
			})
			if stopped := len(src.stopped); (c.want == 204) != (stopped == 1) {
				t.Errorf("%d actors were stopped", stopped)
			}
		})
	}
}

// stream reads a stream until ctx ends, and counts its events.
func stream(ctx context.Context, h http.Handler) (status, events int) {
	r := httptest.NewRequestWithContext(ctx, "GET", "/api/v1/stream", nil)
	r.Host = "localhost"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, strings.Count(w.Body.String(), "event: overview\n")
}

func TestStreamsAreLimitedAndSendASecond(t *testing.T) {
	src := crowd()
	inBubble(t, src, nil, func(h *handler) {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan [2]int, maxStreams)
		for range maxStreams {
			go func() {
				status, events := stream(ctx, h)
				ended <- [2]int{status, events}
			}()
		}
		synctest.Wait()
		if status, _ := stream(ctx, h); status != http.StatusServiceUnavailable {
			t.Errorf("stream %d has status %d", maxStreams+1, status)
		}
		pass(9500 * time.Millisecond)
		cancel()
		for range maxStreams {
			if got := <-ended; got[0] != 200 || got[1] != 10 {
				t.Errorf("status %d and %d events in 9.5 s, want 200 and 10", got[0], got[1])
			}
		}
		if status, _ := stream(ctx, h); status != 200 {
			t.Errorf("after the others have ended: status %d", status)
		}
		if begun, _ := src.counts(); begun != 1 {
			t.Errorf("%d began to look for %d streams", begun, maxStreams)
		}
	})
}

// "While no client looks, nothing runs"; "half a minute after the last request … that ends".
func TestLooksOnlyWhileAClientDoes(t *testing.T) {
	src := crowd()
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(src)
		expect := func(begun, closed int, when string) {
			t.Helper()
			synctest.Wait()
			if b, c := src.counts(); b != begun || c != closed {
				t.Errorf("%s: %d begun and %d closed, want %d and %d", when, b, c, begun, closed)
			}
		}
		expect(0, 0, "before the first request")
		ask(h, "GET", "/")
		ask(h, "GET", "/page/main.js")
		expect(0, 0, "after requests for files")
		ask(h, "GET", "/api/v1/why")
		expect(1, 0, "after a request")
		pass(idleAfter - time.Second)
		ask(h, "GET", "/api/v1/why")
		pass(idleAfter - time.Second)
		expect(1, 0, "while requests come")
		ctx, cancel := context.WithCancel(context.Background())
		go stream(ctx, h)
		pass(10 * idleAfter)
		expect(1, 0, "while a stream is open")
		cancel()
		pass(idleAfter + 2*time.Second)
		expect(1, 1, "after the last client")
		ask(h, "GET", "/api/v1/why")
		expect(2, 1, "after another request")
		pass(2 * idleAfter)
		expect(2, 2, "a minute later")
		ask(h, "GET", "/api/v1/why")
		src.mu.Lock()
		src.ended = true
		src.mu.Unlock()
		pass(tick)
		expect(3, 3, "a second after the end of the system")
	})
}

// Every page of the API answers, as JSON and as text, with and without anything to show.
func TestAllRoutesAnswer(t *testing.T) {
	for name, src := range map[string]*script{"crowd": crowd(), "nothing": {}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, src, nil, func(h *handler) {
				routes := append(h.routes(), route{name: ""},
					route{name: "actors?q=LEDGER&sort=busy&limit=5&type=ledger"},
					route{name: "history?seconds=60"})
				for _, r := range routes {
					w := ask(h, "GET", "/api/v1/"+r.name)
					if w.Code != 200 {
						t.Errorf("%s: %d %s", r.name, w.Code, w.Body)
					}
					if r.name != "" && (!json.Valid(w.Body.Bytes()) || strings.Contains(w.Body.String(),
						":null")) {
						t.Errorf("%s is no JSON, or has a null: %s", r.name, w.Body)
					}
					text := ask(h, "GET", "/api/v1/"+r.name, "Accept", "*/*")
					if got := text.Header().Get("Content-Type"); got != "text/plain; charset=utf-8" {
						t.Errorf("%s for curl is %s", r.name, got)
					}
					if strings.ContainsAny(text.Body.String(), "\x1b\u202e") {
						t.Errorf("%s gives orders to a terminal: %q", r.name, text.Body)
					}
				}
			})
		})
	}
}

// The page lists these addresses for curl.
func TestTextOfAStory(t *testing.T) {
	inBubble(t, crowd(), nil, func(h *handler) {
		for path, want := range map[string][]string{
			"/":                   {"api/v1/lints", "what seems to be wrong"},
			"/api/v1/top":         {"begun just now", "session", "say", "0.5"},
			"/api/v1/mutes":       {"session#7", "ledger#9"},
			"/api/v1/groups":      {"left out  3", "pool", "int", "8", "topic", "ledger#9"},
			"/api/v1/processes":   {"seen  2", "reply of", "21", "ledger#9"},
			"/api/v1/tree":        {"app", "  bob", "1 restarts", "no disk"},
			"/api/v1/panics":      {"index out of range"},
			"/api/v1/deadletters": {"gallop: actor stopped"},
			"/api/v1/actor/7":     {"main.session", "password", "say"},
			"/api/v1/process/21":  {"worker", "sleep", "secret-stack"},
			"/api/v1/metrics":     {"gallop_messages_total 0"},
		} {
			text := ask(h, "GET", path, "Accept", "*/*").Body.String()
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%s does not say %q:\n%s", path, w, text)
				}
			}
		}
	})
}

// "WithRedact has f look at each text that may have data of the program's users in it"
func TestRedactionIsEverywhere(t *testing.T) {
	src := crowd()
	src.known[0].Name, src.known[0].Path = "secret-name", "app/secret-path"
	whats := map[string]bool{}
	redact := WithRedact(func(what, text string) string {
		whats[what] = true
		return "***"
	})
	tick := src.tick
	src.tick = func(n int) *sample {
		s := tick(n)
		s.names[0].Name = "secret-name"
		s.panics[0].Value, s.panics[0].Stack = "secret-value", []byte("secret-stack")
		s.trees[0].Children[0].Name = "secret-name"
		s.why[0].Actor.Name = "secret-name"
		s.groups[0].Actor, s.processes.Processes[0].For = s.actors[0], s.actors[0]
		s.processes.Processes[0].Names[0] = "secret-name"
		return s
	}
	src.stateOf = func(context.Context, inspect.Actor) (inspect.Snapshot, error) {
		return inspect.Snapshot{Value: "secret-state"}, nil
	}
	inBubble(t, src, []Option{redact}, func(h *handler) {
		for _, r := range append(h.routes(), route{name: "actor/7"}, route{name: "process/21"}) {
			for _, accept := range []string{"application/json", "*/*"} {
				if text := ask(h, "GET", "/api/v1/"+r.name, "Accept",
					accept).Body.String(); strings.Contains(text, "secret") {
					t.Errorf("%s shows a secret: %s", r.name, text)
				}
			}
		}
	})
	for _, what := range []string{"name", "path", "panic", "stack", "state"} {
		if !whats[what] {
			t.Errorf("%s was not redacted", what)
		}
	}
}

// The page of an actor that does not come to its state answers at once, with its turn, its mail and
// the actors that wait for it. The state comes when it comes, and stays when it comes no more.
func TestAnActorAnswersAtOnce(t *testing.T) {
	src := crowd()
	tick := src.tick
	src.tick = func(n int) *sample {
		s := tick(n)
		s.now = []nowTurn{{Turn: inspect.Turn{Actor: src.known[0], Behaviour: "say", Lasted: 7 * time.Second},
			at: "main.say main.go:7", stack: "goroutine 7"}}
		if n > 5 { // there are longer ones
			s.now[0].stack, s.now[0].Stack = "", func() []byte { return []byte("goroutine 7") }
		}
		return s
	}
	free := make(chan bool)
	var asks seam.Uint32
	src.stateOf = func(ctx context.Context, _ inspect.Actor) (inspect.Snapshot, error) {
		asks.Add(1)
		select {
		case <-free:
			return inspect.Snapshot{Value: "a state"}, nil
		case <-ctx.Done():
			return inspect.Snapshot{}, ctx.Err()
		}
	}
	inBubble(t, src, nil, func(h *handler) {
		free = make(chan bool)
		open := func(most time.Duration) (one apiOne) {
			t.Helper()
			begin := time.Now()
			w := ask(h, "GET", "/api/v1/actor/7")
			if err := json.Unmarshal(w.Body.Bytes(), &one); err != nil {
				t.Fatal(err, w.Body)
			}
			if took := time.Since(begin); took > most {
				t.Errorf("after %v: %+v", took, one)
			}
			return one
		}
		for range 12 {
			one := open(stateGrace)
			if len(one.Turn) != 1 || one.Turn[0].Stack != "goroutine 7" ||
				one.Turn[0].Behaviour != "say" || len(one.Mail) != 1 || one.Mail[0] != (apiMail{"say", 3}) ||
				len(one.Waited) != 1 || len(one.Findings) == 0 || len(one.Holders) != 1 || one.State != "" {
				t.Errorf("it has %+v", one)
			}
			pass(time.Second)
		}
		if one := open(stateGrace); one.Pending < 12 || !strings.Contains(one.Error, "its turn is long") {
			t.Errorf("for %v s: %s", one.Pending, one.Error)
		}
		if asks := asks.Load(); asks != 2 {
			t.Errorf("it was asked %d times in 12 s", asks)
		}
		free <- true
		if one := open(0); one.State != `"a state"` || one.Age != 0 || one.Error != "" {
			t.Errorf("it came as %+v", one.apiState)
		}
		pass(2 * time.Second)
		open(stateGrace)
		pass(2 * time.Second)
		if one := open(stateGrace); one.State != `"a state"` || one.Age < 4 || one.Pending < 2 {
			t.Errorf("it stayed as %+v", one.apiState)
		}
	})
}

// "at most 10 dear requests a second"
func TestDearRequestsAreFew(t *testing.T) {
	src := crowd()
	for id := range uint64(dearPerSecond + 1) {
		src.known = append(src.known, an("one", 100+id))
	}
	inBubble(t, src, nil, func(h *handler) {
		asked := 0
		for id := range dearPerSecond + 1 {
			if text := ask(h, "GET", fmt.Sprint("/api/v1/actor/", 100+id)).Body.String(); strings.Contains(text, "main.session") {
				asked++
			} else if !strings.Contains(text, "too many states") {
				t.Errorf("the answer is %s", text)
			}
		}
		if asked != dearPerSecond {
			t.Errorf("%d were asked", asked)
		}
		if code := ask(h, "GET", "/api/v1/process/21").Code; code != http.StatusTooManyRequests {
			t.Errorf("the status of a process is %d", code)
		}
		pass(time.Second)
		if code := ask(h, "GET", "/api/v1/process/21").Code; code != 200 {
			t.Errorf("a second later: %d", code)
		}
	})
}

// The prefix may be stripped with its slash or without; the page's own addresses are relative.
func TestAnyPrefix(t *testing.T) {
	for _, strip := range []string{"/ops/gallop", "/ops/gallop/"} {
		mux := http.NewServeMux()
		mux.Handle("/ops/gallop/", http.StripPrefix(strip, newHandler(crowd())))
		for _, path := range []string{"/ops/gallop/", "/ops/gallop/page/style.css",
			"/ops/gallop/healthz"} {
			if w := ask(mux, "GET", path, "Accept", "text/html"); w.Code != 200 {
				t.Errorf("%s below %s: %d", path, strip, w.Code)
			}
		}
	}
	page := ask(newHandler(crowd()), "GET", "/", "Accept", "text/html").Body.String()
	if strings.Contains(page, `="/`) || strings.Contains(page, "http") {
		t.Errorf("an address is not relative:\n%s", page)
	}
}

func TestFilesAreNotSentTwice(t *testing.T) {
	h := newHandler(crowd())
	tag := ask(h, "GET", "/page/main.js").Header().Get("ETag")
	if w := ask(h, "GET", "/page/main.js", "If-None-Match", tag); w.Code != 304 || w.Body.Len() > 0 {
		t.Errorf("status %d and %d bytes", w.Code, w.Body.Len())
	}
}

// A stream sends the answer of the API.
func TestTheStreamIsTheOverview(t *testing.T) {
	inBubble(t, crowd(), nil, func(h *handler) {
		ctx, cancel := context.WithCancel(context.Background())
		r := httptest.NewRequestWithContext(ctx, "GET", "/api/v1/stream", nil)
		r.Host = "localhost"
		w := httptest.NewRecorder()
		done := make(chan struct{})
		go func() { h.ServeHTTP(w, r); close(done) }()
		synctest.Wait()
		want := ask(h, "GET", "/api/v1/overview").Body.String()
		cancel()
		<-done
		lines := bufio.NewScanner(w.Body)
		lines.Buffer(nil, 1<<20)
		lines.Scan()
		lines.Scan()
		if got := strings.TrimPrefix(lines.Text(), "data: "); got != strings.TrimSpace(want) {
			t.Errorf("the stream sends\n%s\nthe API\n%s", got, want)
		}
	})
}

// "an hour": the charts have no more, in no more than 300 points.
func TestHistoryHasAnHour(t *testing.T) {
	past := &history{}
	var before *sample
	for n := range 3 * historyKept {
		s := &sample{at: at(n), stats: actor.Stats{Messages: uint64(n) * 100}}
		past.add(before, s)
		before = s
	}
	a := past.copy().api(at(0), historyKept)
	if len(a.At) != historyPoints || a.Step != 12 || a.Until.Sub(a.Since) != time.Hour-time.Second {
		t.Errorf("%d points of %v s from %v to %v", len(a.At), a.Step, a.Since, a.Until)
	}
	for i, m := range a.Messages {
		if m != 100 || a.MessagesMax[i] != 100 {
			t.Fatalf("point %d: %v messages a second, at most %v", i, m, a.MessagesMax[i])
		}
	}
	if n := len(past.copy().api(at(0), 60).At); n != 60 {
		t.Errorf("a minute has %d points", n)
	}
}

func TestOptionsRefuseNonsense(t *testing.T) {
	for name, f := range map[string]func(){
		"gallop: observe.WithHosts: an empty host":   func() { newHandler(crowd(), WithHosts("")) },
		"gallop: observe.WithRedact: a nil function": func() { WithRedact(nil) },
		"gallop: observe.Handler: a nil option":      func() { newHandler(crowd(), Option(nil)) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != name {
					t.Errorf("panicked with %q, want %q", got, name)
				}
			}()
			f()
		}()
	}
}

// No request makes the handler panic or answer with unescaped text.
func FuzzRequests(f *testing.F) {
	f.Add("GET", "/api/v1/actors", "q=x&sort=busy&limit=3", "localhost", "application/json")
	f.Add("POST", "/api/v1/actor/7/stop", "", "[::1]", "*/*")
	f.Add("GET", "/page/../../x", "%zz", "evil.example.com:99999", "text/html")
	h := newHandler(crowd(), WithActions())
	h.look.latest = viewOf(at(0), nil, crowd().tick(0), newJudge(allRules()), &history{})
	h.look.on = true // without a goroutine: the view is given
	f.Fuzz(func(t *testing.T, method, path, query, host, accept string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Method, r.Host, r.URL.Path, r.URL.RawQuery = method, host, path, query
		r.Header.Set("Accept", accept)
		if strings.Contains(path, "stream") {
			ctx, cancel := context.WithCancel(r.Context())
			cancel()
			r = r.WithContext(ctx)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") &&
			strings.Contains(w.Body.String(), "alert(1)") {
			t.Errorf("%s %q shows markup", method, path)
		}
	})
}

// "one client cannot hold all streams", nor make all the requests.
func TestOneClientLeavesOthersTheirShare(t *testing.T) {
	from := func(h http.Handler, address, path string, ctx context.Context) int {
		r := httptest.NewRequestWithContext(ctx, "GET", path, nil)
		r.Host, r.RemoteAddr = "localhost", address+":1234"
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	inBubble(t, crowd(), nil, func(h *handler) {
		ctx, cancel := context.WithCancel(context.Background())
		for range maxStreams {
			go from(h, "10.0.0.1", "/api/v1/stream", ctx)
		}
		synctest.Wait()
		if code := from(h, "10.0.0.1", "/api/v1/stream", ctx); code != http.StatusServiceUnavailable {
			t.Errorf("one stream more than %d: %d", maxStreams, code)
		}
		short, end := context.WithTimeout(ctx, time.Second)
		defer end()
		if code := from(h, "10.0.0.2", "/api/v1/stream", short); code != 200 {
			t.Errorf("a stream of another client: %d", code)
		}
		cancel()
		codes := map[int]int{}
		for range requestsPerSecond + 1 {
			codes[from(h, "10.0.0.1", "/api/v1/why", context.Background())]++
		}
		if codes[200] != requestsPerSecond || codes[http.StatusTooManyRequests] != 1 {
			t.Errorf("the statuses are %v", codes)
		}
		if code := from(h, "10.0.0.2", "/api/v1/why", context.Background()); code != 200 {
			t.Errorf("a request of another client: %d", code)
		}
	})
	c := newClients()
	synctest.Test(t, func(t *testing.T) {
		for i := range maxClients {
			c.take(fmt.Sprint(i))
		}
		if c.take("one more") {
			t.Errorf("%d clients are known", len(c.by))
		}
		pass(time.Second)
		if !c.take("one more") || len(c.by) != 1 {
			t.Errorf("a second later %d are", len(c.by))
		}
	})
}

// The last view is shown after the end of the system, and nothing looks then.
func TestTheEndIsShown(t *testing.T) {
	src := crowd()
	inBubble(t, src, nil, func(h *handler) {
		ask(h, "GET", "/api/v1/overview")
		pass(1500 * time.Millisecond)
		src.end(h)
		first := ask(h, "GET", "/api/v1/overview").Body.String()
		pass(time.Minute)
		later := ask(h, "GET", "/api/v1/overview").Body.String()
		if first != later || !strings.Contains(first, `"ended":true`) {
			t.Errorf("it was %s\nand is %s", first, later)
		}
		if begun, closed := src.counts(); begun != 1 || closed != 1 {
			t.Errorf("%d begun, %d closed", begun, closed)
		}
	})
}
