package observe

import (
	"fmt"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
)

// noProcessor finds that threads wait for a processor: then a turn that takes long may only be
// waiting. It is more than a hint if mail waits for that.
type noProcessor struct {
	since time.Time
	times int
}

const (
	starvedMuch  = 0.5 // threads that wait, on average
	starvedBadly = 1   // of these, from which it is a finding by itself
	starvedTimes = 5
	// starvedWait is how long mail waits, or a turn lasts, of which lack of a processor may be all.
	starvedWait = 200 * time.Millisecond
)

func (r *noProcessor) step(v *view) []lint {
	n := v.starved()
	if n < starvedMuch {
		*r = noProcessor{}
		return nil
	}
	if r.times++; r.since.IsZero() {
		r.since = v.at
	}
	l := lint{rule: "no-processor", severity: info, since: r.since, subject: "The machine", kind: "machine",
		says: fmt.Sprintf("has no processor for %.1f threads of this program at a time: "+
			"turns and waits take longer than they would", n)}
	if r.times >= starvedTimes && (n >= starvedBadly || v.excused() >= starvedWait) {
		l.severity = check
	}
	return []lint{l}
}

// excused returns the longest delay of mail, or report of a turn in the last seconds, that may be due to
// lack of a processor alone.
func (v *view) excused() (longest time.Duration) {
	may := func(d time.Duration) {
		if d <= v.machine.lackedIn(d) {
			longest = max(longest, d)
		}
	}
	for _, w := range v.waits {
		may(w.delay)
	}
	for _, l := range v.long {
		if v.at.Sub(l.At) < showEvent {
			may(l.AtLeast)
		}
	}
	return longest
}

// garbage finds that the garbage collector takes much of the processors, or that very much memory is
// allocated.
type garbage struct {
	times int
	since time.Time
}

const (
	garbageTimes  = 3
	collectsMuch  = 0.2       // the share of all processors that the collector takes
	collectsSome  = 0.04      // the same, if more is allocated than allocatesMuch
	allocatesMuch = 200 << 20 // bytes a second
)

func (r *garbage) step(v *view) []lint {
	rate := v.rate(func(s *sample) uint64 { return s.machine.allocated })
	share := v.collects()
	if share < collectsMuch && (rate < allocatesMuch || share < collectsSome) {
		r.times = 0
		return nil
	}
	if r.times++; r.times == 1 {
		r.since = v.at
	}
	if r.times < garbageTimes {
		return nil
	}
	l := lint{rule: "garbage", severity: check, since: r.since, kind: "garbage", subject: "The garbage collector",
		says: fmt.Sprintf("takes %.0f %% of the processors, for %s of garbage a second", 100*share, bytesText(rate))}
	if len(v.machine.allocates) > 0 {
		l.says += "; most is allocated in " + v.machine.allocates[0].At
	}
	if b := v.busy; len(b) > 0 && b[0].Actor != 0 && b[0].Share >= 0.5 {
		a := v.find(b[0].Actor, b[0].Type)
		l.about = []inspect.Actor{a}
		l.says += fmt.Sprintf("; %s is the busiest, with %q", clip(a.String()), b[0].Behaviour)
	}
	return []lint{l}
}

// collects returns the share of all processors that the garbage collector takes.
func (v *view) collects() float64 {
	if v.before == nil {
		return 0
	}
	d := v.at.Sub(v.before.at).Seconds() * float64(max(v.machine.processors, 1))
	return max(0, v.machine.collecting-v.before.machine.collecting) / max(d, 0.001)
}
