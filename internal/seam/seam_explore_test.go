//go:build gallop_explore

package seam_test

import (
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
)

// hooked runs f with a hook, and returns the number of calls of the hook.
func hooked(f func()) (calls int) {
	old := seam.Hook
	defer func() { seam.Hook = old }()
	seam.Hook = func() { calls++ }
	f()
	return calls
}

// TestHookOncePerAccess: each access is exactly one interleaving point. Two would split an atomic
// operation.
func TestHookOncePerAccess(t *testing.T) {
	var (
		p   seam.Pointer[int]
		b   seam.Bool
		u32 seam.Uint32
		u64 seam.Uint64
		i64 seam.Int64
	)
	parker := seam.NewParker()
	for name, f := range map[string]func(){
		"Point":       seam.Point,
		"Unpark":      parker.Unpark,
		"Pointer.L":   func() { p.Load() },
		"Pointer.S":   func() { p.Store(nil) },
		"Pointer.X":   func() { p.Swap(nil) },
		"Pointer.CAS": func() { p.CompareAndSwap(nil, nil) },
		"Bool.L":      func() { b.Load() },
		"Bool.S":      func() { b.Store(true) },
		"Bool.X":      func() { b.Swap(true) },
		"Bool.CAS":    func() { b.CompareAndSwap(true, false) },
		"Uint32.L":    func() { u32.Load() },
		"Uint32.S":    func() { u32.Store(1) },
		"Uint32.X":    func() { u32.Swap(1) },
		"Uint32.CAS":  func() { u32.CompareAndSwap(1, 2) },
		"Uint32.Add":  func() { u32.Add(1) },
		"Uint64.Or":   func() { u64.Or(1) },
		"Uint64.And":  func() { u64.And(1) },
		"Int64.Add":   func() { i64.Add(1) },
	} {
		if n := hooked(f); n != 1 {
			t.Errorf("%s: %d points", name, n)
		}
	}
}

// TestHookBefore: the hook runs before the access, not after it.
func TestHookBefore(t *testing.T) {
	var w seam.Uint32
	old := seam.Hook
	defer func() { seam.Hook = old }()
	seam.Hook = func() {
		seam.Hook = old
		if w.Load() != 0 {
			t.Error("the access came first")
		}
	}
	w.Add(1)
}

// TestSpinAndParkHooks: Spin and Park call hooks of their own.
func TestSpinAndParkHooks(t *testing.T) {
	spin, await := seam.HookSpin, seam.HookAwait
	defer func() { seam.HookSpin, seam.HookAwait = spin, await }()
	spins, parker := 0, seam.NewParker()
	seam.HookSpin = func() { spins++ }
	seam.HookAwait = func(cond func() bool) {
		if cond() {
			t.Error("a token before it was granted")
		}
		parker.Unpark()
		if !cond() {
			t.Error("no token after it was granted")
		}
	}
	seam.Spin()
	parker.Park()
	if spins != 1 {
		t.Errorf("%d spins", spins)
	}
}

// TestExclude: accesses to excluded memory are no interleaving points. All others are, and after
// ExcludeNone all are.
func TestExclude(t *testing.T) {
	defer seam.ExcludeNone()
	var before, x, after seam.Uint32
	var whole struct {
		a seam.Bool
		p seam.Pointer[int]
	}
	cells := make([]seam.Uint64, 3)
	use := func() {
		x.Load()
		whole.a.Load()
		whole.p.Store(nil)
		cells[0].Load()
		cells[2].Add(1)
		before.Load()
		after.Load()
	}
	for _, c := range []struct {
		name    string
		exclude func()
		calls   int
	}{
		{"Nothing", func() {}, 7},
		{"Word", func() { seam.Exclude(&x) }, 6},
		{"Struct", func() { seam.Exclude(&whole) }, 4},
		{"Slice", func() { seam.ExcludeAll(cells) }, 2},
		{"Part", func() { seam.ExcludeNone(); seam.ExcludeAll(cells[:2]) }, 6},
		{"None", seam.ExcludeNone, 7},
	} {
		if c.exclude(); hooked(use) != c.calls {
			t.Errorf("%s: %d points, want %d", c.name, hooked(use), c.calls)
		}
	}
}
