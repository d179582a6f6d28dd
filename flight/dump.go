package flight

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
)

// The files of one recording differ in their ending only. Their names sort by time.
const (
	prefix     = "gallop-flight-"
	jsonEnding = ".json"
	textEnding = ".txt"
	goEnding   = ".go.trace"
)

// dump writes a recording. Any goroutine may call it.
func (r *Recorder) dump(t trigger) error {
	if r.dir == "" && r.to == nil {
		return ErrNowhere
	}
	tails, full := r.log.Tails() // without the lock: the rings go on meanwhile
	if t.event.What != "" {
		tails = r.looks.with(tails, time.Since(r.start)-t.lasted)
	}
	s := r.recording(tails, full)
	s.Reason, s.Missed = t.reason, r.missed.Swap(0)
	if t.event.What != "" {
		s.Trigger = &t.event
		if e := s.Trigger; e.OtherType == "" && (e.What == Panic || e.What == DeadLetter) {
			e.OtherType = s.typeOf(e.Other)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs [2]error
	if r.dir != "" {
		errs[0] = r.writeFiles(s)
	} else {
		s.GoTrace = r.noGoTrace("it needs a directory")
	}
	if r.to != nil {
		if f := guard.Apart(func() { errs[1] = s.WriteText(r.to) }); f != nil {
			errs[1] = fmt.Errorf("gallop: flight: the writer panicked: %v", f)
		}
	}
	return errors.Join(errs[:]...)
}

// noGoTrace returns the reason why the recording has no trace of Go's recorder.
func (r *Recorder) noGoTrace(why string) string {
	if r.goRec == nil {
		why = "the program has given no recorder of Go's"
	}
	return "none: " + why
}

// writeFiles writes a recording to the directory. The caller holds mu.
func (r *Recorder) writeFiles(s *Recording) error {
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return err
	}
	r.wrote = later(r.wrote, time.Now().UTC())
	name := filepath.Join(r.dir, prefix+r.wrote.Format("20060102T150405.000000"))
	s.GoTrace = r.writeGo(name + goEnding)
	// The JSON file is written last: a program that finds it finds the other files as well.
	return errors.Join(writeFile(name+textEnding, s.WriteText),
		writeFile(name+jsonEnding, s.WriteJSON), r.forget())
}

// later returns now, or the first microsecond after last if now is earlier, so that names stay in
// order.
func later(last, now time.Time) time.Time {
	if least := last.Add(time.Microsecond); now.Before(least) {
		return least
	}
	return now
}

// writeGo writes the trace of Go's recorder. It returns the name of the file, or the reason why
// there is none.
func (r *Recorder) writeGo(name string) string {
	switch {
	case r.goRec == nil:
		return r.noGoTrace("")
	case !r.goRec.Enabled():
		return r.noGoTrace("the recorder of Go's does not run")
	}
	err := writeFile(name, func(w io.Writer) error {
		_, err := r.goRec.WriteTo(w)
		return err
	})
	if err != nil {
		_ = os.Remove(name) // the file is useless; the recording names the error
		return r.noGoTrace(err.Error())
	}
	return filepath.Base(name)
}

// writeFile writes a file under a temporary name and renames it when it is complete.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".gallop-flight-*")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = errors.Join(write(w), w.Flush(), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is reported
		return fmt.Errorf("gallop: flight: %w", err)
	}
	return nil
}

// forget removes all recordings but the last ten.
func (r *Recorder) forget() error {
	files, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	byName := map[string][]string{}
	for _, f := range files {
		name, ours := strings.CutPrefix(f.Name(), prefix)
		for _, ending := range []string{jsonEnding, textEnding, goEnding} {
			if at, ok := strings.CutSuffix(name, ending); ours && ok {
				byName[at] = append(byName[at], f.Name())
			}
		}
	}
	names := make([]string, 0, len(byName))
	for at := range byName {
		names = append(names, at)
	}
	slices.Sort(names)
	var errs []error
	for _, at := range names[:max(0, len(names)-kept)] {
		for _, f := range byName[at] {
			errs = append(errs, os.Remove(filepath.Join(r.dir, f)))
		}
	}
	return errors.Join(errs...)
}
