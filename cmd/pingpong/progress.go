package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// A progress is one line on a terminal that follows the run. Without a terminal it
// is silent: a pipe or a file gets nothing of it.
type progress struct {
	w      io.Writer // nil: silent
	ticker *time.Ticker
	what   string
	done   float64 // share of the turns that are over
	began  time.Time
}

func newProgress(stderr io.Writer) *progress {
	f, ok := stderr.(*os.File)
	if !ok || !isTerminal(f) {
		return &progress{}
	}
	return &progress{w: f, ticker: time.NewTicker(100 * time.Millisecond)}
}

// turn says what runs from now on, and how much is over.
func (p *progress) turn(scenario, side string, done float64) {
	p.what, p.done, p.began = fmt.Sprintf("%s on %s", scenario, side), done, time.Now()
	p.draw(nil)
}

// tick is when to draw; never, if silent.
func (p *progress) tick() <-chan time.Time {
	if p.ticker == nil {
		return nil
	}
	return p.ticker.C
}

// draw draws the line anew. Messages, if not nil, tells how many there have been in the turn.
func (p *progress) draw(messages func() uint64) {
	if p.w == nil {
		return
	}
	line := fmt.Sprintf("%s %3.0f %%  %s  %.1f s", bar(p.done, 1, 20), 100*p.done, p.what, time.Since(p.began).Seconds())
	if messages != nil {
		line += fmt.Sprintf("  %s messages", commas(messages()))
	}
	fmt.Fprint(p.w, "\r\x1b[K", line)
}

// clear takes the line away, so that something else can be printed.
func (p *progress) clear() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func (p *progress) close() {
	p.clear()
	if p.ticker != nil {
		p.ticker.Stop()
	}
}
