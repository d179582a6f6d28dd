package main

import (
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// every is how often the probe is due.
const every = 200 * time.Microsecond

// beat is one tick, which the other process writes.
type beat struct {
	deadline int64 // when this should have been written, Unix nanoseconds
	witness  int64 // of the one before
	sent     int64 // when the probe was sent it
}

// startTicker starts the other process and returns its output.
func startTicker(d time.Duration) io.Reader {
	cmd := exec.Command(os.Args[0], "-class", "ticker", "-probe", d.String())
	cmd.Stderr = os.Stderr
	from, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		panic(err)
	}
	return from
}

// readBeat waits for the next beat.
func readBeat(from io.Reader) (beat, error) {
	var b [16]byte
	_, err := io.ReadFull(from, b[:])
	return beat{
		deadline: int64(binary.NativeEndian.Uint64(b[:])),
		witness:  int64(binary.NativeEndian.Uint64(b[8:])),
		sent:     time.Now().UnixNano(),
	}, err
}

// tick is the other process. It sleeps without Go's timers, which are good for a
// millisecond.
func tick(d time.Duration) {
	runtime.LockOSThread()
	begin, last := time.Now(), int64(0)
	for deadline := begin; deadline.Sub(begin) < d; deadline = deadline.Add(every) {
		if wait := time.Until(deadline); wait > 0 {
			t := unix.NsecToTimespec(int64(wait))
			_ = unix.Nanosleep(&t, nil)
		}
		var b [16]byte
		binary.NativeEndian.PutUint64(b[:], uint64(deadline.UnixNano()))
		binary.NativeEndian.PutUint64(b[8:], uint64(last))
		if _, err := os.Stdout.Write(b[:]); err != nil {
			return
		}
		last = witness()
	}
}

// witness returns how much processor time a loop takes that is always the same and touches no
// memory. Time that the system gives to other threads is not in it. So if it takes much longer than
// usual, the machine itself is slower, as virtual ones are at times, and not the measured process.
func witness() int64 {
	begin, x := threadTime(), uint64(1)
	for range 4000 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	witnessSink = x
	return threadTime() - begin
}

var witnessSink uint64

// threadTime is the processor time of this thread.
func threadTime() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return t.Nano()
}
