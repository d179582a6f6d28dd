package kernel

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/sched"
)

// Holder is actor.Holder, which documents it.
type Holder struct {
	What  string
	Count int
	Actor ActorName
	For   ActorName

	Where string
}

// String implements actor.Holder.String.
func (h Holder) String() string {
	s := fmt.Sprintf("%d %s", h.Count, h.What)
	if h.Count != 1 {
		s = strings.TrimSuffix(s, "y")
		if s[len(s)-1] == 'l' {
			s += "ie"
		}
		s += "s"
	}
	switch {
	case h.Actor.ID != 0:
		s += " of " + h.Actor.Describe()
	case h.Actor.Type != "":
		s += " of " + h.Actor.Type
	}
	if h.For.ID != 0 {
		s += " for " + h.For.Describe()
	}
	return s + h.Where
}

// Why implements actor.System.Why.
func (s *System) Why() []Holder {
	s.mustBeStarted("Why")
	t := s.tally(1)
	return t.holders()
}

// tally counts the holders of the system at this moment. It looks at the owner of one timer in
// timerStride, which stands for all of these.
func (s *System) tally(timerStride int) (t tally) {
	waits := s.allWaits()
	for _, turn := range s.runningTurns(waits) {
		t.note("running turn", turn.who, turn.to, 1)
	}
	t.note("queued turn", nil, nil, s.Sched.Queued())
	t.mutes(waits)
	t.parked(s)
	s.errands.each(func(class errandClass, of *Cell) { t.note(string(class), of, nil, 1) })
	if l := s.Timers.Load(); l != nil {
		n := 0
		l.Holding(func(owner *sched.Task) {
			if n++; n%timerStride == 0 {
				t.note("timer", cellOfTask(owner), nil, timerStride)
			}
		})
		t.timers = n
	}
	t.processes(s)
	t.note("Hold", nil, nil, int(s.held.Load()))
	t.note("SendWait", nil, nil, int(s.Waiters.Load()))
	return t
}

// InWords returns ": " and a list of the holders, or "" if there are none.
func InWords(all []Holder) string {
	var s strings.Builder
	for i, h := range all {
		if i == 0 {
			s.WriteString(": ")
		} else {
			s.WriteString(", ")
		}
		s.WriteString(h.String())
	}
	return s.String()
}

// tally counts the holders of a system.
type tally struct {
	kinds  []tallied
	timers int             // of actors
	joined joint.Processes // nil: there are none
}

// tallied is one class of holder, by actors.
type tallied struct {
	what  string
	by    map[*Cell]*share
	all   []*Cell         // in the order in which they were found
	procs []processHolder // of processes
}

type share struct {
	n  int
	to *Cell // the actor that is waited for; nil: not known
}

// note adds n holders of the class what: see [Holder.What]. of is the actor that owns them, or nil
// if they have no owner. to is the actor for which they wait, or nil if they wait for no actor.
func (t *tally) note(what string, of, to *Cell, n int) {
	if n <= 0 {
		return
	}
	k := t.kind(what)
	if k.by[of] == nil {
		k.by[of] = &share{}
		k.all = append(k.all, of)
	}
	k.by[of].n += n
	if to != nil {
		k.by[of].to = to
	}
}

// kind returns the class of a name. The first call makes it.
func (t *tally) kind(what string) *tallied {
	i := slices.IndexFunc(t.kinds, func(k tallied) bool { return k.what == what })
	if i < 0 {
		i = len(t.kinds)
		t.kinds = append(t.kinds, tallied{what: what, by: map[*Cell]*share{}})
	}
	return &t.kinds[i]
}

// runningTurns returns the actors whose turns run. For an actor in Ask it adds the actor that is
// asked.
func (s *System) runningTurns(waits []oneWait) (turns []oneWait) {
	for _, w := range s.Sched.AllWorkers() {
		task := w.Running()
		if task == nil {
			continue
		}
		d := w.Local().(*Turn).peek(task)
		if d.who == nil {
			continue
		}
		turn := oneWait{who: d.who}
		asks := func(o oneWait) bool { return o.asks && o.who == turn.who }
		if i := slices.IndexFunc(waits, asks); i >= 0 {
			turn = waits[i]
		}
		turns = append(turns, turn)
	}
	return turns
}

// mutes notes the muted actors. An actor that waits for several gates counts once.
func (t *tally) mutes(waits []oneWait) {
	seen := map[*Cell]bool{}
	for _, o := range waits {
		if !o.asks && !seen[o.who] && o.who.BlockedOn.Parked() {
			seen[o.who] = true
			t.note("mute", o.who, o.to, 1)
		}
	}
}

// parked notes actors that wait for their supervisor or for their children, and the parts of actors
// that hold the system.
func (t *tally) parked(s *System) {
	for _, a := range s.StopList.Members() {
		p := peekLife(a)
		switch {
		case p.suspended:
			t.note("pending restart", a, nil, 1)
		case p.leaving:
			t.note("pending stop", a, p.child, 1)
		}
		t.holds(a, p)
	}
}

// holds notes the holders among the parts of an actor.
func (t *tally) holds(a *Cell, p lifePeek) {
	for _, w := range p.awaited {
		w.holds(func(what string, n int) { t.note(what, a, nil, n) })
	}
}

// holders returns the noted holders as a list. Many of one type become one Holder.
func (t *tally) holders() (list []Holder) {
	slices.SortStableFunc(t.kinds, func(a, b tallied) int {
		return cmp.Compare(slices.Index(holderOrder[:], a.what), slices.Index(holderOrder[:], b.what))
	})
	for _, k := range t.kinds {
		list = append(k.holders(list), holdersOfProcesses(t.joined, k.what, k.procs)...)
	}
	return list
}

// holderOrder is the order of the result of [System.Why].
var holderOrder = [...]string{
	"running turn", "queued turn", "mute", "pending restart", "pending stop",
	string(PipeErrand), string(FromChanErrand), string(ToChanErrand), "timer", "Hold",
	"put-off reply", "SendWait",
}

// namedHolders is the number of actors of a type that are named for one class.
const namedHolders = 3

// holders appends the holders of one class that are actors to a list, ordered by type and then by the
// actor's number.
func (k tallied) holders(list []Holder) []Holder {
	byType := map[*TypeInfo][]*Cell{}
	var types []*TypeInfo
	for _, a := range k.all {
		if a == nil {
			list = append(list, Holder{What: k.what, Count: k.by[nil].n})
			continue
		}
		if byType[a.Typ()] == nil {
			types = append(types, a.Typ())
		}
		byType[a.Typ()] = append(byType[a.Typ()], a)
	}
	slices.SortStableFunc(types, func(a, b *TypeInfo) int { return cmp.Compare(a.Name, b.Name) })
	for _, typ := range types {
		of := byType[typ]
		slices.SortFunc(of, func(a, b *Cell) int { return cmp.Compare(a.ID, b.ID) })
		sum := Holder{What: k.what, Actor: ActorName{Type: typ.Name}}
		for _, a := range of {
			sum.Count += k.by[a].n
			if len(of) > namedHolders {
				continue
			}
			h := Holder{What: k.what, Count: k.by[a].n, Actor: a.ActorName()}
			if to := k.by[a].to; to != nil {
				h.For = to.ActorName()
			}
			list = append(list, h)
		}
		if len(of) > namedHolders {
			list = append(list, sum)
		}
	}
	return list
}

// lifePeek describes, as seen from outside, the reason why an actor waits.
type lifePeek struct {
	suspended, leaving bool  // it waits for its supervisor, or for its children
	child              *Cell // the child that it waits for; nil: not known
	awaited            []awaited
}

// peekLife reads the cold state of an actor that another worker may run. It is exempt from the race
// detector, as Turn.peek is: each word is loaded whole, and the GC keeps everything that the
// pointers lead to.
//
//go:norace
//go:noinline
func peekLife(a *Cell) (p lifePeek) {
	x := a.Cold
	if x == nil {
		return p
	}
	p.suspended = x.waiting && x.State == Suspended
	p.leaving = x.waiting && x.State == leaving
	if k := x.Children.Youngest; k != nil && p.leaving {
		p.child = k.b
	}
	for i := range x.Parts {
		if w, ok := x.Parts[i].(awaited); ok {
			p.awaited = append(p.awaited, w)
		}
	}
	return p
}

// waitError is the error of a call whose context ended before the actor did. It lists the reasons
// why the actor has not ended.
type waitError struct {
	call    string
	who     ActorName
	holders []Holder
	err     error
}

// Error implements error.
func (e *waitError) Error() string {
	return "gallop: " + e.call + " of " + e.who.Describe() + ": " + guard.Text(e.err) + InWords(e.holders)
}

// Unwrap returns the context's error.
func (e *waitError) Unwrap() error { return e.err }

// joinError makes the error of a call that waited for the end of an actor. While an actor waits for
// a child, joinError goes on with that child, down to an actor that waits for something else.
func joinError(a *Cell, ctx context.Context, call string) error {
	var t tally
	waits := a.Sys().allWaits()
	turns := a.Sys().runningTurns(waits)
	t.mutes(slices.DeleteFunc(slices.Clone(waits), func(o oneWait) bool { return o.who != a }))
	for at, depth := a, 0; at != nil && depth < deepest; depth++ {
		p := peekLife(at)
		if p.leaving {
			t.note("pending stop", at, p.child, 1)
		}
		t.holds(at, p)
		if i := slices.IndexFunc(turns, func(o oneWait) bool { return o.who == at }); i >= 0 {
			t.note("running turn", at, turns[i].to, 1)
		}
		at = p.child
	}
	return &waitError{call, a.ActorName(), t.holders(), ctx.Err()}
}

// deepest is the number of generations that an error names.
const deepest = 8
