package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

// Exit codes of the process.
const (
	exitOK          = 0
	exitWrong       = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// A measurer measures one scenario. An error means that there are no figures.
type measurer func(ctx context.Context, s scenario, opts options, stderr io.Writer) (figures, error)

// A command is pingpong with its surroundings.
type command struct {
	known          []scenario
	stdout, stderr io.Writer
	measure        measurer // nil: measureHere or, for several, measureInProcess
}

// run is the whole command. The end of the context is an interruption.
func (c command) run(ctx context.Context, args []string) int {
	opts, err := parse(c.known, args, c.stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	}
	code, err := c.runAll(ctx, opts)
	if err != nil {
		fmt.Fprintln(c.stderr, "pingpong:", err)
	}
	return code
}

// runAll runs the selected scenarios, and prints each summary as soon as it is complete. At the end
// it prints an overview of the scenarios that were not interrupted, also if the process of the next
// scenario was lost.
func (c command) runAll(ctx context.Context, opts options) (code int, err error) {
	measure := c.measure
	switch {
	case measure != nil:
	case len(opts.picked) > 1:
		measure = measureInProcess
	default:
		measure = measureHere
	}
	var done []figures
	for _, s := range opts.picked {
		var f figures
		f, err = measure(ctx, s, opts, c.stderr)
		if errors.Is(err, errInterrupted) { // before it had begun
			code, err = exitInterrupted, nil
			break
		}
		if err != nil {
			code = exitWrong
			break
		}
		if err := c.print(s, f, opts.json); err != nil {
			return exitWrong, err
		}
		if f.Interrupted {
			code = exitInterrupted
			break
		}
		if !f.OK {
			code = exitWrong
		}
		done = append(done, f)
	}
	if len(opts.picked) > 1 && len(done) > 0 && !opts.json {
		if _, full := c.stdout.Write(overview(done, columns(c.stdout))); full != nil {
			return exitWrong, errors.Join(err, full)
		}
	}
	return code, err
}

// measureHere is the measurer that runs a scenario in this process, and its channels in another
// one.
var measureHere = measureBeside(startBaseline)

// measureBeside returns the measurer that runs a scenario in this process, and its channels in the
// baseline that start starts.
func measureBeside(start baselineStarter) measurer {
	return func(ctx context.Context, s scenario, opts options, stderr io.Writer) (figures, error) {
		bar := newProgress(stderr)
		defer bar.close()
		var err error
		if opts.observe != "" {
			if opts.page, err = servePage(opts.observe, stderr); err != nil {
				return figures{}, err
			}
			defer opts.page.close()
		}
		var channels baseline
		if opts.baseline {
			if channels, err = start(s, opts, stderr); err != nil {
				return figures{}, err
			}
			defer channels.close()
		}
		rep, err := measure(ctx, s, opts, bar, channels)
		return rep.figures(), err
	}
}

// print writes the figures in one piece: a line of JSON, or the summary.
func (c command) print(s scenario, f figures, asJSON bool) error {
	text, err := []byte(nil), error(nil)
	if asJSON {
		text, err = f.line()
	} else {
		text = summarize(s, f, columns(c.stdout))
	}
	if err == nil {
		_, err = c.stdout.Write(text)
	}
	return err
}
