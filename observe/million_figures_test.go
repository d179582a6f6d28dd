//go:build gallop_figures

package observe

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
)

// "top-50 page ≤ 200 ms and ≤ 16 MB": the median of some, with a million actors in the nightly
// form, and fewer otherwise. Bytes do not depend on the machine's load.
func TestThePageOfAMillion(t *testing.T) {
	n := 100_000
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		n = 1_000_000
	}
	h, tools, keep := manyActors(t, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	const pages = 5
	for range pages {
		if w := page(h, tools); w.Code != 200 {
			t.Fatal(w.Code, w.Body)
		}
	}
	took := time.Since(begin) / pages
	runtime.ReadMemStats(&after)
	mb := float64(after.TotalAlloc-before.TotalAlloc) / pages / 1e6
	if c := inspect.Population(h.src.(running).sys); c.Total.Seen < n/2/inspect.OneIn {
		t.Errorf("%d actors in the sample of %d", c.Total.Seen, n)
	}
	t.Logf("%d actors: %v and %.2f MB a page", n, took, mb)
	if mb > 16 {
		t.Errorf("%.1f MB a page, want at most 16", mb)
	}
	if took > 200*time.Millisecond && os.Getenv("GALLOP_NIGHTLY") != "" {
		t.Errorf("%v a page, want at most 200 ms", took)
	}
	runtime.KeepAlive(keep)
}
