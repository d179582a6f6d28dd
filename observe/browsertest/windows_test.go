package browsertest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gallop-go/gallop/observe"
)

// Ten windows of one browser at once stay live: a browser has six connections to a server.
func TestTenWindows(t *testing.T) {
	first := open(t, quietly(t))
	windows := []*tab{first}
	for len(windows) < 10 {
		windows = append(windows, openAt(t, first.base))
	}
	for _, b := range windows {
		ctx, cancel := context.WithTimeout(b.ctx, hangTimeout)
		b.must(chromedp.Do(ctx, chromedp.Navigate(b.base)))
		cancel()
	}
	for _, page := range []string{"", "actors"} {
		for _, b := range windows {
			b.goTo(page)
		}
		for _, b := range windows {
			b.run(`window.was = document.getElementById('foot').innerText`)
		}
		for _, b := range windows {
			b.wait(`document.getElementById('foot').innerText !== window.was`)
		}
	}
}

func (b *tab) run(expression string) {
	b.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Evaluate[chromedp.Void](expression))
	b.must(err)
}

// A page whose server does not answer says how old its picture is, and goes on when it can.
func TestAnOldPictureSaysSo(t *testing.T) {
	h := observe.Handler(quietly(t))
	var mu sync.RWMutex
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.RLock()
		defer mu.RUnlock()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	b := openAt(t, srv.URL+"/")
	b.goTo("")
	mu.Lock()
	b.wait(`/was healthy\s+\d+ s old/.test(document.getElementById('headline').innerText)`)
	b.shoot("old")
	b.run(`location.hash = '#/actors'`)
	mu.Unlock()
	b.wait(`!document.getElementById('headline').innerText.includes('old') && document.querySelector('h1').innerText === 'Actors'`)
	b.mu.Lock()
	b.faults = nil // requests that were given up
	b.mu.Unlock()
}
