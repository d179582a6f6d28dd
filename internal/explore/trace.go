package explore

import (
	"fmt"
	"path"
	"runtime"
	"strconv"
	"strings"
)

// letters name the threads in traces.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// encode writes a trace as letters, each with the length of its run unless that is 1: aab is a2b.
func encode(trace []byte) string {
	var b strings.Builder
	for i := 0; i < len(trace); {
		n := run(trace[i:])
		b.WriteByte(letters[trace[i]])
		if n > 1 {
			b.WriteString(strconv.Itoa(n))
		}
		i += n
	}
	return b.String()
}

// run is the length of the run of equal ids at the beginning of the trace.
func run(trace []byte) int {
	n := 1
	for n < len(trace) && trace[n] == trace[0] {
		n++
	}
	return n
}

// maxDecoded bounds the steps of a replay string, in case of a typing error.
const maxDecoded = 1 << 24

// decode reads a result of encode, with or without a name and a colon before it.
func decode(s string) ([]byte, error) {
	var trace []byte
	rest := s[strings.LastIndexByte(s, ':')+1:]
	for rest != "" {
		id := strings.IndexByte(letters, rest[0])
		n, tail, err := count(rest[1:])
		if id < 0 || err != nil || len(trace)+n > maxDecoded {
			return nil, fmt.Errorf("%q is no replay string", s)
		}
		trace = append(trace, strings.Repeat(string(rune(id)), n)...)
		rest = tail
	}
	return trace, nil
}

// count reads the length of a run at the beginning of s. It is 1 if there is no number.
func count(s string) (n int, rest string, err error) {
	rest = strings.TrimLeft(s, "0123456789")
	if len(rest) == len(s) {
		return 1, rest, nil
	}
	n, err = strconv.Atoi(s[:len(s)-len(rest)])
	return n, rest, err
}

// places records the places of threads and steps while a failure is explained. A nil *places
// records nothing.
type places struct {
	at    [maxThreads]string // the next access of each thread
	steps []string           // the first access of each step
	left  set                // threads that had not ended with the schedule
}

// note records the next access of a thread.
func (p *places) note(t *thread) {
	if p != nil {
		p.at[t.id] = caller()
	}
}

// add records a step.
func (p *places) add(t *thread) {
	if p != nil {
		p.steps = append(p.steps, p.at[t.id])
	}
}

// end records the threads that have not ended.
func (p *places) end(left set) {
	if p != nil {
		p.left = left
	}
}

// shown is the number of last steps that a failure shows.
const shown = 60

// lines are the last steps as text, and then the places of the threads that had not ended.
func (p *places) lines(trace []byte) []string {
	var out []string
	for i := max(0, len(p.steps)-shown); i < len(p.steps); i++ {
		out = append(out, fmt.Sprintf("%5d %c %s", i, letters[trace[i]], p.steps[i]))
	}
	for s := p.left; s != 0; s &= s - 1 {
		out = append(out, fmt.Sprintf(" left %c %s", letters[s.first()], p.at[s.first()]))
	}
	return out
}

// own are the packages whose frames lie between a thread's code and its access.
var own = [...]string{
	"github.com/gallop-go/gallop/internal/explore.",
	"github.com/gallop-go/gallop/internal/seam.",
}

// caller is the nearest frame outside of the explorer and the seam.
func caller() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if !isOwn(f.Function) || !more {
			return fmt.Sprintf("%s:%d %s", path.Base(f.File), f.Line, path.Base(f.Function))
		}
	}
}

func isOwn(function string) bool {
	for _, prefix := range own {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}
