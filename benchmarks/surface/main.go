// Command surface measures how many times as fast a second worker makes a program: for several
// shapes of programs, by how long a message works and by how many items are on their way. Goroutines
// with channels do the same in the same run.
//
//	go run .                     the whole surface, in some minutes
//	go run . -shape 'pipeline'   these shapes only
//	go run . -svg surface.svg    draws it as well
//	go run . -seeded             4, 16 and 64 workers: the scheduler on modelled processors
//
// Each cell has the median of the rounds. In a round one worker, two workers and channels run one
// after the other, so that other programs on the machine disturb all of them alike. A cell counts
// only if the machine has two processors for it.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"time"
)

var (
	works   = []time.Duration{0, 660, 2200, 10_000, 100_000, 1_000_000} // of a message, ns
	flights = []int{1, 4, 32, 1000}
)

const (
	slack     = 1.8  // possible speed-up from which on a graph is judged by its speed-up
	wanted    = 1.7  // speed-up where there is slack
	notBehind = 1.05 // of the time of channels
	notSlower = 1.08 // of the time of one worker, in all other cells
)

func main() {
	rounds := flag.Int("rounds", 5, "measure each cell so many times")
	each := flag.Duration("time", 20*time.Millisecond, "how long a run works, in all")
	only := flag.String("shape", "", "measure only shapes that match this `pattern`")
	svg := flag.String("svg", "", "draw the surface to this `file`")
	seeded := flag.Bool("seeded", false, "model many workers, and measure nothing")
	best := flag.Bool("best", false, "take the best of the rounds, not the median, and pause before each run:\nfor a machine that does other things")
	processes := flag.Bool("processes", false, "measure processes with channels, not actors")
	flag.Parse()
	match := regexp.MustCompile(*only)
	if *seeded {
		model(os.Stdout, match)
		return
	}
	gallop := onActors
	if *processes {
		gallop = onProcesses
	}
	var all []cell
	burns := calibrate()
	for _, s := range shapes {
		if !match.MatchString(s.name) {
			continue
		}
		fmt.Printf("\n%s: speed-up of the second worker, and time by that of channels\n%10s", s.name, "work")
		for _, f := range flights {
			fmt.Printf(" %14d", f)
		}
		fmt.Println()
		for _, w := range works {
			fmt.Printf("%10v", w)
			for _, f := range flights {
				c := cell{shape: s, work: w, flight: f}
				c.measure(gallop, *rounds, *each, burns, *best)
				all = append(all, c)
				fmt.Printf(" %14s", c)
			}
			fmt.Println()
		}
	}
	summarise(all)
	if *svg != "" {
		if err := os.WriteFile(*svg, draw(all), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// cell is one shape with one amount of work and so many items on their way.
type cell struct {
	shape  shape
	work   time.Duration
	flight int

	one, two, channels time.Duration // for an item; 0: left out, since it would take long
}

// measure fills in the times, for runs that work for each in all.
func (c *cell) measure(gallop func(int) func(*run) time.Duration, rounds int, each time.Duration, burns float64,
	best bool) {
	g := c.shape.make(c.flight)
	item := time.Duration(g.stages) * (c.work + 100)
	n := max(int(each/item), 4*c.flight, 200)
	n -= n % c.flight
	if time.Duration(n)*item > 20*each {
		if n = 2 * c.flight; time.Duration(n)*item > 20*each {
			return
		}
	}
	var times [3][]time.Duration
	for range rounds {
		for i, f := range []func(*run) time.Duration{gallop(1), gallop(2), onChannels} {
			runtime.GC()
			if best {
				time.Sleep(each) // afterwards the kernel prefers this process for a while
			}
			took := f(newRun(c.shape, c.flight, n, float64(c.work)*burns))
			times[i] = append(times[i], took/time.Duration(n))
		}
	}
	for i, p := range []*time.Duration{&c.one, &c.two, &c.channels} {
		slices.Sort(times[i])
		if *p = times[i][rounds/2]; best {
			*p = times[i][0]
		}
	}
}

func (c cell) speedUp() float64 { return float64(c.one) / float64(c.two) }

// byChannels is the time of two workers, divided by that of channels.
func (c cell) byChannels() float64 { return float64(c.two) / float64(c.channels) }

func (c cell) String() string {
	if c.two == 0 {
		return "-"
	}
	mark := ""
	if c.misses() != "" {
		mark = "!"
	}
	return fmt.Sprintf("%.2f %.2f%1s", c.speedUp(), c.byChannels(), mark)
}

// hasSlack reports whether the cell should gain from a second worker.
func (c cell) hasSlack() bool {
	return c.work >= time.Microsecond && c.shape.make(c.flight).width >= slack
}

// misses says how the cell falls short, or nothing.
func (c cell) misses() string {
	switch {
	case c.hasSlack() && c.speedUp() < wanted:
		return fmt.Sprintf("speed-up %.2f", c.speedUp())
	case c.hasSlack() && c.byChannels() > notBehind:
		return fmt.Sprintf("%.2f of the time of channels", c.byChannels())
	case !c.hasSlack() && c.speedUp() < 1/notSlower:
		return fmt.Sprintf("the second worker costs: %.2f", c.speedUp())
	}
	return ""
}

// summarise prints the cells that fall short, and the share of those in which gallop is not behind.
func summarise(all []cell) {
	good, measured := 0, 0
	fmt.Println()
	for _, c := range all {
		if c.two == 0 {
			continue
		}
		if measured++; c.byChannels() <= notBehind {
			good++
		}
		if m := c.misses(); m != "" {
			fmt.Printf("misses: %s, %v, %d items: %s\n", c.shape.name, c.work, c.flight, m)
		}
	}
	fmt.Printf("gallop is not behind channels in %d of %d cells: %.0f %%\n", good, measured,
		100*float64(good)/float64(max(measured, 1)))
}
