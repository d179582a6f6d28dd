// Command savina runs programs of the Savina suite of actor benchmarks (Imam and Sarkar, AGERE
// 2014) and some of a service's shape. Each is written for gallop as a user would write it, for
// plain Go as well as Go can do it, and in actor shape for goroutines with channels, for phony and
// for protoactor-go. All sides of a program must come to the same checksum.
//
//	go run .                      # the table: medians, and the time of two workers over that of one
//	go run . -programs uct,sor -sides gallop,plain -rounds 9
//
// Each measurement is a process of its own, which does one run to warm up and then -reps more. The
// processes of all sides and numbers of workers take turns, in -rounds rounds. With k workers a
// process has GOMAXPROCS=k, whatever the side, unless -procs says otherwise.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// config has the values of the flags.
type config struct {
	programs, sides []string
	workers         []int
	rounds, reps    int
	procs           int
	scale           float64
	neighbour       bool
	stats           bool
	cpu, best       bool
	limit           time.Duration
	child           bool
}

func main() {
	c := flags()
	if c.child {
		r, err := measure(c)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_ = json.NewEncoder(os.Stdout).Encode(r)
		return
	}
	os.Exit(compare(c))
}

func flags() (c config) {
	progs := flag.String("programs", "", "which programs, separated by commas; none: all")
	which := flag.String("sides", strings.Join(sideNames, ","), "which sides")
	workers := flag.String("workers", defaultWorkers(), "how many workers")
	flag.IntVar(&c.rounds, "rounds", 3, "processes for each measurement")
	flag.IntVar(&c.reps, "reps", 3, "runs in each process, besides one to warm up")
	flag.IntVar(&c.procs, "procs", 0, "GOMAXPROCS; 0: the number of workers")
	flag.Float64Var(&c.scale, "scale", 1, "multiplies the sizes of the programs")
	flag.BoolVar(&c.neighbour, "neighbour", false, "keep one processor busy meanwhile")
	flag.BoolVar(&c.cpu, "cpu", false, "print processor time as well, and the 99th percentile of "+
		"a request's time")
	flag.BoolVar(&c.best, "best", false, "print the least of the times, not medians: for a machine "+
		"that has other work")
	flag.BoolVar(&c.stats, "stats", false, "print what the workers of gallop did, and every run")
	flag.DurationVar(&c.limit, "limit", 10*time.Second, "for one process; what takes longer is shown "+
		"with this time")
	flag.BoolVar(&c.child, "child", false, "measure one side of one program in this process")
	flag.Parse()
	c.programs, c.sides = commas(*progs), commas(*which)
	for _, w := range commas(*workers) {
		n, err := strconv.Atoi(w)
		if err != nil || n < 1 {
			fmt.Fprintf(os.Stderr, "savina: -workers %q\n", *workers)
			os.Exit(2)
		}
		c.workers = append(c.workers, n)
	}
	if len(c.programs) == 0 {
		for _, p := range programs {
			c.programs = append(c.programs, p.name)
		}
	}
	return c
}

func commas(s string) []string {
	return slices.DeleteFunc(strings.Split(s, ","), func(s string) bool { return s == "" })
}

func defaultWorkers() string {
	if n := runtime.NumCPU(); n > 2 {
		return "1,2," + strconv.Itoa(n)
	}
	return "1,2"
}

// result holds the measurements of one process.
type result struct {
	Times []time.Duration
	CPU   []time.Duration // processor time of the same runs
	P99   []time.Duration // of the requests of each run, if it serves any
	Sum   uint64
	Stats string
	Late  bool // it took too long
}
