package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"
)

// cell is one figure of the table.
type cell struct {
	side    string
	workers int
}

// compare measures all that was asked for and prints the table. It returns the exit status.
func compare(c config) (status int) {
	if c.neighbour {
		stop := keepBusy()
		defer stop()
	}
	printHead(c)
	for _, name := range c.programs {
		p, ok := find(name)
		if !ok {
			fmt.Fprintf(os.Stderr, "savina: no program %q\n", name)
			return 2
		}
		wall, cpu, p99, err := c.measureProgram(p)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
		printRow(c, p.name, wall)
		if c.cpu {
			printRow(c, "  cpu", cpu)
		}
		if c.cpu && len(p99) > 0 {
			printRow(c, "  p99", p99)
		}
	}
	return status
}

// times are the figures of a program's cells.
type times map[cell][]time.Duration

// one is the figure that stands for all of a cell: the median, or the least.
func (t times) one(c config, k cell) time.Duration {
	all := slices.Sorted(slices.Values(t[k]))
	switch {
	case len(all) == 0:
		return 0
	case c.best:
		return all[0]
	}
	return all[len(all)/2]
}

// measureProgram runs the processes of one program in turns.
func (c config) measureProgram(p program) (wall, cpu, p99 times, err error) {
	wall, cpu, p99 = times{}, times{}, times{}
	sums := map[string]uint64{}
	for range c.rounds {
		for _, side := range c.sides {
			if p.run(side, 1) == nil {
				continue
			}
			for _, w := range c.workers {
				r, err := c.spawn(p.name, side, w)
				if err != nil {
					return wall, cpu, p99, fmt.Errorf("%s, %s, %d: %w", p.name, side, w, err)
				}
				if c.stats {
					fmt.Printf("  %-9s %d  %v %s\n", side, w, r.Times, r.Stats)
				}
				k := cell{side, w}
				wall[k], cpu[k] = append(wall[k], r.Times...), append(cpu[k], r.CPU...)
				if len(r.P99) > 0 {
					p99[k] = append(p99[k], r.P99...)
				}
				if !r.Late {
					sums[side] = r.Sum
				}
			}
		}
	}
	return wall, cpu, p99, c.checkSums(p, sums)
}

// checkSums reports sides that have done something else than the others.
func (c config) checkSums(p program, sums map[string]uint64) error {
	var first string
	for _, side := range c.sides {
		sum, ok := sums[side]
		switch {
		case !ok:
		case first == "":
			first = side
		case sum != sums[first]:
			return fmt.Errorf("%s: checksum %x on %s, %x on %s", p.name, sum, side, sums[first], first)
		}
	}
	return nil
}

// spawn measures one side in a process of its own. One that takes too long is ended; its time is
// the limit then.
func (c config) spawn(name, side string, workers int) (r result, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-child", "-programs", name, "-sides", side,
		"-workers", strconv.Itoa(workers), "-reps", strconv.Itoa(c.reps),
		"-procs", strconv.Itoa(c.procs), "-scale", fmt.Sprint(c.scale))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return result{Times: []time.Duration{c.limit}, CPU: []time.Duration{c.limit}, Late: true}, nil
	}
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	return r, err
}

// keepBusy starts a process that computes, until stop is called.
func keepBusy() (stop func()) {
	cmd := exec.Command(os.Args[0], "-child", "-programs", "busy", "-sides", "gallop")
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
}

func printHead(c config) {
	fmt.Printf("%-14s", "ms")
	for _, side := range c.sides {
		for _, w := range c.workers {
			fmt.Printf("%10s %d", side, w)
		}
		if len(c.workers) > 1 {
			fmt.Printf("%6s", "ratio")
		}
	}
	fmt.Println()
}

// printRow prints a program's figures. The ratio is that of the time with two workers, or the
// second number that was asked for, to the time with one.
func printRow(c config, name string, t times) {
	fmt.Printf("%-14s", name)
	for _, side := range c.sides {
		for _, w := range c.workers {
			fmt.Printf("%12s", figure(t.one(c, cell{side, w})))
		}
		if len(c.workers) > 1 {
			fmt.Printf("%6s", ratio(t.one(c, cell{side, c.workers[1]}), t.one(c, cell{side, c.workers[0]})))
		}
	}
	fmt.Println()
}

func figure(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return strconv.FormatFloat(d.Seconds()*1000, 'f', 1, 64)
}

func ratio(a, b time.Duration) string {
	if b == 0 {
		return "–"
	}
	return strconv.FormatFloat(float64(a)/float64(b), 'f', 2, 64)
}
