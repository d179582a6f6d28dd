// Command heap measures the cost of the state of a great many actors for the GC, and the cost of
// the GC for the actors: once with the state in ordinary Go values, and once in the actors' own
// arenas. The figures are in docs/heap.md.
//
//	go run . -rounds 5
//
// Each of the actors has a list of 32 nodes of 32 bytes, which is 1 KB. 10,000 of the million
// rebuild theirs repeatedly, 100 MB a second in all, so that the old ones become garbage. Each
// class is measured in its own process. The classes take turns, as often as -rounds says.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

type config struct {
	actors  int
	nodes   int
	cycles  int
	probe   time.Duration
	class   string
	rounds  int
	garbage int
	replace int
	hot     int
	force   time.Duration
}

// result holds the measurements of one process.
type result struct {
	Class   string
	Begin   int64   // of the process, Unix nanoseconds
	MarkMs  float64 // CPU time of marking, per cycle
	CycleMs float64 // wall time of a forced cycle
	RSSMB   float64
	HeapMB  float64 // Go's heap after a collection
	Objects uint64
	BuildMs float64
	BusyMs  float64 // CPU time while delays were measured
	Touches int     // of actors' states, meanwhile
	Hits    []hit
}

func main() {
	c := flags()
	if c.class == "ticker" {
		tick(c.probe)
		return
	}
	if c.class != "" {
		_ = json.NewEncoder(os.Stdout).Encode(measure(c))
		return
	}
	compare(c)
}

func flags() (c config) {
	flag.IntVar(&c.actors, "actors", 1_000_000, "how many actors")
	flag.IntVar(&c.nodes, "nodes", 32, "32-byte nodes per actor")
	flag.IntVar(&c.cycles, "cycles", 3,
		"forced collections to take the mean of, before delays are measured")
	flag.DurationVar(&c.probe, "probe", 12*time.Second, "how long to measure delays")
	flag.IntVar(&c.replace, "replace", 100,
		"MB a second of state that the actors make anew while delays are measured, so that the "+
			"old is garbage")
	flag.IntVar(&c.hot, "hot", 10_000, "how many of the actors do that")
	flag.IntVar(&c.garbage, "garbage", 0,
		"MB a second that the rest of the process makes while delays are measured")
	flag.DurationVar(&c.force, "force", -1,
		"force a collection of Go's, with so much time in between, while delays are measured; "+
			"negative: do not")
	flag.IntVar(&c.rounds, "rounds", 1,
		"how often to measure each class, in turns; medians are printed, and quantiles of all delays")
	flag.StringVar(&c.class, "class", "",
		"measure this class only, in this process: pointers, arena or none; ticker is the other process")
	flag.Parse()
	return c
}

var order = []string{"pointers", "arena", "none"}

// compare runs all kinds in turns and prints the results.
func compare(c config) {
	all, late := map[string][]result{}, map[string]*delays{"pointers": {}, "arena": {}, "none": {}}
	for range c.rounds {
		for _, class := range order {
			r, cycles := child(c, class)
			late[class].add(r.Hits, cycles)
			fmt.Fprintf(os.Stderr,
				"%-9s mark %5.0f ms, p99 %6.0f µs; with the machine at speed %6.0f\n", class,
				r.MarkMs, quantile(r.Hits, 0.99), lastAtSpeed(r.Hits))
			r.Hits = nil
			all[class] = append(all[class], r)
		}
	}
	fmt.Printf("%d actors, %d nodes of 32 bytes each, %d rounds\n", c.actors, c.nodes, c.rounds)
	table(all)
	lateness(late, c.replace > 0)
}

// lastAtSpeed is the p99 of one round, of the hits at which the machine was as fast as usual.
func lastAtSpeed(hits []hit) float64 {
	var d delays
	d.add(hits, nil)
	return quantile(d.atSpeed, 0.99)
}

// table prints the medians.
func table(all map[string][]result) {
	fmt.Printf("%-36s %10s %10s %10s %9s %9s\n", "", "pointers", "arena", "no state", "ratio",
		"of state")
	row := func(name string, f func(result) float64) {
		x, y, z := median(all["pointers"], f), median(all["arena"], f), median(all["none"], f)
		fmt.Printf("%-36s %10.1f %10.1f %10.1f %9.3f %9.3f\n", name, x, y, z, y/x, (y-z)/(x-z))
	}
	row("mark, CPU ms per cycle", func(r result) float64 { return r.MarkMs })
	row("forced cycle, ms", func(r result) float64 { return r.CycleMs })
	row("Go objects, thousands", func(r result) float64 { return float64(r.Objects) / 1000 })
	row("Go heap, MB", func(r result) float64 { return r.HeapMB })
	row("resident, MB", func(r result) float64 { return r.RSSMB })
	row("build all, ms", func(r result) float64 { return r.BuildMs })
	row("CPU ms while delays were measured", func(r result) float64 { return r.BusyMs })
}

// lateness prints the delays. Where actors replace their states, those with arenas collect all the
// time, thousands a second, so whatever is late there is late during collections.
func lateness(late map[string]*delays, renewed bool) {
	x, y, z := late["pointers"], late["arena"], late["none"]
	fmt.Printf("\n%-36s %10s %10s %10s %9s\n", "delays, µs", "pointers", "arena", "no state",
		"better by")
	fmt.Printf("%-36s %10d %10d %10d\n", "Go's collections meanwhile", x.cycles, y.cycles, z.cycles)
	part := func(name string, of func(d *delays) []hit) {
		fmt.Printf("%-36s %9.1f%% %9.1f%% %9.1f%%\n", name, share(of(x), x.all),
			share(of(y), y.all), share(of(z), z.all))
		for _, q := range []float64{50, 99, 99.9, 100} {
			a, b, c := quantile(of(x), q/100), quantile(of(y), q/100), quantile(of(z), q/100)
			fmt.Printf("  p%-33v %10.0f %10.0f %10.0f %9.1f\n", q, a, b, c, a/b)
		}
	}
	part("all messages", func(d *delays) []hit { return d.all })
	part("while the GC ran", func(d *delays) []hit { return d.gc })
	if renewed {
		part("while what they drop is collected", func(d *delays) []hit {
			if d == y {
				return d.all
			}
			return d.gc
		})
	}
	part("all, from the Send", func(d *delays) []hit { return fromSend(d.all) })
	part("while the GC ran, from the Send", func(d *delays) []hit { return fromSend(d.gc) })
	part("machine at speed", func(d *delays) []hit { return d.atSpeed })
	part("machine at speed, and Go collected", func(d *delays) []hit { return d.both })
}

func median(rs []result, f func(result) float64) float64 {
	var v []float64
	for _, r := range rs {
		v = append(v, f(r))
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// child measures one class in a process of its own, and returns when its collector ran.
func child(c config, class string) (r result, cycles []span) {
	cmd := exec.Command(os.Args[0], "-class", class, "-actors", strconv.Itoa(c.actors), "-nodes",
		strconv.Itoa(c.nodes),
		"-cycles", strconv.Itoa(c.cycles), "-probe", c.probe.String(), "-garbage",
		strconv.Itoa(c.garbage),
		"-replace", strconv.Itoa(c.replace), "-hot", strconv.Itoa(c.hot), "-force", c.force.String())
	var trace strings.Builder
	cmd.Stderr = &trace
	cmd.Env = append(os.Environ(), "GODEBUG=gctrace=1")
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, class, err, trace.String())
		os.Exit(1)
	}
	return r, cyclesIn(trace.String(), r.Begin)
}
