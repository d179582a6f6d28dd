// The channels run in their own process, beside gallop's, which takes a turn on request. In one
// process the GC of each side also had to scan the remains of the other side. Go keeps the
// descriptors of a million goroutines for ever, and the GC scans them in every cycle, so that
// gallop's turns took up to a third longer than alone.
//
// The process is this program with the same flags. For every line that it reads it takes a turn,
// and writes the figures as a line. When its input ends it ends too, even in a turn.

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A baseline takes the channels' turns.
type baseline interface {
	// turn runs the work once. last is how long that took the last time. An interruption abandons
	// the work: channel operations that can be canceled would be slower.
	turn(ctx context.Context, j job, bar *progress, last time.Duration) turn
	close()
}

// A baselineStarter starts the baseline that takes the channels' turns of a scenario.
type baselineStarter func(s scenario, opts options, stderr io.Writer) (baseline, error)

// localBaseline runs the turns in this process.
type localBaseline struct{ s scenario }

func (r localBaseline) turn(ctx context.Context, j job, bar *progress, last time.Duration) turn {
	return timed(func() (uint64,
		error) {
		return await(ctx, r.s.channels(j), nil, bar, byTime(last))
	})
}

func (localBaseline) close() {}

// processBaseline runs the turns in another process.
type processBaseline struct {
	process *exec.Cmd
	orders  io.WriteCloser
	results *json.Decoder
}

// channelTurn is the process's report of a turn.
type channelTurn struct {
	Got    uint64        `json:"got"`
	Wall   time.Duration `json:"wall_ns"`
	Allocs uint64        `json:"allocs"`
}

// startBaseline starts the process of a processBaseline.
func startBaseline(s scenario, opts options, stderr io.Writer) (baseline, error) {
	p, err := opts.part(s, channelsPart)
	if err != nil {
		return nil, err
	}
	return startBaselineProcess(p, stderr)
}

// startBaselineProcess starts p as the process of a processBaseline.
func startBaselineProcess(p *exec.Cmd, stderr io.Writer) (baseline, error) {
	p.Stderr = stderr
	in, err := p.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return processBaseline{p, in, json.NewDecoder(out)}, launch(p)
}

func (r processBaseline) turn(ctx context.Context, _ job, bar *progress,
	last time.Duration) (t turn) {
	type answer struct {
		channelTurn
		err error
	}
	out := make(chan answer, 1)
	go func() {
		var a answer
		// an error means that it has ended: Decode reports that
		_, _ = fmt.Fprintln(r.orders)
		a.err = r.results.Decode(&a.channelTurn)
		out <- a
	}()
	a, err := await(ctx, out, nil, bar, byTime(last))
	if a.err != nil {
		err = r.turnErr(ctx, a.err)
	}
	return turn{wall: a.Wall, got: a.Got, allocs: a.Allocs, err: err}
}

// turnErr ends the process and returns the error of its turn: errInterrupted, also if only the
// process was interrupted so far, or the reason of its end.
func (r processBaseline) turnErr(ctx context.Context, fault error) error {
	// its state is decided before its pipes end: killing it now changes nothing
	r.close()
	if ctx.Err() != nil || killedBySignal(r.process) {
		return errInterrupted
	}
	if errors.Is(fault, io.EOF) { // it has ended by itself, for example out of memory
		return fmt.Errorf("the channels' process: %v", r.process.ProcessState)
	}
	return fmt.Errorf("the channels' process: %w", fault)
}

// close ends the process, also in the middle of a turn.
func (r processBaseline) close() {
	_ = r.orders.Close()
	_ = r.process.Process.Kill()
	_ = r.process.Wait()
}

// serveTurns is the main function of the process of a processBaseline. It runs a turn for each line
// of in, and ends when in ends, even in a turn.
func serveTurns(known []scenario, args []string, in io.Reader, out, stderr io.Writer) int {
	opts, err := parse(known, args, stderr)
	if err != nil {
		return exitUsage
	}
	s := opts.picked[0]
	err = takeTurns(in, func() { os.Exit(exitOK) }, func() error {
		t := localBaseline{s}.turn(context.Background(), opts.job(s), &progress{}, 0)
		return json.NewEncoder(out).Encode(channelTurn{Got: t.got, Wall: t.wall, Allocs: t.allocs})
	})
	if err != nil {
		return exitWrong
	}
	return exitOK
}

// warmDelay is how long a turn waits, so that the reader of the next order is in the kernel. A
// turn stops the world first, and Go 1.26 may need a minute for that if a thread enters the kernel
// at that very moment, and stays there. A program that does nothing else met that four times in
// 74,000, and after a wait as long as this once in 200,000: rarer, but not never. Reading during
// the turn would cost the channels a processor.
const warmDelay = time.Millisecond

// takeTurns calls turn for each line of in, until that fails. It calls end as soon as in ends, even
// while turn runs.
func takeTurns(in io.Reader, end func(), turn func() error) error {
	orders := make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(in); lines.Scan(); {
			orders <- struct{}{}
		}
		end()
		close(orders)
	}()
	for range orders {
		time.Sleep(warmDelay)
		if err := turn(); err != nil {
			return err
		}
	}
	return nil
}
