// Command heap measures what the state of very many actors costs Go's collector, and
// what the collector costs the actors: once with the state as ordinary Go values and
// once in the actors' own arenas. The figures are in docs/heap.md.
//
//	go run . -actors 1000000
//
// Each of the actors has a list of 32 nodes of 32 bytes, 1 KB. All kinds are measured
// in processes of their own, and one after the other as often as -rounds says.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"
)

type config struct {
	actors  int
	nodes   int
	cycles  int
	probe   time.Duration
	kind    string
	rounds  int
	garbage int
	renew   int
	hot     int
}

// result is what one process measures.
type result struct {
	Kind       string
	MarkMs     float64 // CPU time of marking, per cycle
	CycleMs    float64 // wall time of a forced cycle
	RSSMB      float64
	HeapMB     float64 // what Go's heap holds after a collection
	Objects    uint64
	BuildMs    float64
	Touches    int // of actors' states, during the probes
	P50, P99   float64
	P999, Max  float64 // µs from when it is due to when it runs
	CyclesSeen int     // collections during the probes
}

func main() {
	var c config
	flag.IntVar(&c.actors, "actors", 100_000, "how many actors")
	flag.IntVar(&c.nodes, "nodes", 32, "32-byte nodes per actor")
	flag.IntVar(&c.cycles, "cycles", 5, "forced collections to take the mean of")
	flag.DurationVar(&c.probe, "probe", 3*time.Second, "how long to measure delays")
	flag.IntVar(&c.garbage, "garbage", 100, "MB a second that the rest of the process makes while delays are measured")
	flag.IntVar(&c.renew, "renew", 0, "MB a second of state that the actors make anew while delays are measured, so that the old is garbage")
	flag.IntVar(&c.hot, "hot", 10_000, "how many of the actors do that")
	flag.IntVar(&c.rounds, "rounds", 1, "how often to measure each kind, in turns; medians are printed")
	flag.StringVar(&c.kind, "kind", "", "measure this kind only, in this process: pointers, arena or none; ticker is the other process")
	flag.Parse()
	if c.kind == "ticker" {
		tick(c.probe)
		return
	}
	if c.kind != "" {
		_ = json.NewEncoder(os.Stdout).Encode(measure(c))
		return
	}
	compare(c)
}

// compare runs both kinds in turns and prints the medians.
func compare(c config) {
	all := map[string][]result{}
	for range c.rounds {
		for _, kind := range []string{"pointers", "arena", "none"} {
			all[kind] = append(all[kind], child(c, kind))
		}
	}
	p, a, n := all["pointers"], all["arena"], all["none"]
	fmt.Printf("%d actors, %d nodes of 32 bytes each, medians of %d\n", c.actors, c.nodes, c.rounds)
	row := func(name string, f func(result) float64) {
		x, y, z := median(p, f), median(a, f), median(n, f)
		fmt.Printf("%-34s %12.1f %12.1f %12.1f %9.3f %9.3f\n", name, x, y, z, y/x, (y-z)/(x-z))
	}
	fmt.Printf("%-34s %12s %12s %12s %9s %9s\n", "", "pointers", "arena", "no state", "ratio", "of state")
	row("mark, CPU ms per cycle", func(r result) float64 { return r.MarkMs })
	row("forced cycle, ms", func(r result) float64 { return r.CycleMs })
	row("Go objects, thousands", func(r result) float64 { return float64(r.Objects) / 1000 })
	row("Go heap, MB", func(r result) float64 { return r.HeapMB })
	row("resident, MB", func(r result) float64 { return r.RSSMB })
	row("build all, ms", func(r result) float64 { return r.BuildMs })
	row("delay p50, µs, with garbage", func(r result) float64 { return r.P50 })
	row("delay p99, µs, with garbage", func(r result) float64 { return r.P99 })
	row("delay p99.9, µs, with garbage", func(r result) float64 { return r.P999 })
	row("delay max, µs, with garbage", func(r result) float64 { return r.Max })
	row("collections meanwhile", func(r result) float64 { return float64(r.CyclesSeen) })
}

func median(rs []result, f func(result) float64) float64 {
	var v []float64
	for _, r := range rs {
		v = append(v, f(r))
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// child measures one kind in a process of its own.
func child(c config, kind string) result {
	cmd := exec.Command(os.Args[0], "-kind", kind, "-actors", strconv.Itoa(c.actors), "-nodes", strconv.Itoa(c.nodes),
		"-cycles", strconv.Itoa(c.cycles), "-probe", c.probe.String(), "-garbage", strconv.Itoa(c.garbage),
		"-renew", strconv.Itoa(c.renew), "-hot", strconv.Itoa(c.hot))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var r result
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, kind, err)
		os.Exit(1)
	}
	return r
}
