package browsertest

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
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
