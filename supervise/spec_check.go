package supervise

import (
	"fmt"
	"math"
)

// supervisorSpec is a Spec that was checked. Read-only.
type supervisorSpec struct {
	name      string
	strategy  Strategy
	intensity Intensity
	children  []*childSpec
	template  *childSpec
	onEvent   func(Event)
	problem   string // the first error found; "": none
}

// Check returns an error that wraps ErrBadChild if the declaration, or one below it, is wrong.
// [Start] panics with the same message.
func (s Spec) Check() error {
	if sp := checkSpec(s); sp.problem != "" {
		return fmt.Errorf("%w: %s", ErrBadChild, sp.problem)
	}
	return nil
}

func checkSpec(s Spec) *supervisorSpec {
	sp := &supervisorSpec{name: s.Name, strategy: s.Strategy, intensity: s.Intensity.orDefault(),
		onEvent: s.OnEvent}
	for _, ch := range s.Children {
		if spec := specOf(ch); spec != nil {
			sp.children = append(sp.children, spec)
		} else {
			sp.reject("a nil Child")
		}
	}
	sp.template = specOf(s.Template)
	sp.check()
	for _, spec := range sp.children {
		spec.inherit(sp)
	}
	if t := sp.template; t != nil && t.intensity == (Intensity{}) && !sp.intensity.Escalate {
		t.intensity = sp.intensity // the limit applies to each child alone
	}
	return sp
}

// inherit copies OnEvent to the supervisors below that have none of their own. It is called only
// while the declaration is being built, or by the supervisor that owns the declaration.
func (s *childSpec) inherit(from *supervisorSpec) {
	if sp := s.supervisor; sp != nil && sp.onEvent == nil && from.onEvent != nil {
		sp.onEvent = from.onEvent
		for _, below := range sp.children {
			below.inherit(sp)
		}
	}
}

func (sp *supervisorSpec) reject(format string, args ...any) {
	if sp.problem == "" {
		sp.problem = fmt.Sprintf("%q: ", sp.name) + fmt.Sprintf(format, args...)
	}
}

func (sp *supervisorSpec) check() {
	simple := sp.strategy == SimpleOneForOne
	switch i := sp.intensity; {
	case sp.strategy > SimpleOneForOne:
		sp.reject("an unknown Strategy")
	case i.invalid():
		sp.reject("an Intensity of %d in %v", i.Restarts, i.Within)
	case simple && (sp.template == nil || len(sp.children) > 0):
		sp.reject("SimpleOneForOne wants a Template and no Children")
	case !simple && sp.template != nil:
		sp.reject("a Template, and not SimpleOneForOne")
	case simple && sp.template.withInit == nil:
		sp.reject("the Template is no Worker with a Type")
	}
	if sp.template != nil {
		sp.template.check(sp)
	}
	names := map[string]bool{}
	for _, ch := range sp.children {
		ch.check(sp)
		switch {
		case ch.name == "":
			sp.reject("a child without a Name")
		case names[ch.name]:
			sp.reject("two children %q", ch.name)
		case ch.fromTemplate:
			sp.reject("%q is FromTemplate, and there is no Template", ch.name)
		}
		names[ch.name] = true
	}
}

// check records a problem in sp.
func (s *childSpec) check(sp *supervisorSpec) {
	switch {
	case s.problem != "":
		sp.reject("%q: %s", s.name, s.problem)
	case s.restart > Temporary:
		sp.reject("%q: an unknown Restart", s.name)
	case s.intensity.orDefault().invalid():
		sp.reject("%q: an Intensity of %d in %v", s.name, s.intensity.Restarts, s.intensity.Within)
	case s.stop.within < 0:
		sp.reject("%q: a deadline of %v", s.name, s.stop.within)
	default:
		if why := s.backoff.problem(); why != "" {
			sp.reject("%q: %s", s.name, why)
		}
	}
}

// problem returns the problem with b, or "".
func (b Backoff) problem() string {
	switch {
	case b.Immediate < 0:
		return fmt.Sprintf("a Backoff with %d immediate restarts", b.Immediate)
	case b.First < 0 || b.Max < 0 || b.ResetAfter < 0:
		return "a negative time in a Backoff"
	case b.Factor != 0 && b.Factor < 1 || math.IsNaN(b.Factor) || math.IsInf(b.Factor, 0):
		return fmt.Sprintf("a Backoff by a factor of %v", b.Factor)
	case !(b.Jitter >= 0 && b.Jitter <= 1):
		return fmt.Sprintf("a Backoff with a jitter of %v", b.Jitter)
	}
	return ""
}
