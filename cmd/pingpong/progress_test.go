package main

import (
	"bytes"
	"context"
	"log"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// nothing is where every turn begins.
func nothing() (float64, string) { return 0, "" }

// screen returns a progress on a terminal of so many columns, and its output.
func screen(columns *int) (*progress, *bytes.Buffer) {
	var sent bytes.Buffer
	return &progress{w: &sent, columns: func() int { return *columns }, stop: func() {}}, &sent
}

// A log message that comes while the line stands, as in a long turn, takes the line's place and
// does not run into it. The next tick draws the line anew, below. When the line is gone, the log
// goes to its former writer.
func TestProgress_LogTakesItsPlace(t *testing.T) {
	usual, before := log.Writer(), log.Flags()
	defer func() { log.SetOutput(usual); log.SetFlags(before) }()
	var file bytes.Buffer
	log.SetOutput(&file)
	log.SetFlags(0)
	columns := 80
	p, sent := screen(&columns)
	p.stop = p.hearLog()
	p.turn("ring on gallop", 0, 1)
	sent.Reset()
	log.Print("WARN gallop: long turn")
	log.Print("WARN again")
	if got, want := sent.String(),
		"\r\x1b[K\x1b[AWARN gallop: long turn\nWARN again\n"; got != want {
		t.Errorf("two lines are sent as %q, want %q", got, want)
	}
	sent.Reset()
	p.draw(nothing)
	if !strings.HasPrefix(sent.String(), "\n") ||
		!strings.Contains(sent.String(), "ring on gallop") {
		t.Errorf("the line is drawn anew as %q", sent)
	}
	p.close()
	sent.Reset()
	if log.Print("WARN late"); sent.Len() > 0 || file.String() != "WARN late\n" {
		t.Errorf("behind the line %q is sent, and %q logged", sent, &file)
	}
}

// "Live progress in a terminal and none in a pipe."
func TestProgress_OnlyOnATerminal(t *testing.T) {
	var pipe bytes.Buffer
	p := newProgress(&pipe)
	p.turn("pingpong on gallop", 0, 1)
	p.draw(nothing)
	p.close()
	if p.ticks != nil || pipe.Len() > 0 {
		t.Errorf("a pipe got %q", &pipe)
	}

	p, sent := screen(new(defaultColumns))
	p.turn("pingpong on gallop", 0.5, 1)
	p.draw(func() (float64, string) { return 0, "1,234 messages" })
	p.close()
	for _, want := range []string{" 50 %", "pingpong on gallop", "1,234 messages"} {
		if !strings.Contains(sent.String(), want) {
			t.Errorf("the line lacks %q: %q", want, sent)
		}
	}
	if !strings.HasPrefix(sent.String(), "\n") ||
		!strings.HasSuffix(sent.String(), "\r\x1b[K\x1b[A") {
		t.Errorf("the line, or the empty one above, stays behind: %q", sent)
	}
}

// The line moves within a turn: half of the second of four is 37 %. It never passes the end of the
// turn.
func TestProgress_WithinATurn(t *testing.T) {
	p, sent := screen(new(defaultColumns))
	p.turn("pingpong on gallop", 0.25, 0.5)
	for done, want := range map[float64]string{-1: " 25 %", 0.5: " 37 %", 1: " 50 %", 7: " 50 %"} {
		sent.Reset()
		p.draw(func() (float64, string) { return done, "" })
		if !strings.Contains(sent.String(), want) {
			t.Errorf("%v of the turn: want %s: %q", done, want, sent)
		}
	}
}

// The shares of the turns go from none to all, also with very many rounds.
func TestOver_OfManyRounds(t *testing.T) {
	for _, baseline := range []bool{true, false} {
		for _, rounds := range []int{1, 2, math.MaxInt/2 + 1, math.MaxInt} {
			o, last := options{rounds: rounds, baseline: baseline}, 0.0
			for _, i := range []int{0, rounds / 2, rounds - 1} {
				over := o.progressOf(i, 1)
				if over < last || over > 1 {
					t.Errorf("%d of %d rounds: %v are over, after %v", i, rounds, over, last)
				}
				last = over
			}
			if o.progressOf(0, 0) != 0 || baseline && o.progressOf(rounds-1, 2) != 1 || !baseline &&
				last != 1 {
				t.Errorf("%d rounds: from %v to %v", rounds, o.progressOf(0, 0), last)
			}
		}
	}
}

// A turn that has run one message of two and waits is half over, on the line too.
func TestProgress_FollowsTheMessages(t *testing.T) {
	out, ticks, over := make(chan uint64, 1), make(chan time.Time), make(chan struct{})
	half := broken(func(_ context.Context, sys *actor.System, _ job) <-chan uint64 {
		spinnerSpin.Send(sys, spinnerType.Spawn(sys, spinner{once: true}), struct{}{})
		return out
	})
	var seen sync.Once
	p, _ := screen(new(defaultColumns))
	p.w, p.ticks = sink(func(line string) {
		if strings.Contains(line, " 50 %") {
			seen.Do(func() { out <- 2 })
		}
	}), ticks
	go func() {
		for {
			select {
			case ticks <- time.Time{}:
			case <-over:
				return
			}
		}
	}()
	rep, err := measure(t.Context(), half, options{n: 2, rounds: 1, workers: 1}, p,
		localBaseline{half})
	close(over)
	if err != nil || !rep.ok() {
		t.Errorf("start: %v, report: %v", err, rep.err)
	}
}

type sink func(line string)

func (s sink) Write(p []byte) (int, error) { s(string(p)); return len(p), nil }

// A turn of gallop takes as many messages as expected, so that its share of the line is right.
func TestScenarios_MessagesAreExpected(t *testing.T) {
	for _, s := range registry {
		if s.uncounted {
			continue
		}
		const n = 10_000
		rep, err := measure(t.Context(), s, options{n: n, rounds: 1, workers: 1}, &progress{},
			localBaseline{s})
		if err != nil || !rep.ok() {
			t.Fatalf("%s: start: %v, report: %v", s.name, err, rep.err)
		}
		if part := float64(rep.shown().stats.Messages) / s.messages(rep.n); part < 0.95 ||
			part > 1.1 {
			t.Errorf("%s: %.2f of the messages that were expected", s.name, part)
		}
	}
}

// The progress of a turn of the channels is not known: it counts as long as the last one.
func TestByTime(t *testing.T) {
	if done, _ := byTime(0)(); done != 0 {
		t.Errorf("%v of a first turn are done", done)
	}
	if done, _ := byTime(1 << 62)(); done > 0.01 {
		t.Errorf("%v of a very long turn are done", done)
	}
	far := byTime(time.Nanosecond)
	for done := 0.0; done < 1; done, _ = far() { // the clock moves on
	}
}

// The line takes at most a row of the terminal, at any width. A line that was broken in two because
// the terminal was made narrower is removed together with its first half.
func TestProgress_FitsTheTerminal(t *testing.T) {
	columns := 0
	p, sent := screen(&columns)
	p.turn("chameneos on channels", 0, 1)
	for _, columns = range []int{79, 60, 39, 20, 5, 0, 60, 79, 120} {
		before := p.drawn
		sent.Reset()
		p.draw(func() (float64, string) { return 0.5, "12,345,678 messages" })
		line, broken := strings.CutPrefix(sent.String(), "\r\x1b[A\x1b[J")
		if broken != (before > columns) {
			t.Errorf("%d columns after a line of %d: %q", columns, before, sent)
		}
		if line = strings.TrimPrefix(line, "\r\x1b[K"); width(line) > columns {
			t.Errorf("%d columns, %d are drawn: %q", columns, width(line), line)
		}
		if columns >= 39 && !strings.Contains(line, "50 %  chameneos on channels") {
			t.Errorf("%d columns, and the line does not say what it is: %q", columns, line)
		}
		if columns >= 79 && !strings.Contains(line, "messages") {
			t.Errorf("%d columns, and no messages: %q", columns, line)
		}
	}
}
