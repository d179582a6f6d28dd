package loglimit_test

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/loglimit"
)

const minute = int64(loglimit.Window)

// written returns the number of lines that are written of n lines of a key at one time.
func written(l *loglimit.Limit, k loglimit.Key, n int, now int64) (lines int) {
	for range n {
		if _, write := l.Next(k, now); write {
			lines++
		}
	}
	return lines
}

// TestLimit: the 1st, 2nd, 4th, 8th and so on of a key in a minute are written, with their number.
func TestLimit(t *testing.T) {
	var l loglimit.Limit
	k := loglimit.Key{Line: "panic", Type: "a", Where: "a.go:1"}
	var got []uint64
	for range 100 {
		if n, write := l.Next(k, 0); write {
			got = append(got, n)
		}
	}
	if s := fmt.Sprint(got); s != "[1 2 4 8 16 32 64]" {
		t.Errorf("written: %s", s)
	}
	if n, write := l.Next(k, minute-1); n != 101 || write {
		t.Errorf("in the same minute: %d, %v", n, write)
	}
	if n, write := l.Next(k, minute); n != 1 || !write {
		t.Errorf("a minute later: %d, %v", n, write)
	}
	for _, other := range []loglimit.Key{
		{Line: "letter", Type: "a", Where: "a.go:1"},
		{Line: "panic", Type: "b", Where: "a.go:1"},
		{Line: "panic", Type: "a", Where: "a.go:2"},
	} {
		if n, write := l.Next(other, minute); n != 1 || !write {
			t.Errorf("%v: %d, %v", other, n, write)
		}
	}
}

// TestLimit_ManyKeys: the number of keys is bounded. Keys without room are counted together, and do
// not disturb the lines of another text. Room is made as soon as a window has ended.
func TestLimit_ManyKeys(t *testing.T) {
	var l loglimit.Limit
	key := func(i int) loglimit.Key { return loglimit.Key{Line: "panic", Where: fmt.Sprint(i)} }
	lines := 0
	for i := range 10_000 {
		lines += written(&l, key(i), 1, int64(i))
	}
	if most := loglimit.MaxKeys + 14; lines > most || lines < loglimit.MaxKeys {
		t.Errorf("%d lines, want at most %d", lines, most)
	}
	if n := l.Keys(); n != loglimit.MaxKeys {
		t.Errorf("%d keys are kept, want %d", n, loglimit.MaxKeys)
	}
	if n, _ := l.Next(loglimit.Key{Line: "letter"}, 10_000); n != 1 {
		t.Errorf("another text: %d", n)
	}
	if n, _ := l.Next(key(20_000), minute+2); n != 1 {
		t.Errorf("after the first windows have ended: %d", n)
	}
	if n, _ := l.Next(key(loglimit.MaxKeys-1), minute+3); n != 2 {
		t.Errorf("one whose window goes on: %d", n)
	}
}
