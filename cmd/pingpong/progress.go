package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"time"
)

// A progress is one line on a terminal that shows the progress of the run. Without a terminal, as
// with a pipe or a file, it prints nothing.
//
// When a terminal is made narrower, it usually wraps a line that no longer fits, and rows above
// cannot be cleared. So the row above the line is left empty, and is cleared with it.
//
// Log lines, of any goroutine, are written in place of the line. The next tick draws the line again
// below.
type progress struct {
	w       io.Writer // nil: silent
	columns func() int
	ticks   <-chan time.Time // when to draw; nil: never
	stop    func()
	what    string
	// share of the turns that are over before this one, and with it
	over, end float64
	began     time.Time

	mu sync.Mutex // guards writes to w
	// guarded by mu: columns of the line on the screen; 0: none
	drawn int
}

// progressFunc returns the progress of a turn, from 0 to 1, and a note about it.
type progressFunc func() (done float64, more string)

func newProgress(stderr io.Writer) *progress {
	f, ok := stderr.(*os.File)
	if !ok || !isTerminal(f) {
		return &progress{stop: func() {}}
	}
	ticker := time.NewTicker(100 * time.Millisecond)
	p := &progress{w: f, columns: func() int { return columns(f) }, ticks: ticker.C}
	unhear := p.hearLog()
	p.stop = func() { ticker.Stop(); unhear() }
	return p
}

// hearLog lets log messages go through Write, until stop is called.
func (p *progress) hearLog() (stop func()) {
	before := log.Writer()
	log.SetOutput(p)
	return func() { log.SetOutput(before) }
}

// Write writes whole lines in place of the live one. Any goroutine. It implements io.Writer.
func (p *progress) Write(lines []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove()
	return p.w.Write(lines)
}

// byMessages returns the progress of a turn that runs that many messages.
func byMessages(run func() uint64, of float64) progressFunc {
	return func() (float64, string) {
		n := run()
		return float64(n) / of, commas(n) + " messages"
	}
}

// byTime returns the progress of a turn that takes as long as the last one.
func byTime(last time.Duration) progressFunc {
	began := time.Now()
	return func() (float64, string) {
		if last <= 0 {
			return 0, ""
		}
		return float64(time.Since(began)) / float64(last), ""
	}
}

// turn sets the running turn, and the share of all turns that are over before it and after it.
func (p *progress) turn(what string, over, end float64) {
	p.what, p.over, p.end, p.began = what, over, end, time.Now()
	p.draw(func() (float64, string) { return 0, "" })
}

// draw draws the line, cut to the width of the terminal.
func (p *progress) draw(far progressFunc) {
	if p.w == nil {
		return
	}
	columns := p.columns()
	done, more := far()
	line := p.line(p.over+(p.end-p.over)*min(max(done, 0), 1), more, columns)
	p.mu.Lock()
	defer p.mu.Unlock()
	begin := "\r\x1b[K"
	switch {
	case p.drawn == 0:
		begin = "\n"
	case p.drawn > columns: // the terminal has wrapped it
		begin = "\r\x1b[A\x1b[J"
	}
	p.drawn = max(width(line), 1)
	fmt.Fprint(p.w, begin, line)
}

// line returns as much of the line as fits: the text, a bar of at least ten cells, and more.
func (p *progress) line(done float64, more string, columns int) string {
	const shortest, longest = 10, 20
	text := fmt.Sprintf(" %3d %%  %s  %.1f s", int(100*done), p.what, time.Since(p.began).Seconds())
	if more != "" && shortest+width(text+"  "+more) <= columns {
		text += "  " + more
	}
	line := []rune(bar(done, 1, min(max(columns-width(text), 0), longest)) + text)
	return string(line[:min(len(line), max(columns, 0))])
}

// clear clears the line, so that something else can be printed.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove()
}

// remove is clear. Caller holds mu.
func (p *progress) remove() {
	if p.drawn > 0 {
		fmt.Fprint(p.w, "\r\x1b[K\x1b[A")
		p.drawn = 0
	}
}

func (p *progress) close() {
	p.clear()
	p.stop()
}
