// Command saga moves money between accounts that crash all the time, and loses none. See
// README.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	n := flag.Int("n", 1000, "how many transfers")
	faults := flag.Float64("faults", 0.2, "the share of steps that crash, from 0 to 0.9")
	flag.Parse()
	if err := demo(os.Stdout, *n, *faults); err != nil {
		fmt.Fprintln(os.Stderr, "saga:", err)
		os.Exit(1)
	}
}

// accounts and start are what the bank of the demonstration has.
const (
	accounts = 10
	start    = 100
)

// demo makes n transfers at once, and looks what is left.
func demo(out io.Writer, n int, faults float64) error {
	b := newBank(accounts, start, faults)
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
