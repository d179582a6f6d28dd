// Each of several scenarios runs in its own process, because memory that one leaves behind would be
// in the figures of the next. Go keeps the descriptors of a million goroutines for ever, which
// showed as memory of the scenario after skynet. Subtracting the memory at the start is wrong too,
// since it is reused; and only Linux can reset the peak.
//
// The child process is this program with -json; the parent reads its output. Its standard input is
// a pipe from the parent. The end of the pipe is the interruption, on every system, even if the
// parent is killed. A signal would be the second one for a child that got Ctrl-C from the terminal,
// and the second one kills.

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
)

// partEnv is the environment variable that tells a process which part of the work is its own.
const (
	partEnv      = "GALLOP_PINGPONG_PART"
	scenarioPart = "scenario" // both sides of it
	channelsPart = "channels" // see baseline
)

// measureInProcess is the measurer that runs a scenario in another process.
func measureInProcess(ctx context.Context, s scenario, opts options,
	stderr io.Writer) (figures, error) {
	var f figures
	var out bytes.Buffer
	part, err := opts.part(s, scenarioPart)
	if err != nil {
		return f, err
	}
	part.Stdout, part.Stderr = &out, stderr
	in, err := part.StdinPipe()
	if err != nil {
		return f, err
	}
	if err := launch(part); err != nil {
		return f, err
	}
	stop := context.AfterFunc(ctx, func() { _ = in.Close() })
	defer stop()
	exit := part.Wait()
	err = json.Unmarshal(out.Bytes(), &f)
	switch {
	case err == nil && slices.Contains([]int{exitOK, exitWrong, exitInterrupted},
		part.ProcessState.ExitCode()):
		return f, nil
	case ctx.Err() != nil || killedBySignal(part):
		return f, errInterrupted
	}
	return f, fmt.Errorf("%s in a process of its own: %w", s.name, cmp.Or(exit, err))
}

// killedBySignal reports whether a process that has ended was killed by an interruption before it
// could take or ignore it. The signal is sent to the whole group, and may reach this process later.
func killedBySignal(p *exec.Cmd) bool {
	return slices.Contains([]string{"signal: interrupt", "signal: terminated"},
		p.ProcessState.String())
}

// part returns the command that runs one of the scenarios with the same options.
func (o options) part(s scenario, what string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	part := exec.Command(self, "-json", "-scenario="+s.name, "-rounds="+strconv.Itoa(o.rounds),
		"-seed="+strconv.FormatUint(o.seed, 10), "-baseline="+strconv.FormatBool(o.baseline))
	if o.observe != "" && what == scenarioPart {
		part.Args = append(part.Args, "-observe="+o.observe)
	}
	if o.n > 0 {
		part.Args = append(part.Args, "-n="+strconv.Itoa(o.n))
	}
	if o.workers > 0 {
		part.Args = append(part.Args, "-workers="+strconv.Itoa(o.workers))
	}
	part.Env = append(os.Environ(), partEnv+"="+what)
	return part, nil
}

// cancelAtEOF ends the context when there is nothing more to read.
func cancelAtEOF(ctx context.Context, in io.Reader) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	return ctx
}
