package observe

import (
	"fmt"

	"github.com/gallop-go/gallop/internal/inspect"
	"time"
)

// mailWaits finds actors whose mail waits for long, by the probes that queue like messages.
type mailWaits struct{}

// openWait is how long a probe that has not run must have waited. One that has run needs longWait.
const openWait = 2 * time.Second

func (mailWaits) step(v *view) []lint {
	var found []lint
	for _, w := range v.waits {
		least := longWait
		if w.open {
			least = openWait
		}
		if w.delay-v.machine.lackedIn(w.delay) < least || w.actor.Suspended {
			continue
		}
		more := ""
		if w.open {
			more = " and more"
		}
		found = append(found, lint{rule: "mail-waits", severity: warn, about: []inspect.Actor{w.actor},
			since: v.at.Add(-w.delay), says: fmt.Sprintf("lets its mail wait for %s%s", short(w.delay), more) +
				v.because(w.actor)})
	}
	return found
}

// saturation finds that all workers are busy, and that mail waits for that, or very many turns do.
type saturation struct{ times int }

const (
	saturatedFrom  = 0.9
	saturatedTimes = 3
	longQueue      = 50 // turns for each worker, from which it is a finding although no mail is known to wait
)

func (r *saturation) step(v *view) []lint {
	waits := len(v.waits) > 0 && v.waits[0].delay-v.machine.lackedIn(v.waits[0].delay) >= longWait
	queued := v.queuedTurns() >= longQueue*v.slots
	if v.utilisation() < saturatedFrom || v.queuedTurns() < v.slots || len(v.busy) == 0 || !waits && !queued {
		r.times = 0
		return nil
	}
	if r.times++; r.times < saturatedTimes {
		return nil
	}
	l := lint{rule: "saturation", severity: check, since: v.at}
	if waits {
		l.severity = warn
	}
	if b := v.busy[0]; b.Actor != 0 && b.Share >= 0.5 {
		l.about = []inspect.Actor{v.find(b.Actor, b.Type)}
		l.says = fmt.Sprintf("takes %.0f %% of the time of all workers in %q, and mail of others waits "+
			"for them", 100*b.Share, b.Behaviour)
		return []lint{l}
	}
	if len(v.behaviours) == 0 {
		return nil
	}
	b := v.behaviours[0]
	l.subject, l.kind = clip(b.Type+"."+b.Behaviour), "saturation"
	l.says = fmt.Sprintf("takes %.0f %% of the time of all workers, and mail of others waits for them",
		100*b.Share)
	return []lint{l}
}
