package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
)

// browser is shared by all tests; each has a tab of its own.
var browser context.Context

func TestMain(m *testing.M) {
	path, err := chromium()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) // a browser that is missing is no reason to pass
	}
	opts := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path),
		chromedp.NoSandbox, // CI runs as root
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	all, closeAll := chromedp.NewExecAllocator(context.Background(), opts...)
	var closeBrowser context.CancelFunc
	browser, closeBrowser = chromedp.NewContext(all)
	code := 1
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintln(os.Stderr, "the browser does not start:", err)
	} else {
		code = m.Run()
	}
	closeBrowser()
	closeAll()
	os.Exit(code)
}

func chromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no chromium: apt-get install chromium")
}

// A tab is a test's view of the page of a system. A fault in the page fails the test.
type tab struct {
	*testing.T
	ctx  context.Context
	base string // of the page

	mu     sync.Mutex
	faults []string
}

// open serves the page of a system, below a prefix, and opens a tab.
func open(t *testing.T, sys *actor.System, opts ...observe.Option) *tab {
	mux := http.NewServeMux()
	mux.Handle("/ops/gallop/", http.StripPrefix("/ops/gallop", observe.Handler(sys, opts...)))
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return openAt(t, srv.URL+"/ops/gallop/")
}

// openAt opens a tab for a page that is served already.
func openAt(t *testing.T, base string) *tab {
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: ctx, base: base}
	b.must(chromedp.Do(ctx))
	b.must(chromedp.Listen(ctx, b.note))
	b.must2(chromedp.Call(ctx, log.Enable, cdp.Empty{}))
	b.must2(chromedp.Call(ctx, network.Enable, network.EnableParams{}))
	b.screen(1360, 900, "light")
	t.Cleanup(b.expectNoFaults)
	return b
}

func (b *tab) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *tab) must2(_ cdp.Empty, err error) {
	b.Helper()
	b.must(err)
}

// note remembers errors of the console, violations of the policy, and requests to other servers.
func (b *tab) note(ev any) {
	fault := ""
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		fault = "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			fault += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		fault = fmt.Sprintf("console.%s", e.Type)
	case *log.EventEntryAdded:
		fault = fmt.Sprintf("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, b.base) && !strings.HasPrefix(e.Request.URL, "data:") {
			fault = "a request to " + e.Request.URL
		}
	}
	if fault != "" {
		b.mu.Lock()
		b.faults = append(b.faults, fault)
		b.mu.Unlock()
	}
}

func (b *tab) expectNoFaults() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults {
		b.Error(f)
	}
}

// screen sets the size of the window and the theme that the machine prefers.
func (b *tab) screen(width, height int64, scheme string) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height)))
	b.must2(chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}))
}

// goTo opens a page, and waits until it is drawn.
func (b *tab) goTo(page string) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.Navigate(b.base+"#/"+page)))
	name, _, _ := strings.Cut(page, "/")
	if name == "" {
		name = "overview"
	}
	b.wait(fmt.Sprintf(`document.getElementById('main')?.dataset.ready === %q`, name))
}

// hangTimeout is how long nothing may happen before that is a hang: long, because a busy
// machine may halt a whole process for a minute.
const hangTimeout = 3 * time.Minute

// wait waits until an expression is true.
func (b *tab) wait(expression string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, hangTimeout)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool](expression)); err != nil {
		b.Fatalf("%s: %v\n%s", expression, err, b.text())
	}
}

func eval[T any](b *tab, expression string) T {
	b.Helper()
	x, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	b.must(err)
	return x
}

// text returns the text that a person reads.
func (b *tab) text() string {
	b.Helper()
	return eval[string](b, `document.body.innerText`)
}

// shoot takes a picture.
func (b *tab) shoot(name string) {
	b.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	b.must(err)
	b.must(os.WriteFile(filepath.Join(b.ArtifactDir(), name+".png"), png, 0o644))
}

// api asks the API itself.
func api[T any](b *tab, path string) (answer T) {
	b.Helper()
	r, err := http.NewRequest("GET", b.base+"api/v1/"+path, nil)
	b.must(err)
	r.Header.Set("Accept", "application/json")
	got, err := http.DefaultClient.Do(r)
	b.must(err)
	defer got.Body.Close()
	data, err := io.ReadAll(got.Body)
	b.must(err)
	if err := json.Unmarshal(data, &answer); err != nil {
		b.Fatalf("%s: %v in %s", path, err, data)
	}
	return answer
}
