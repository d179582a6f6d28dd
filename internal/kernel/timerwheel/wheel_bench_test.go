package timerwheel

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"
)

// delays are the delays of the entries of a benchmark: up to a second, like time-outs.
func delays(n int) []time.Duration {
	r := rand.New(rand.NewPCG(1, 2))
	d := make([]time.Duration, n)
	for i := range d {
		d[i] = time.Duration(r.IntN(int(time.Second)))
	}
	return d
}

// BenchmarkTimerQueue compares the wheel with a heap, without actors: a million
// entries are added, half of them are removed, and the rest is taken in order.
func BenchmarkTimerQueue(b *testing.B) {
	d := delays(1 << 20)
	b.Run("wheel", func(b *testing.B) {
		at := make([]uint64, len(d))
		for b.Loop() {
			var w Wheel
			for i := range at {
				at[i] = w.Add(uint32(i), uint64(d[i]))
			}
			for i := 0; i < len(at); i += 2 {
				w.Remove(uint32(i), at[i])
			}
			for ok := true; ok; _, ok = w.Pop(uint64(time.Second)) {
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(d)), "ns/timer")
	})
	b.Run("heap", func(b *testing.B) {
		entries := make([]heapEntry, len(d))
		for b.Loop() {
			var h timerHeap
			for i := range entries {
				entries[i].at = d[i]
				heap.Push(&h, &entries[i])
			}
			for i := 0; i < len(entries); i += 2 {
				heap.Remove(&h, entries[i].i)
			}
			for len(h) > 0 {
				heap.Pop(&h)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(d)), "ns/timer")
	})
}

type heapEntry struct {
	at time.Duration
	i  int
}

type timerHeap []*heapEntry

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h timerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i]; h[i].i, h[j].i = i, j }
func (h *timerHeap) Push(x any)        { e := x.(*heapEntry); e.i = len(*h); *h = append(*h, e) }
func (h *timerHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	*h = old[:len(old)-1]
	return e
}
