package actor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/sched"
)

// Holder is one of the reasons for which a system is not quiescent, or an actor does not
// end: see [System.Why].
type Holder struct {
	// What is a "running turn", "queued turn", "mute", "pending restart", "pending stop",
	// "Pipe", "FromChan", "ToChan", "timer", "Hold", "put-off reply" or "SendWait".
	What string
	// Count is how many there are, at least 1.
	Count int
	// Actor says whose they are. With an ID of 0 they are those of several actors of the
	// Type, or, if that is "" too, of no actor in particular.
	Actor ActorName
	// For is the actor that is waited for: by a muted actor, or by a turn in Ask. It is the
	// zero ActorName if none is known.
	For ActorName
}

// String says it in words, as in "1 Pipe of worker#12 (app/workers/12)", "3 timers of
// order", "1 mute of reader#2 for log#3".
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
		s += " of " + h.Actor.describe()
	case h.Actor.Type != "":
		s += " of " + h.Actor.Type
	}
	if h.For.ID != 0 {
		s += " for " + h.For.describe()
	}
	return s
}

// Why says what keeps the system from being quiescent at this moment, so that
// [System.Wait], Run and Shutdown do not return; in the order of this list:
//
//   - a running turn: a behaviour, also one that blocks, or that waits in Ask;
//   - a queued turn: an actor that is to run. How many there are is known, not which;
//   - a mute: an actor that waits for one that is overloaded;
//   - a pending restart or a pending stop: an actor that waits for its supervisor, or for
//     its children to end;
//   - a Pipe, a FromChan, a ToChan;
//   - a timer, if time passes by itself;
//   - a [System.Hold].
//
// Two more kinds do not hold the system, but say what an actor waits for: put-off
// replies ([Defer]) and goroutines in SendWait.
//
// Of one class, up to three actors of a type are named; more of them are one Holder. What
// Why says is a hint while the system is at work, and exact once nothing moves. It is for
// people and logs: it looks at each timer and each actor that waits, about 100 ns for
// each, with the lock of a shard of timers for some microseconds at a time. Any goroutine
// may call it, a behaviour too.
func (s *System) Why() []Holder {
	s.mustBeStarted("Why")
	var t tally
	waits := s.allWaits()
	for _, turn := range s.runningTurns(waits) {
		t.note("running turn", turn.who, turn.to, 1)
	}
	t.note("queued turn", nil, nil, s.sched.Queued())
	t.mutes(waits)
	t.parked(s)
	s.errands.each(func(class errandClass, of *cell) { t.note(string(class), of, nil, 1) })
	if l := s.timers.Load(); l != nil {
		l.Holding(func(owner *sched.Task) { t.note("timer", cellOfTask(owner), nil, 1) })
	}
	t.note("Hold", nil, nil, int(s.held.Load()))
	t.note("SendWait", nil, nil, int(s.waiters.Load()))
	return t.holders()
}

// ShutdownError is the error of [System.Shutdown] if its context ends before the system
// is quiescent.
type ShutdownError struct {
	// Holders is what [System.Why] said when the context ended.
	Holders []Holder
	// Err is the context's error.
	Err error
}

// Error returns the context's error and the holders.
func (e *ShutdownError) Error() string {
	if e == nil {
		return "<nil>"
	}
	return "gallop: Shutdown: " + guard.Text(e.Err) + inWords(e.Holders)
}

// Unwrap returns the context's error.
func (e *ShutdownError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// inWords lists holders behind a text.
func inWords(all []Holder) string {
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

// tally adds up what holds a system.
type tally struct{ kinds []tallied }

// tallied is one class of holder, by actors.
type tallied struct {
	what string
	by   map[*cell]*share
	all  []*cell // in the order in which they were found
}

type share struct {
	n  int
	to *cell // who is waited for; nil: none is known
}

// note adds n of a class. of is nil if they have no owner, and to is nil if they wait for no actor.
func (t *tally) note(what string, of, to *cell, n int) {
	if n <= 0 {
		return
	}
	i := slices.IndexFunc(t.kinds, func(k tallied) bool { return k.what == what })
	if i < 0 {
		i = len(t.kinds)
		t.kinds = append(t.kinds, tallied{what: what, by: map[*cell]*share{}})
	}
	k := &t.kinds[i]
	if k.by[of] == nil {
		k.by[of] = &share{}
		k.all = append(k.all, of)
	}
	k.by[of].n += n
	if to != nil {
		k.by[of].to = to
	}
}

// runningTurns returns the actors whose turns run, and whom those that ask wait for.
func (s *System) runningTurns(waits []oneWait) (turns []oneWait) {
	for _, w := range s.sched.AllWorkers() {
		task := w.Running()
		if task == nil {
			continue
		}
		d := w.Local().(*Context).peek(task)
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

// mutes notes the actors that are muted. One that is muted for several counts once.
func (t *tally) mutes(waits []oneWait) {
	seen := map[*cell]bool{}
	for _, o := range waits {
		if !o.asks && !seen[o.who] && o.who.blockedOn.Parked() {
			seen[o.who] = true
			t.note("mute", o.who, o.to, 1)
		}
	}
}

// parked notes the actors that wait for others in another way, and what they owe.
func (t *tally) parked(s *System) {
	s.stopList.mu.Lock()
	all := s.stopList.all.Members()
	s.stopList.mu.Unlock()
	for _, a := range all {
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

// holds notes who waits for the parts of an actor.
func (t *tally) holds(a *cell, p lifePeek) {
	for _, w := range p.awaited {
		w.holds(func(what string, n int) { t.note(what, a, nil, n) })
	}
}

// holders lists what was noted, those of one type together if they are many.
func (t *tally) holders() (list []Holder) {
	slices.SortStableFunc(t.kinds, func(a, b tallied) int {
		return cmp.Compare(slices.Index(holderOrder[:], a.what), slices.Index(holderOrder[:], b.what))
	})
	for _, k := range t.kinds {
		list = k.holders(list)
	}
	return list
}

// holderOrder is the order of what [System.Why] returns.
var holderOrder = [...]string{
	"running turn", "queued turn", "mute", "pending restart", "pending stop",
	string(aPipe), string(aFromChan), string(aToChan), "timer", "Hold", "put-off reply", "SendWait",
}

// namedHolders is how many actors of a type are named for one class.
const namedHolders = 3

// holders adds those of one class to a list: by type, and within it by number.
func (k tallied) holders(list []Holder) []Holder {
	byType := map[*typeInfo][]*cell{}
	var types []*typeInfo
	for _, a := range k.all {
		if a == nil {
			list = append(list, Holder{What: k.what, Count: k.by[nil].n})
			continue
		}
		if byType[a.typ()] == nil {
			types = append(types, a.typ())
		}
		byType[a.typ()] = append(byType[a.typ()], a)
	}
	slices.SortStableFunc(types, func(a, b *typeInfo) int { return cmp.Compare(a.name, b.name) })
	for _, typ := range types {
		of := byType[typ]
		slices.SortFunc(of, func(a, b *cell) int { return cmp.Compare(a.id, b.id) })
		sum := Holder{What: k.what, Actor: ActorName{Type: typ.name}}
		for _, a := range of {
			sum.Count += k.by[a].n
			if len(of) > namedHolders {
				continue
			}
			h := Holder{What: k.what, Count: k.by[a].n, Actor: a.actorName()}
			if to := k.by[a].to; to != nil {
				h.For = to.actorName()
			}
			list = append(list, h)
		}
		if len(of) > namedHolders {
			list = append(list, sum)
		}
	}
	return list
}

// lifePeek is what an actor waits for, as it looks from outside.
type lifePeek struct {
	suspended, leaving bool  // it waits for its supervisor, or for its children
	child              *cell // the one that it waits for; nil: none is known
	awaited            []awaited
}

// peekLife looks into the cold state of an actor that others may run. So the race detector is told
// to look away, as in Context.peek: each word is loaded whole, and pointers lead to what the GC
// keeps.
//
//go:norace
//go:noinline
func peekLife(a *cell) (p lifePeek) {
	x := a.cold
	if x == nil {
		return p
	}
	p.suspended = x.waiting && x.state == suspended
	p.leaving = x.waiting && x.state == leaving
	if k := x.children.youngest; k != nil && p.leaving {
		p.child = k.b
	}
	for i := range x.parts {
		if w, ok := x.parts[i].(awaited); ok {
			p.awaited = append(p.awaited, w)
		}
	}
	return p
}

// waitError says what an actor that should end waits for, beside the error of the context that has
// ended before.
type waitError struct {
	call    string
	who     ActorName
	holders []Holder
	err     error
}

func (e *waitError) Error() string {
	return "gallop: " + e.call + " of " + e.who.describe() + ": " + guard.Text(e.err) + inWords(e.holders)
}

func (e *waitError) Unwrap() error { return e.err }

// joinError makes the error of a call that waited for the end of an actor. It follows those that
// wait for their children down to the child that waits for something else.
func joinError(a *cell, ctx context.Context, call string) error {
	var t tally
	waits := a.sys().allWaits()
	turns := a.sys().runningTurns(waits)
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
	return &waitError{call, a.actorName(), t.holders(), ctx.Err()}
}

// deepest is how many generations an error names.
const deepest = 8
