package supervise

import (
	"fmt"
	"math"

	"github.com/gallop-go/gallop/actor"
)

// plan is a Spec that was checked. Read-only.
type plan struct {
	name      string
	strategy  Strategy
	intensity Intensity
	children  []*childSpec
	template  *childSpec
	onEvent   func(Event)
	wrong     string // the first thing that is; empty: nothing
}

// Check reports what is wrong with a declaration, and with those below it: the error is
// ErrBadChild. [Start] panics over it.
func (s Spec) Check() error {
	if p := newPlan(s); p.wrong != "" {
		return fmt.Errorf("%w: %s", ErrBadChild, p.wrong)
	}
	return nil
}

func newPlan(s Spec) *plan {
	p := &plan{name: s.Name, strategy: s.Strategy, intensity: s.Intensity.orDefault(), onEvent: s.OnEvent}
	for _, ch := range s.Children {
		if spec := specOf(ch); spec != nil {
			p.children = append(p.children, spec)
		} else {
			p.blame("a nil Child")
		}
	}
	p.template = specOf(s.Template)
	p.check()
	for _, spec := range p.children {
		spec.inherit(p)
	}
	if t := p.template; t != nil && t.intensity == (Intensity{}) && !p.intensity.Escalate {
		t.intensity = p.intensity // it counts for each child alone
	}
	return p
}

// inherit gives a supervisor below, and those below that, what they do not have of their own. Only
// while the declaration is being made, or by the one supervisor that was given it.
func (s *childSpec) inherit(from *plan) {
	if p := s.plan; p != nil && p.onEvent == nil && from.onEvent != nil {
		p.onEvent = from.onEvent
		for _, below := range p.children {
			below.inherit(p)
		}
	}
}

func (p *plan) blame(format string, args ...any) {
	if p.wrong == "" {
		p.wrong = fmt.Sprintf("%q: ", p.name) + fmt.Sprintf(format, args...)
	}
}

func (p *plan) check() {
	simple := p.strategy == SimpleOneForOne
	switch i := p.intensity; {
	case p.strategy > SimpleOneForOne:
		p.blame("an unknown Strategy")
	case i.wrong():
		p.blame("an Intensity of %d in %v", i.Restarts, i.Within)
	case simple && (p.template == nil || len(p.children) > 0):
		p.blame("SimpleOneForOne wants a Template and no Children")
	case !simple && p.template != nil:
		p.blame("a Template, and not SimpleOneForOne")
	case simple && p.template.like == nil:
		p.blame("the Template is no Worker with a Type")
	}
	if p.template != nil {
		p.template.check(p)
	}
	names := map[string]bool{}
	for _, ch := range p.children {
		ch.check(p)
		switch {
		case ch.name == "":
			p.blame("a child without a Name")
		case names[ch.name]:
			p.blame("two children %q", ch.name)
		case ch.isLike:
			p.blame("%q is Like a template that there is not", ch.name)
		}
		names[ch.name] = true
	}
}

// check tells p what is wrong.
func (s *childSpec) check(p *plan) {
	switch {
	case s.wrong != "":
		p.blame("%q: %s", s.name, s.wrong)
	case s.kind > Temporary:
		p.blame("%q: an unknown Restart", s.name)
	case s.intensity.orDefault().wrong():
		p.blame("%q: an Intensity of %d in %v", s.name, s.intensity.Restarts, s.intensity.Within)
	case s.mail > actor.DropMail:
		p.blame("%q: an unknown Mail", s.name)
	case s.stop.within < 0:
		p.blame("%q: a deadline of %v", s.name, s.stop.within)
	default:
		if why := s.backoff.wrong(); why != "" {
			p.blame("%q: %s", s.name, why)
		}
	}
}

// wrong says what is wrong, if anything.
func (b Backoff) wrong() string {
	switch {
	case b.Immediate < 0:
		return fmt.Sprintf("a Backoff with %d immediate restarts", b.Immediate)
	case b.First < 0 || b.Max < 0 || b.Calm < 0:
		return "a negative time in a Backoff"
	case b.Factor != 0 && b.Factor < 1 || math.IsNaN(b.Factor) || math.IsInf(b.Factor, 0):
		return fmt.Sprintf("a Backoff by a factor of %v", b.Factor)
	case !(b.Jitter >= 0 && b.Jitter <= 1):
		return fmt.Sprintf("a Backoff with a jitter of %v", b.Jitter)
	}
	return ""
}
