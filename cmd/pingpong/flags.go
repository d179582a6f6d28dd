package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// options holds the checked flags.
type options struct {
	picked   []scenario
	n        int // 0: every scenario's own
	workers  int // 0: the runtime's own choice
	rounds   int // turns each side has
	seed     uint64
	json     bool
	baseline bool
	observe  string // where to serve the page; "": nowhere
	page     *page  // that is served there
}

// parse turns arguments into options. If it returns an error, it has already written the error and
// the usage to stderr.
func parse(known []scenario, args []string, stderr io.Writer) (options, error) {
	var opts options
	var name string
	fs := flag.NewFlagSet("pingpong", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() { usage(fs, known) }
	fs.StringVar(&name, "scenario", "pingpong", "`name` of the work to run, or all")
	fs.IntVar(&opts.n, "n", 0, "`operations` in a turn (default: the scenario's own)")
	fs.IntVar(&opts.workers, "workers", 0,
		"scheduler `threads` (default: the runtime's own choice)")
	fs.IntVar(&opts.rounds, "rounds", 5,
		"`turns` each side has; the median counts, of an even number the mean of the two in the middle")
	fs.Uint64Var(&opts.seed, "seed", 1, "`seed` of the random choices in the work")
	fs.BoolVar(&opts.json, "json", false, "print one JSON object a scenario instead of the summary")
	fs.BoolVar(&opts.baseline, "baseline", true, "run the work on goroutines and channels too")
	fs.StringVar(&opts.observe, "observe", "",
		"`address` at which a browser sees what runs, such as localhost:8080 (default: none)")
	if err := fs.Parse(args); err != nil {
		return opts, err
	}
	opts.picked = pick(known, name)
	if err := opts.check(fs, name); err != nil {
		fmt.Fprintln(stderr, "pingpong:", err)
		fs.Usage()
		return opts, err
	}
	return opts, nil
}

// asked is how many operations a turn is to have.
func (o options) asked(s scenario) int {
	if o.n > 0 {
		return o.n
	}
	return s.n
}

// job is the work of a turn.
func (o options) job(s scenario) job { return job{n: s.size(o.asked(s)), seed: o.seed} }

func pick(known []scenario, name string) []scenario {
	if name == "all" {
		return known
	}
	for _, s := range known {
		if s.name == name {
			return []scenario{s}
		}
	}
	return nil
}

// check returns all errors at once.
func (o options) check(fs *flag.FlagSet, name string) error {
	var wrong []error
	if len(o.picked) == 0 {
		wrong = append(wrong, fmt.Errorf("unknown scenario %q", name))
	}
	if isSet(fs, "n") && o.n <= 0 {
		wrong = append(wrong, fmt.Errorf("-n is %d; it must be at least 1", o.n))
	}
	if o.workers < 0 {
		wrong = append(wrong, fmt.Errorf("-workers is %d; it must not be negative", o.workers))
	} else if err := o.tryStart(); err != nil {
		wrong = append(wrong, fmt.Errorf("-workers is %d: %w", o.workers, err))
	}
	if o.rounds <= 0 {
		wrong = append(wrong, fmt.Errorf("-rounds is %d; it must be at least 1", o.rounds))
	}
	if fs.NArg() > 0 {
		wrong = append(wrong, fmt.Errorf("unexpected argument %q", fs.Arg(0)))
	}
	return errors.Join(wrong...)
}

// tryStart returns an error if the runtime rejects the options.
func (o options) tryStart() error {
	sys, err := start(o, nil)
	if err == nil {
		sys.Stop()
	}
	return err
}

func isSet(fs *flag.FlagSet, name string) (found bool) {
	fs.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func usage(fs *flag.FlagSet, known []scenario) {
	w := fs.Output()
	fmt.Fprintf(w, "usage: pingpong [flags]\n\nscenarios:\n")
	for _, s := range known {
		size := fmt.Sprintf("(%s %s)", commas(uint64(s.n)), s.ops)
		fmt.Fprintf(w, "  %-10s %s\n", s.name,
			strings.TrimLeft(flow(defaultColumns, 13, " ", s.about, size), " "))
	}
	fmt.Fprintf(w, "  %-10s every one of them, one after the other\n\nflags:\n", "all")
	fs.PrintDefaults()
}
