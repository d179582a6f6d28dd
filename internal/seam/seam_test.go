package seam_test

import (
	"math"
	"testing"
	"testing/synctest"

	"github.com/gallop-go/gallop/internal/seam"
)

// These tests run in both builds: they use the API that the two builds share,
// and expect the results on which the two builds must agree.

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestPointer(t *testing.T) {
	var p seam.Pointer[int]
	a, b := new(int), new(int)
	equal(t, "zero", p.Load(), nil)
	p.Store(a)
	equal(t, "swap", p.Swap(b), a)
	equal(t, "wrong old", p.CompareAndSwap(a, nil), false)
	equal(t, "right old", p.CompareAndSwap(b, a), true)
	equal(t, "load", p.Load(), a)
	equal(t, "wrong old, held", seam.SwapHeld(&p, b, nil), false)
	equal(t, "right old, held", seam.SwapHeld(&p, a, b), true)
	equal(t, "load what was held", p.Load(), b)
}

func TestBool(t *testing.T) {
	var b seam.Bool
	equal(t, "zero", b.Load(), false)
	b.Store(true)
	equal(t, "swap", b.Swap(false), true)
	equal(t, "wrong old", b.CompareAndSwap(true, false), false)
	equal(t, "right old", b.CompareAndSwap(false, true), true)
	equal(t, "load", b.Load(), true)
}

// word and word64 are the methods that the two builds have in common.
type word[T any] interface {
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(o, n T) bool
	Add(T) T
}

type word64[T any] interface {
	word[T]
	Or(T) T
	And(T) T
}

var (
	_ word[uint32]   = (*seam.Uint32)(nil)
	_ word[int32]    = (*seam.Int32)(nil)
	_ word64[uint64] = (*seam.Uint64)(nil)
	_ word64[int64]  = (*seam.Int64)(nil)
)

// wraps takes a word beyond the end of its range. A word of another width would not wrap around
// there.
func wraps[T uint32 | int32 | uint64 | int64](t *testing.T, w word[T], last, first T) {
	t.Helper()
	w.Store(last)
	equal(t, "load", w.Load(), last)
	equal(t, "over", w.Add(1), first)
	equal(t, "load over", w.Load(), first)
	equal(t, "right old", w.CompareAndSwap(first, last), true)
	equal(t, "wrong old", w.CompareAndSwap(first, last), false)
	equal(t, "swap", w.Swap(first), last)
	equal(t, "back", w.Add(^T(0)), last)
}

func TestWords(t *testing.T) {
	wraps[uint32](t, new(seam.Uint32), math.MaxUint32, 0)
	wraps[int32](t, new(seam.Int32), math.MaxInt32, math.MinInt32)
	wraps[uint64](t, new(seam.Uint64), math.MaxUint64, 0)
	wraps[int64](t, new(seam.Int64), math.MaxInt64, math.MinInt64)
}

func TestBits(t *testing.T) {
	var u seam.Uint64
	equal(t, "or", u.Or(6), 0)
	equal(t, "and", u.And(3), 6)
	equal(t, "load", u.Load(), 2)
	var i seam.Int64
	equal(t, "or", i.Or(-1), 0)
	equal(t, "and", i.And(math.MinInt64), -1)
	equal(t, "load", i.Load(), math.MinInt64)
}

// TestParker proves "Park blocks until a token is granted and takes it", with
// real goroutines in both builds.
func TestParker(t *testing.T) {
	p, woken := seam.NewParker(), make(chan bool)
	p.Unpark()
	p.Park() // a token granted before is kept
	go func() { p.Park(); close(woken) }()
	select {
	case <-woken:
		t.Error("woken without a token")
	default:
	}
	p.Unpark()
	<-woken
}

func TestParkerSecondToken(t *testing.T) {
	p := seam.NewParker()
	p.Unpark()
	defer func() {
		equal[any](t, "panic", recover(), "gallop: invariant: second wake token for one sleeper")
	}()
	p.Unpark()
}

// TestSystemClock: all readings are positive, also in a bubble of testing/synctest, where time
// begins with the year 2000. Readers take 0 for never, and a timer with a negative time would
// expire before all others.
func TestSystemClock(t *testing.T) {
	ahead := func(t *testing.T) {
		a := seam.SystemClock{}.Nanos()
		b := seam.SystemClock{}.Nanos()
		if a <= 0 || b < a || b > math.MaxInt64/2 {
			t.Errorf("Nanos %d, then %d", a, b)
		}
	}
	t.Run("outside", ahead)
	synctest.Test(t, ahead)
}
