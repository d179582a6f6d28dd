package main

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// A lack of processors, of workers or of memory.
var machine = []incident{
	{name: "starved", culprits: is("The machine", "processor"), alone: true,
		load: fullLoad, begin: starve},
	// One behaviour takes a millisecond, and longer while it waits for a processor.
	{name: "starved-beside-busy", culprits: is("The machine", "processor"), alone: true,
		load: fullLoad, begin: func(s *service) {
			starve(s)
			k := newKind("innocent", "work")
			k.mailed(s, 100, k.spawn(s), burning(time.Millisecond))
		}},
	{name: "too-many-blocked", culprits: is("resolver"), options: []actor.Option{actor.WithMaxBlocked(4)},
		begin: func(s *service) {
			k := newKind("resolver", "resolve")
			for range 30 {
				k.mailed(s, 1, k.spawn(s), func(_ *thing, c *actor.Context) {
					c.Blocking(func() { time.Sleep(900 * time.Millisecond) })
				})
			}
		}},
	// The collector runs all the time, to keep a limit that is too low.
	{name: "memory-limit", culprits: is("memory limit", "garbage", "collector", "GC"), alone: true,
		begin: func(s *service) {
			k := newKind("dictionary", "load")
			ref := k.spawn(s)
			k.do.Send(s.sys, ref, func(t *thing, _ *actor.Context) {
				for range 2_000 {
					t.kept = append(t.kept, make([]byte, 50<<10))
				}
				debug.SetMemoryLimit(110 << 20)
			})
			k.mailed(s, 1000, ref, func(t *thing, _ *actor.Context) { t.kept[0] = make([]byte, 50<<10) })
		}},
}

// starve starts other programs that compute: this one, with another task.
func starve(s *service) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	for range 4 * runtime.NumCPU() {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), burnOnly+"=1")
		if _, err := cmd.StdinPipe(); err != nil { // ends with this process
			panic(err)
		}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		// A pipe that is collected is closed.
		s.others = append(s.others, cmd)
	}
}

// burnOnly is the variable of the environment that makes this program take a processor until its
// standard input ends.
const burnOnly = "GALLOP_INCIDENTS_BURN"

func init() {
	if os.Getenv(burnOnly) == "" {
		return
	}
	go func() {
		for {
		}
	}()
	_, _ = os.Stdin.Read(make([]byte, 1)) // returns at its end
	os.Exit(0)
}
