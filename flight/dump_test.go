package flight_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/flight"
	"github.com/gallop-go/gallop/internal/invariant"
)

// recordings reads all recordings of a directory.
func recordings(t testing.TB, dir string) (all []*flight.Recording) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "gallop-flight-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := flight.Read(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := os.Stat(strings.TrimSuffix(name, ".json") + ".txt"); err != nil {
			t.Error(err)
		}
		all = append(all, s)
	}
	return all
}

// TestDump_Panic: "a dump made by a panic names the panicking message and its sender in 100 % of
// 1,000 runs", while all workers go on, and the rings with them.
func TestDump_Panic(t *testing.T) {
	runs := nightly(100, 1000)
	if invariant.On {
		runs /= 5 // builds with checks are slow
	}
	for range runs {
		panicOnce(t)
	}
}

func panicOnce(t *testing.T) {
	t.Helper()
	sys := start(t)
	dir := t.TempDir()
	rec := record(t, sys, flight.WithDir(dir))
	for range 4 {
		busy := pilotType.Spawn(sys, pilot{})
		do.Send(sys, busy, func(_ *pilot, c *actor.Context) { again(c, 3000) })
	}
	victim, sender := pilotType.Spawn(sys, pilot{}), pilotType.Spawn(sys, pilot{})
	do.Send(sys, sender, func(_ *pilot, c *actor.Context) { crash.Send(c, victim, "on purpose") })
	quiet(t, sys)
	rec.Close()
	all := recordings(t, dir)
	if len(all) != 1 {
		t.Fatalf("%d recordings", len(all))
	}
	s := all[0]
	if s.Trigger == nil {
		t.Fatal("no trigger")
	}
	want := fmt.Sprintf("panic pilot#%d.crash from %s#%d", victim.ID(), s.Trigger.OtherType,
		sender.ID())
	if got := s.Trigger.String(); got != want || !strings.HasSuffix(s.Reason, "on purpose") {
		t.Fatalf("the trigger is %q, want %q; %s", got, want, s.Reason)
	}
	if typ := s.Trigger.OtherType; typ != "pilot" && typ != "" {
		t.Errorf("the sender's type is %q", typ)
	}
	sys.Stop()
}

// TestDump_Reasons: a long turn, a burst of dead letters and a circle of waits are reasons as well.
// Of several within a minute one is written, besides one of a panic, and the next recording says how
// many were not.
func TestDump_Reasons(t *testing.T) {
	for name, of := range map[string]struct {
		limit time.Duration // of turns
		cause func(t *testing.T, sys *actor.System, written func() bool)
		want  flight.What
	}{
		"long turn": {5 * time.Millisecond, func(t *testing.T, sys *actor.System, written func() bool) {
			a, may := pilotType.Spawn(sys, pilot{}), make(chan struct{})
			do.Send(sys, a, func(*pilot, *actor.Context) { <-may })
			eventually(t, "a recording", written)
			close(may)
		}, flight.LongTurn},
		"dead letters": {time.Hour, func(t *testing.T, sys *actor.System, written func() bool) {
			a := pilotType.Spawn(sys, pilot{})
			quit.Send(sys, a, struct{}{})
			quiet(t, sys)
			for range 300 {
				count.Send(sys, a, 1)
			}
			eventually(t, "a recording", written)
		}, flight.DeadLetter},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithLongTurn(of.limit))
			dir := t.TempDir()
			rec := record(t, sys, flight.WithDir(dir))
			of.cause(t, sys, func() bool { return len(recordings(t, dir)) > 0 })
			quiet(t, sys)
			for range 2 { // the second one is too soon
				crash.Send(sys, pilotType.Spawn(sys, pilot{}), "on purpose")
				quiet(t, sys)
			}
			eventually(t, "a recording of the panic", func() bool { return len(recordings(t, dir)) == 2 })
			if err := rec.Dump("the test asks"); err != nil {
				t.Fatal(err)
			}
			all := recordings(t, dir)
			if len(all) != 3 {
				t.Fatalf("%d recordings", len(all))
			}
			if e := all[0].Trigger; e == nil || e.What != of.want || e.Type != "pilot" {
				t.Errorf("the trigger is %v", e)
			}
			if all[1].Missed+all[2].Missed == 0 || all[2].Reason != "the test asks" || all[2].Trigger != nil {
				t.Errorf("the last: %d missed, %s, %v", all[2].Missed, all[2].Reason, all[2].Trigger)
			}
		})
	}
}

// TestDump_Deadlock: a circle of waits for an actor under pressure is a reason.
func TestDump_Deadlock(t *testing.T) {
	sys := start(t)
	dir := t.TempDir()
	record(t, sys, flight.WithDir(dir))
	pressed, sender := pilotType.Spawn(sys, pilot{}), pilotType.Spawn(sys, pilot{})
	do.Send(sys, pressed, func(_ *pilot, c *actor.Context) { c.ApplyPressure() })
	quiet(t, sys)
	do.Send(sys, sender, func(_ *pilot, c *actor.Context) { count.Send(c, pressed, 1) })
	eventually(t, "a recording", func() bool { return len(recordings(t, dir)) > 0 })
	s := recordings(t, dir)[0]
	if e := s.Trigger; e == nil || e.What != flight.Deadlock || e.Actor != pressed.ID() {
		t.Errorf("the trigger is %v", e)
	}
	do.Send(sys, pressed, func(_ *pilot, c *actor.Context) { c.ReleasePressure() })
	quiet(t, sys)
}

// TestDump_KeepsTen: the last ten recordings are kept, and other files.
func TestDump_KeepsTen(t *testing.T) {
	sys := start(t)
	dir := filepath.Join(t.TempDir(), "new")
	rec := record(t, sys, flight.WithDir(dir))
	if err := rec.Dump("0"); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "gallop-flight-notes")
	if err := os.WriteFile(other, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 13; i++ {
		if err := rec.Dump(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	all := recordings(t, dir)
	if len(all) != 10 || all[0].Reason != "3" || all[9].Reason != "12" {
		t.Errorf("%d recordings, from %q to %q", len(all), all[0].Reason, all[len(all)-1].Reason)
	}
	if files, _ := os.ReadDir(dir); len(files) != 2*10+1 {
		t.Errorf("%d files", len(files))
	}
}

// TestDump_Nowhere: without a place to write to Dump says so; an error of the place is returned.
func TestDump_Nowhere(t *testing.T) {
	sys := start(t)
	rec := record(t, sys)
	if err := rec.Dump("x"); !errors.Is(err, flight.ErrNowhere) {
		t.Errorf("error: %v", err)
	}
	rec.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := record(t, sys, flight.WithDir(file)).Dump("x"); err == nil {
		t.Error("no error for a directory that is a file")
	}
}

// TestRecording_Forms: a recording that was written as JSON is read back unchanged. The text begins
// with the losses, and has each event. Read refuses other input.
func TestRecording_Forms(t *testing.T) {
	sys := start(t)
	var text bytes.Buffer
	rec := record(t, sys, flight.WithWriter(&text))
	a := pilotType.Spawn(sys, pilot{})
	for range 5000 {
		count.Send(sys, a, 1)
	}
	quiet(t, sys)
	if err := rec.Dump("a \"reason\""); err != nil {
		t.Fatal(err)
	}
	s := rec.Snapshot()
	s.Reason, s.Missed, s.Trigger = "a \"reason\"", 3, &s.Events[0]
	var file bytes.Buffer
	if err := s.WriteJSON(&file); err != nil {
		t.Fatal(err)
	}
	back, err := flight.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	s.Began, s.Taken = back.Began, back.Taken // but for the monotonic reading and the place
	if !reflect.DeepEqual(s, back) {
		t.Errorf("%+v\nwant\n%+v", back.Lost, s.Lost)
	}
	lines := strings.Split(text.String(), "\n")
	if !strings.HasPrefix(lines[1], "lost ") || !strings.Contains(lines[2], `a "reason"`) {
		t.Errorf("the text begins with %q", lines[:3])
	}
	line := fmt.Sprintf("run pilot#%d.count from outside", a.ID())
	if n := strings.Count(text.String(), line); n < 2000 {
		t.Errorf("the text has %d messages", n)
	}
	for _, bad := range []string{"", "{}", `{"otherData":{"format":"another"}}`} {
		if _, err := flight.Read(strings.NewReader(bad)); !errors.Is(err, flight.ErrNoRecording) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestDump_GoRecorder: a recording comes with the trace of the program's own recorder. If there is
// no such recorder, or it is not running, the recording gives the reason. While trace.Start runs, a
// recording is still written, with or without Go's trace.
func TestDump_GoRecorder(t *testing.T) {
	sys := start(t)
	dump := func(opts ...flight.Option) *flight.Recording {
		t.Helper()
		dir := t.TempDir()
		rec := record(t, sys, append(opts, flight.WithDir(dir))...)
		if err := rec.Dump("test"); err != nil {
			t.Fatal(err)
		}
		rec.Close()
		s := recordings(t, dir)[0]
		if name := s.GoTrace; strings.HasSuffix(name, ".go.trace") {
			if f, err := os.Stat(filepath.Join(dir, name)); err != nil || f.Size() == 0 {
				t.Errorf("Go's trace: %v", err)
			}
		}
		return s
	}
	if s := dump(); !strings.HasPrefix(s.GoTrace, "none: the program has given") {
		t.Errorf("without one: %s", s.GoTrace)
	}
	r := trace.NewFlightRecorder(trace.FlightRecorderConfig{})
	s := dump(flight.WithGoRecorder(r))
	if !strings.HasPrefix(s.GoTrace, "none: the recorder of Go") {
		t.Errorf("with one that does not run: %s", s.GoTrace)
	}
	if err := r.Start(); err != nil {
		t.Skip("another recorder runs: ", err) // a reason outside of this test
	}
	defer r.Stop()
	if s := dump(flight.WithGoRecorder(r)); !strings.HasSuffix(s.GoTrace, ".go.trace") {
		t.Errorf("with one: %s", s.GoTrace)
	}
	var all bytes.Buffer
	if err := trace.Start(&all); err != nil {
		t.Skip("a trace is being written: ", err) // the same
	}
	defer trace.Stop()
	if s := dump(flight.WithGoRecorder(r)); s.GoTrace == "" {
		t.Error("while trace.Start runs: nothing is said")
	} else {
		t.Logf("while trace.Start runs: %s", s.GoTrace)
	}
}

// TestOptions_Misuse: invalid arguments panic.
func TestOptions_Misuse(t *testing.T) {
	for name, f := range map[string]func(){
		"small":  func() { flight.WithRing(flight.SmallestRing - 1) },
		"large":  func() { flight.WithRing(flight.LargestRing + 1) },
		"dir":    func() { flight.WithDir("") },
		"writer": func() { flight.WithWriter(nil) },
		"go":     func() { flight.WithGoRecorder(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "gallop: flight.With") {
					t.Errorf("panic: %v", text)
				}
			}()
			f()
		})
	}
}

// TestDump_PanicsApart: a panic is recorded although another reason was a moment before, and the other
// way round; a second one of either kind within the minute is not.
func TestDump_PanicsApart(t *testing.T) {
	sys := start(t)
	dir := t.TempDir()
	record(t, sys, flight.WithDir(dir))
	gone := pilotType.Spawn(sys, pilot{})
	quit.Send(sys, gone, struct{}{})
	quiet(t, sys)
	letters := func() {
		for range 300 {
			count.Send(sys, gone, 1)
		}
	}
	letters()
	eventually(t, "a recording of the dead letters", func() bool { return len(recordings(t, dir)) == 1 })
	for range 2 {
		crash.Send(sys, pilotType.Spawn(sys, pilot{}), "on purpose")
		quiet(t, sys)
	}
	eventually(t, "a recording of the panic", func() bool { return len(recordings(t, dir)) == 2 })
	all := recordings(t, dir)
	for i, want := range []flight.What{flight.DeadLetter, flight.Panic} {
		if e := all[i].Trigger; e == nil || e.What != want {
			t.Errorf("recording %d is because of %v, want %s", i, e, want)
		}
	}
}
