// Command saga moves money between accounts that crash all the time, and loses none. See
// README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole program: it exits with 2 on arguments that it cannot use.
func run(args []string, stdout, stderr io.Writer) int {
	n, faults, style, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	if err := demo(stdout, n, faults, style); err != nil {
		fmt.Fprintln(stderr, "saga:", err)
		return 1
	}
	return 0
}

const (
	// mostTransfers take twenty minutes and 5 GB: the disk is in memory.
	mostTransfers = 10_000_000
	// mostFaults is the share of steps that may crash: with 0.5 a thousand transfers take ten
	// seconds, and with 0.9 a single one takes minutes.
	mostFaults = 0.5
)

// The styles of sagas: see saga.go and straight.go.
const (
	inActors    = "actors"
	inProcesses = "processes"
)

// parse returns an error after it has written the error and the usage.
func parse(args []string, stderr io.Writer) (n int, faults float64, style string, err error) {
	fs := flag.NewFlagSet("saga", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.IntVar(&n, "n", 1000, fmt.Sprintf("how many transfers, from 1 to %d", mostTransfers))
	fs.Float64Var(&faults, "faults", 0.2,
		fmt.Sprintf("the share of steps that crash, from 0 to %v", mostFaults))
	fs.StringVar(&style, "style", inActors, "how sagas are written: "+inActors+" or "+inProcesses)
	if err := fs.Parse(args); err != nil {
		return 0, 0, "", err
	}
	switch {
	case style != inActors && style != inProcesses:
		err = fmt.Errorf("-style is %q; it must be %s or %s", style, inActors, inProcesses)
	case n < 1 || n > mostTransfers:
		err = fmt.Errorf("-n is %d; it must be from 1 to %d", n, mostTransfers)
	case !(faults >= 0 && faults <= mostFaults): // as it is if it is no number
		err = fmt.Errorf("-faults is %v; it must be from 0 to %v", faults, mostFaults)
	case fs.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(stderr, "saga:", err)
		fs.Usage()
	}
	return n, faults, style, err
}

// accounts and start are the size of the demonstration's bank.
const (
	accounts = 10
	start    = 100
)

// demo makes n transfers at once, and checks the balances.
func demo(out io.Writer, n int, faults float64, style string) error {
	b := newBank(accounts, start, faults, style)
	defer b.sys.Stop()
	done, refused, err := b.transfers(context.Background(), n)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d transfers: %d done, %d refused and undone\n", n, done, refused)
	fmt.Fprintf(out, "%d crashes\n", b.sys.Stats().Panics)
	fmt.Fprintf(out, "money at the start %d, at the end %d\n", accounts*start, b.disk.total())
	return nil
}
