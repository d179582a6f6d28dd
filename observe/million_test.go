package observe

import (
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// crowded starts a system with so many idle actors, of which one in a thousand has had a message.
func crowded(tb testing.TB, n int) (sys *actor.System, keep any) {
	sys = actor.Start()
	tb.Cleanup(sys.Stop)
	inspect.Begin(sys) // as Handler does
	refs := make([]actor.Ref[player], n)
	for i := range refs {
		refs[i] = playerType.Spawn(sys, player{})
		if i%1000 == 0 {
			again.Send(sys, refs[i], 0)
		}
	}
	if err := sys.Wait(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return sys, refs
}

// BenchmarkTop measures a page with the 50 busiest actors of a million: a look at the system, the
// rules, and the answer. MB is the allocated memory.
func BenchmarkTop(b *testing.B) {
	h, tools, keep := manyActors(b, 1_000_000)
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		page(h, tools)
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/1e6, "MB/op")
	runtime.KeepAlive(keep)
}

func manyActors(tb testing.TB, n int) (*handler, instruments, any) {
	sys, keep := crowded(tb, n)
	h := Handler(sys).(*handler)
	tools := h.src.begin()
	tb.Cleanup(tools.close)
	h.look.on = true // without a goroutine: looks are made here
	return h, tools, keep
}

// page makes a look and asks for the page.
func page(h *handler, tools instruments) *httptest.ResponseRecorder {
	s := tools.sample(time.Now())
	past := &history{}
	v := viewOf(s.at, nil, s, newJudge(allRules()), past)
	v.overview = overviewOf(v, h.settings)
	h.look.show(v)
	return ask(h, "GET", "/api/v1/top")
}
