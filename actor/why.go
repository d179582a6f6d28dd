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

// Holder is one reason why a system is not quiescent, or why an actor does not end: see
// [System.Why].
type Holder struct {
	// What is one of "running turn", "queued turn", "mute", "pending restart", "pending stop",
	// "Pipe", "FromChan", "ToChan", "timer", "Hold", "put-off reply" and "SendWait".
	What string
	// Count is the number of them, at least 1.
	Count int
	// Actor is their owner, an actor or a process. If its ID is 0, they belong to several actors of
	// the Type. If the Type is "" too, they belong to no actor.
	Actor ActorName
	// For is the actor for which a muted actor or a turn in Ask waits. It is the zero ActorName if
	// that is not known.
	For ActorName

	// where says what a process waits for and in which line, for String; "" if that is not known.
	where string
}

// String returns the holder in words, as in "1 Pipe of worker#12 (app/workers/12)", "3 timers of
// order", "1 mute of reader#2 for log#3". Of a process it also says what it waits for and, if the
// program has at most 500 goroutines, in which line: "1 timer of process#17 in sleep at main.poll
// main.go:40".
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
	return s + h.where
}

// Why implements [System.Why].
func (s *kernelSystem) Why() []Holder {
	s.mustBeStarted("Why")
	t := s.tally(1)
	return t.holders()
}

// tally counts the holders of the system at this moment. It looks at the owner of one timer in
// timerStride, which stands for all of these.
func (s *kernelSystem) tally(timerStride int) (t tally) {
	waits := s.allWaits()
	for _, turn := range s.runningTurns(waits) {
		t.note("running turn", turn.who, turn.to, 1)
	}
	t.note("queued turn", nil, nil, s.sched.Queued())
	t.mutes(waits)
	t.parked(s)
	s.errands.each(func(class errandClass, of *cell) { t.note(string(class), of, nil, 1) })
	if l := s.timers.Load(); l != nil {
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
	t.note("SendWait", nil, nil, int(s.waiters.Load()))
	return t
}

// ShutdownError is the error of [System.Shutdown] if its context ends before the system
// is quiescent.
type ShutdownError struct {
	// Holders is the result of [System.Why] when the context ended.
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

// inWords returns ": " and a list of the holders, or "" if there are none.
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

// tally counts the holders of a system.
type tally struct {
	kinds  []tallied
	timers int // of actors
}

// tallied is one class of holder, by actors.
type tallied struct {
	what  string
	by    map[*cell]*share
	all   []*cell         // in the order in which they were found
	procs []processHolder // of processes
}

type share struct {
	n  int
	to *cell // the actor that is waited for; nil: not known
}

// note adds n holders of the class what: see [Holder.What]. of is the actor that owns them, or nil
// if they have no owner. to is the actor for which they wait, or nil if they wait for no actor.
func (t *tally) note(what string, of, to *cell, n int) {
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
		t.kinds = append(t.kinds, tallied{what: what, by: map[*cell]*share{}})
	}
	return &t.kinds[i]
}

// runningTurns returns the actors whose turns run. For an actor in Ask it adds the actor that is
// asked.
func (s *kernelSystem) runningTurns(waits []oneWait) (turns []oneWait) {
	for _, w := range s.sched.AllWorkers() {
		task := w.Running()
		if task == nil {
			continue
		}
		d := w.Local().(*kernelTurn).peek(task)
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
	seen := map[*cell]bool{}
	for _, o := range waits {
		if !o.asks && !seen[o.who] && o.who.blockedOn.Parked() {
			seen[o.who] = true
			t.note("mute", o.who, o.to, 1)
		}
	}
}

// parked notes actors that wait for their supervisor or for their children, and the parts of actors
// that hold the system.
func (t *tally) parked(s *kernelSystem) {
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

// holds notes the holders among the parts of an actor.
func (t *tally) holds(a *cell, p lifePeek) {
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
		list = k.holders(list)
	}
	return list
}

// holderOrder is the order of the result of [System.Why].
var holderOrder = [...]string{
	"running turn", "queued turn", "mute", "pending restart", "pending stop",
	string(aPipe), string(aFromChan), string(aToChan), "timer", "Hold", "put-off reply", "SendWait",
}

// namedHolders is the number of actors of a type that are named for one class.
const namedHolders = 3

// holders appends the holders of one class to a list, ordered by type and then by the actor's
// number.
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
	return append(list, holdersOfProcesses(k.what, k.procs)...)
}

// lifePeek describes, as seen from outside, the reason why an actor waits.
type lifePeek struct {
	suspended, leaving bool  // it waits for its supervisor, or for its children
	child              *cell // the child that it waits for; nil: not known
	awaited            []awaited
}

// peekLife reads the cold state of an actor that another worker may run. It is exempt from the race
// detector, as Context.peek is: each word is loaded whole, and the GC keeps everything that the
// pointers lead to.
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

// waitError is the error of a call whose context ended before the actor did. It lists the reasons
// why the actor has not ended.
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

// joinError makes the error of a call that waited for the end of an actor. While an actor waits for
// a child, joinError goes on with that child, down to an actor that waits for something else.
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

// deepest is the number of generations that an error names.
const deepest = 8
