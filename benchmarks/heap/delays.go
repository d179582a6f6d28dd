package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// hit is a message to the probe.
type hit struct {
	Deadline int64 // Unix nanoseconds
	Late     int64 // from when it was due to when it ran
	Wait     int64 // from when it was sent to when it ran
	Witness  int64 // see witness
}

// span is a time in which the GC ran, in Unix nanoseconds.
type span struct{ from, to int64 }

// warm is how long the machine must have been as fast as usual for a delay to count as one of
// the measured process. In that time the backlog of a slow time is worked off.
const warm = int64(20 * time.Millisecond)

// delays are the hits of a class, of all rounds.
type delays struct {
	all     []hit
	gc      []hit // while the GC ran, at least for a part of the delay
	atSpeed []hit // while the machine was as fast as usual
	both    []hit
	cycles  int
}

// add sorts the hits of a round.
func (d *delays) add(hits []hit, cycles []span) {
	slow := slowTimes(hits)
	for _, h := range hits {
		collecting, fast := overlaps(h, cycles), atSpeed(h, slow)
		d.all = append(d.all, h)
		if collecting {
			d.gc = append(d.gc, h)
		}
		if fast {
			d.atSpeed = append(d.atSpeed, h)
		}
		if collecting && fast {
			d.both = append(d.both, h)
		}
	}
	for _, c := range cycles {
		if n := len(hits); n > 0 && c.to > hits[0].Deadline && c.from < hits[n-1].Deadline {
			d.cycles++
		}
	}
}

func overlaps(h hit, cycles []span) bool {
	return slices.ContainsFunc(cycles,
		func(c span) bool { return h.Deadline < c.to && c.from < h.Deadline+h.Late })
}

// slowTimes returns when the witness took more than six times its median. With a limit of two or
// three times, more messages are left out, and p99 of the others is the same.
func slowTimes(hits []hit) (slow []int64) {
	usual := slices.SortedFunc(slices.Values(hits),
		func(x, y hit) int { return cmp.Compare(x.Witness, y.Witness) })
	for _, h := range hits {
		if h.Witness > 6*usual[len(usual)/2].Witness {
			slow = append(slow, h.Deadline)
		}
	}
	return slow
}

// atSpeed reports whether the machine was as fast as usual from some time before a hit was due
// until it ran.
func atSpeed(h hit, slow []int64) bool {
	i, _ := slices.BinarySearch(slow, h.Deadline-warm)
	return i == len(slow) || slow[i] > h.Deadline+h.Late
}

// quantile returns a quantile of the delays in µs, 0 if there are none.
func quantile(hits []hit, q float64) float64 {
	if len(hits) == 0 {
		return 0
	}
	late := make([]int64, len(hits))
	for i, h := range hits {
		late[i] = h.Late
	}
	slices.Sort(late)
	return float64(late[int(q*float64(len(late)-1))]) / 1000
}

// fromSend returns the same hits with only the part of their delays that concerns the actors:
// before a hit was sent, Go had to see that something had come.
func fromSend(hits []hit) []hit {
	waits := slices.Clone(hits)
	for i := range waits {
		waits[i].Late = waits[i].Wait
	}
	return waits
}

// share returns how many per cent a part is.
func share(part, all []hit) float64 { return 100 * float64(len(part)) / float64(max(len(all), 1)) }

// cyclesIn finds the cycles in the output of a process with GODEBUG=gctrace=1, which began at
// begin:
//
//	gc 7 @12.345s 1%: 0.02+681+0.03 ms clock, …
func cyclesIn(trace string, begin int64) (cycles []span) {
	for line := range strings.Lines(trace) {
		f := strings.Fields(line)
		if len(f) < 5 || f[0] != "gc" || !strings.HasPrefix(f[2], "@") {
			continue
		}
		at, _ := strconv.ParseFloat(strings.Trim(f[2], "@s"), 64)
		took := 0.0
		for part := range strings.SplitSeq(f[4], "+") {
			ms, _ := strconv.ParseFloat(part, 64)
			took += ms
		}
		from := begin + int64(at*1e9)
		cycles = append(cycles, span{from, from + int64(took*1e6)})
	}
	return cycles
}
