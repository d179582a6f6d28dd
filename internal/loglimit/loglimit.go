// Package loglimit keeps a log small where many things fail in the same way. Of the lines with the
// same [Key] in a minute, the 1st, 2nd, 4th, 8th and so on are written; the others are only
// counted.
package loglimit

import (
	"math/bits"
	"strings"
	"sync"
	"time"
)

const (
	// Window is the time, from the first line of a key, in which its lines are counted. The first
	// line after that begins another window.
	Window = time.Minute
	// MaxKeys is the number of keys of one text that are counted separately. Further keys of that
	// text are counted together.
	MaxKeys = 256
)

// Key identifies lines that are counted together.
type Key struct {
	// Line is the constant text of the line.
	Line string
	// Type is a type of actors, and Where a line of code or a place in a tree of supervisors.
	// Either may be "".
	Type, Where string
}

// Limit counts the lines of one log. The zero Limit has counted none. Its memory is bounded by
// MaxKeys for each text. Any goroutine may use it.
type Limit struct {
	mu    sync.Mutex
	lines map[string]*line // guarded by mu
}

// line has the counts of one text.
type line struct {
	counts map[[2]string]*count // by type and place
	others count                // of the keys for which there was no room
	// sweep is the earliest time at which the window of one of counts may end.
	sweep int64
}

// count has the number of lines in a window, and the time at which the window began.
type count struct {
	n     uint64 // 0: none yet
	since int64
}

// Next counts a line at the time now, in nanoseconds of any clock. It returns the number of lines
// in the window so far, this one included, and whether this one is to be written.
func (l *Limit) Next(k Key, now int64) (soFar uint64, write bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.lines[k.Line]
	if of == nil {
		if l.lines == nil {
			l.lines = map[string]*line{}
		}
		of = &line{counts: map[[2]string]*count{}, sweep: now + int64(Window)}
		l.lines[k.Line] = of
	}
	return of.count([2]string{k.Type, k.Where}, now).next(now)
}

// count returns the count of a key, or others if there is no room for the key.
func (l *line) count(of [2]string, now int64) *count {
	n := l.counts[of]
	if n != nil {
		return n
	}
	if len(l.counts) >= MaxKeys {
		l.makeRoom(now)
	}
	if len(l.counts) >= MaxKeys {
		return &l.others
	}
	n = new(count)
	// The strings may be parts of long ones, such as a stack.
	l.counts[[2]string{strings.Clone(of[0]), strings.Clone(of[1])}] = n
	return n
}

// makeRoom deletes the counts whose window has ended.
func (l *line) makeRoom(now int64) {
	if now < l.sweep {
		return
	}
	l.sweep = now + int64(Window)
	for of, n := range l.counts {
		if n.over(now) {
			delete(l.counts, of)
		} else {
			l.sweep = min(l.sweep, n.since+int64(Window))
		}
	}
}

// over reports whether the window has ended.
func (n *count) over(now int64) bool { return now-n.since >= int64(Window) }

// next counts a line at the time now. It begins a new window if the last one has ended.
func (n *count) next(now int64) (soFar uint64, write bool) {
	if n.n == 0 || n.over(now) {
		*n = count{since: now}
	}
	n.n++
	return n.n, bits.OnesCount64(n.n) == 1
}
