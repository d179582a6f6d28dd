package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

// What the process exits with.
const (
	exitOK          = 0
	exitWrong       = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// run is the whole command. The end of the context is an interruption.
func run(ctx context.Context, known []scenario, args []string, stdout, stderr io.Writer) int {
	opts, err := parse(known, args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	}
	code, err := runAll(ctx, opts, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "pingpong:", err)
	}
	return code
}

// runAll runs what was picked, printing each report as soon as it is complete.
func runAll(ctx context.Context, opts options, stdout, stderr io.Writer) (int, error) {
	bar := newProgress(stderr)
	defer bar.close()
	code := exitOK
	var all []report
	for _, s := range opts.picked {
		rep, err := measure(ctx, s, opts, bar)
		if err != nil {
			return exitUsage, err
		}
		bar.clear()
		if err := rep.print(stdout, opts.json); err != nil {
			return exitWrong, err
		}
		all = append(all, rep)
		if rep.interrupted {
			return exitInterrupted, nil
		}
		if !rep.ok() {
			code = exitWrong
		}
	}
	if len(all) > 1 && !opts.json {
		return code, printOverview(stdout, all)
	}
	return code, nil
}
