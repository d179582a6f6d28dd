package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/kernel/stack"
)

// CodeBytes is a line of the user's code with a figure: bytes of memory, or goroutines.
type CodeBytes struct {
	At string // a function and a place
	N  float64
}

// Code finds the lines of code that allocate memory and that hold it, by Go's memory profile, which
// samples one allocation in 512 KB ([runtime.MemProfileRate]).
type Code struct {
	// Allocates has the lines that allocated most since the last call of Memory but one, in bytes a
	// second. Holds has those that hold more than at the first call, in bytes.
	Allocates, Holds []CodeBytes

	at    time.Time
	last  map[string]memory
	first map[string]memory
}

type memory struct{ allocated, held float64 }

// codeShown is how many lines of code are named.
const codeShown = 5

// Memory looks at the profile. It takes about a millisecond for each thousand places that allocate.
func (c *Code) Memory(at time.Time) {
	now := memoryByLine()
	if c.first == nil {
		c.first = now
	} else {
		seconds := at.Sub(c.at).Seconds()
		c.Allocates = largest(now, func(line string, m memory) float64 {
			return (m.allocated - c.last[line].allocated) / seconds
		})
		c.Holds = largest(now, func(line string, m memory) float64 { return m.held - c.first[line].held })
	}
	c.at, c.last = at, now
}

func largest(all map[string]memory, of func(line string, m memory) float64) (list []CodeBytes) {
	for line, m := range all {
		if n := of(line, m); n > 0 {
			list = append(list, CodeBytes{line, n})
		}
	}
	return most(list)
}

func most(list []CodeBytes) []CodeBytes {
	slices.SortFunc(list, func(a, b CodeBytes) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.At, b.At))
	})
	return list[:min(len(list), codeShown)]
}

// memoryByLine returns Go's memory profile by lines of the user's code.
func memoryByLine() map[string]memory {
	var records []runtime.MemProfileRecord
	for {
		n, ok := runtime.MemProfile(records, true)
		if ok {
			records = records[:n]
			break
		}
		records = make([]runtime.MemProfileRecord, n+50)
	}
	all := map[string]memory{}
	for i := range records {
		r := &records[i]
		line := lineOf(r.Stack())
		m := all[line]
		// A sample stands for as many bytes as lie between two samples, if it is not larger itself.
		scale := scaleOf(r.AllocBytes, r.AllocObjects)
		m.allocated += float64(r.AllocBytes) * scale
		m.held += float64(r.InUseBytes()) * scale
		all[line] = m
	}
	delete(all, "")
	return all
}

// scaleOf returns how many bytes a sampled byte of objects of a size stands for, roughly.
func scaleOf(bytes, objects int64) float64 {
	rate := float64(runtime.MemProfileRate)
	if objects == 0 || rate <= 1 {
		return 1
	}
	return max(1, rate/(float64(bytes)/float64(objects)))
}

// lineOf returns the line of the user's code in a stack; "" if there is none.
func lineOf(pcs []uintptr) string {
	var text strings.Builder
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		fmt.Fprintf(&text, "%s(...)\n\t%s:%d +0x1\n", f.Function, f.File, f.Line)
		if !more {
			break
		}
	}
	return stack.UserFrame([]byte(text.String()))
}

// Goroutines returns the lines of the user's code in which the most goroutines are, and the number
// of goroutines in each. The line with the most is the first, and there are at most codeShown. It
// stops the program for a moment, and takes some microseconds for each goroutine.
func Goroutines() []CodeBytes {
	records := make([]runtime.StackRecord, runtime.NumGoroutine()+50)
	n, ok := runtime.GoroutineProfile(records)
	if !ok {
		return nil
	}
	stacks, counts := map[[32]uintptr]int{}, map[string]float64{}
	for i := range records[:n] {
		stacks[records[i].Stack0]++
	}
	for stack, n := range stacks {
		pcs := slices.DeleteFunc(slices.Clone(stack[:]), func(pc uintptr) bool { return pc == 0 })
		counts[lineOf(pcs)] += float64(n)
	}
	delete(counts, "")
	var list []CodeBytes
	for _, line := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, CodeBytes{line, counts[line]})
	}
	return most(list)
}

// UserFrame returns the line of the user's code in which a goroutine is: a function and a place.
// The argument is the text of the goroutine's stack. The line is the first that belongs neither to
// Go's own library nor to gallop. If there is none, it is the first line of gallop's, or "".
func UserFrame(goroutine []byte) string { return stack.OfGoroutine(goroutine) }
