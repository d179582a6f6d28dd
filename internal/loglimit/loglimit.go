// Package loglimit keeps a log small where many things fail in the same way. Of lines that say the
// same, the 1st, 2nd, 4th, 8th and so on in a minute are written; the others are only counted.
package loglimit

import (
	"math/bits"
	"strings"
	"sync"
	"time"
)

const (
	// Window is the time after the first of a key's lines in which they are counted. The next line
	// begins another window.
	Window = time.Minute
	// MaxKeys is how many keys are counted apart for one text. While there are as many, further keys
	// of that text are counted together.
	MaxKeys = 256
)

// Key says which lines count as the same.
type Key struct {
	// Line is the constant text of the line.
	Line string
	// Type and Where say of whom and of what place the line is: a type of actors and a line of code,
	// or a place in a tree of supervisors. Either may be "".
	Type, Where string
}

// Limit counts the lines of one log. The zero Limit has counted none. Its memory is bounded by
// MaxKeys for each text. Any goroutine may use it.
type Limit struct {
	mu    sync.Mutex
	lines map[string]*line // guarded by mu
}

// line is what is known of the lines of one text.
type line struct {
	counts map[[2]string]*count // by type and place
	others count                // of the keys for which there was no room
	// sweep is when the first of counts may be out of date: before that, no room can be made.
	sweep int64
}

// count counts in one window.
type count struct {
	n     uint64 // 0: none yet
	since int64
}

// Next counts a line at the time now, in nanoseconds of any clock. It returns how many there were
// in the window so far, and whether this one is to be written.
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

// count returns the count of a key, which is that of the others if there is no room for it.
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

// makeRoom forgets the counts whose window is over.
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

// next counts a line.
func (n *count) next(now int64) (soFar uint64, write bool) {
	if n.n == 0 || n.over(now) {
		*n = count{since: now}
	}
	n.n++
	return n.n, bits.OnesCount64(n.n) == 1
}
