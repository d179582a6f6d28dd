package inspect

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
)

// Letters counts dead letters with the same type of receiver, behaviour, reason and type of sender.
type Letters struct {
	// Type and Behaviour are the type of the receivers and their behaviour.
	Type, Behaviour string
	// Reason is the text of one of the errors of [actor.DeadLetter], or the Go type of another
	// error.
	Reason string
	// FromType is the type of the senders; "" if they are outside or their type is unknown.
	FromType string
	// BestEffort is as in [actor.DeadLetter].
	BestEffort  bool
	Count       uint64
	First, Last time.Time
	// Rate is the number per second over the last ten seconds.
	Rate float64
}

// Letter is one dead letter. The message itself is not kept: it may be secret, or large.
type Letter struct {
	At time.Time // time of the declaration
	// Actor is the receiver.
	Actor      actor.ActorName
	Behaviour  string
	Reason     string
	From       uint64 // the sender's number; 0 if it came from outside
	FromType   string // as in [Letters]
	BestEffort bool
	receiver   func() kernel.AnyRef // see Ref; nil: a process
}

// Ref returns the ref of the receiver, which the letter does not keep alive. It is zero once the GC
// has collected the actor, and always if the receiver is a process.
func (l *Letter) Ref() actor.AnyRef {
	if l.receiver == nil {
		return actor.AnyRef{}
	}
	return actor.AnyRef(l.receiver())
}

// Feed records the dead letters of a system from [DeadLetters] to Close. Any goroutine may call its
// methods.
type Feed struct {
	sys   *kernel.System
	stop  func()
	began time.Time
	total seam.Uint64

	// groups is read without a lock. The map is copied when a group is added.
	groups seam.Pointer[map[letterKey]*letterGroup]
	others letterGroup // counts letters beyond mostGroups groups

	mu     sync.Mutex
	second int64    // guarded by mu: the second of the last letter kept
	kept   int      // guarded by mu: letters kept in that second
	last   []Letter // guarded by mu: a ring
	n      uint64   // guarded by mu: letters ever put into the ring
	left   seam.Uint64
	full   seam.Int64 // the second in which no more letters are kept
}

const (
	mostGroups  = 1024
	mostLetters = 1024   // in the ring
	lettersKept = 10_000 // in a second
	rateSeconds = 10
	rateBuckets = 16 // more than rateSeconds, and a power of two
)

// letterKey has the common properties of a group of letters, in a form that is cheap to compare.
type letterKey struct {
	kind   LetterKind
	reason any // see reasonOf
}

// letterGroup counts the letters of one key.
type letterGroup struct {
	count       seam.Uint64
	first, last seam.Int64 // nanoseconds since the feed began, from 1
	perSecond   [rateBuckets]struct {
		second seam.Int64
		n      seam.Uint64
	}
}

// DeadLetters opens a feed. A dead letter costs some 100 ns more. The feed has no goroutine, and a
// fixed size below 1 MiB, however many letters there are.
func DeadLetters(sys *actor.System) *Feed {
	f := &Feed{sys: of(sys), began: time.Now(), last: make([]Letter, 0, mostLetters)}
	f.full.Store(-1)
	f.groups.Store(new(map[letterKey]*letterGroup))
	f.stop = OnDeadLetter(f.sys, f.hear)
	return f
}

// hear counts a dead letter, in the goroutine that declares it.
func (f *Feed) hear(l LetterLook) {
	now := int64(time.Since(f.began)) + 1
	k := letterKey{l.Kind, reasonOf(l.Reason)}
	f.total.Add(1)
	g := (*f.groups.Load())[k]
	if g == nil {
		g = f.newGroup(k)
	}
	g.add(now)
	if second := now / int64(time.Second); f.full.Load() != second {
		f.keep(second, l, k.reason)
		return
	}
	f.left.Add(1)
}

// newGroup makes a group, unless it exists by now or there are too many.
func (f *Feed) newGroup(k letterKey) *letterGroup {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := *f.groups.Load()
	switch g := all[k]; {
	case g != nil:
		return g
	case len(all) >= mostGroups:
		return &f.others
	}
	more := maps.Clone(all)
	if more == nil {
		more = map[letterKey]*letterGroup{}
	}
	g := new(letterGroup)
	more[k] = g
	f.groups.Store(&more)
	return g
}

// add counts a letter.
func (g *letterGroup) add(now int64) {
	if g.count.Add(1) == 1 {
		g.first.Store(now)
	}
	g.last.Store(now)
	second := now / int64(time.Second)
	b := &g.perSecond[second%rateBuckets]
	if old := b.second.Load(); old != second && b.second.CompareAndSwap(old, second) {
		b.n.Store(0)
	}
	b.n.Add(1)
}

// rate returns the letters per second over the last seconds, without the current second.
func (g *letterGroup) rate(now int64) float64 {
	second, n := now/int64(time.Second), uint64(0)
	for i := range g.perSecond {
		b := &g.perSecond[i]
		if s := b.second.Load(); s < second && s >= second-rateSeconds {
			n += b.n.Load()
		}
	}
	if past := min(second, rateSeconds); past > 0 {
		return float64(n) / float64(past)
	}
	return float64(g.count.Load()) // within the first second
}

// keep records the letter itself.
func (f *Feed) keep(second int64, heard LetterLook, reason any) {
	l := Letter{At: wall(f.sys), Actor: actor.ActorName(heard.Receiver()), From: heard.From,
		Reason: textOf(reason)}
	if ref := heard.Ref(); !ref.IsZero() {
		l.receiver = ref.Weak()
	}
	_, l.Behaviour, l.FromType, l.BestEffort = heard.Kind.Names()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.second != second {
		f.second, f.kept = second, 0
	}
	if f.kept++; f.kept == lettersKept {
		f.full.Store(second)
	}
	if len(f.last) < mostLetters {
		f.last = append(f.last, l)
	} else {
		f.last[f.n%mostLetters] = l
	}
	f.n++
}

// reasons are the errors that distinguish groups of dead letters, the most frequent first.
var reasons = []error{actor.ErrStopped, actor.ErrSystemStopped, actor.ErrOverloaded,
	actor.ErrDropped, actor.ErrSuspended, actor.ErrRestarted, actor.ErrNoReply, actor.ErrDeadlock,
	actor.ErrPanicked, context.Canceled, context.DeadlineExceeded}

// reasonOf returns one of reasons, or else the type of the error. It never calls the Error method of
// a foreign error.
func reasonOf(err error) (reason any) {
	if err == nil {
		return nil
	}
	for _, r := range reasons {
		if err == r {
			return r
		}
	}
	if kind := kernel.KindOf(err); slices.Contains(reasons, kind) {
		return kind
	}
	if _, ok := err.(*actor.PanicError); ok {
		return actor.ErrPanicked
	}
	return foreignReason(err)
}

// foreignReason is reasonOf for an error that may be foreign. It calls the methods of the error in a
// goroutine of their own.
func foreignReason(err error) (reason any) {
	reason = reflect.TypeOf(err)
	guard.Apart(func() {
		for _, r := range reasons {
			if guard.Is(err, r) {
				reason = r
				return
			}
		}
	})
	return reason
}

func textOf(reason any) string {
	switch r := reason.(type) {
	case error:
		return guard.Text(r)
	case reflect.Type:
		return r.String()
	}
	return ""
}

// Letters returns the dead letters so far, the most frequent first. The counts are exact. There are
// at most 1,024 groups; further letters are counted in one group without a type.
func (f *Feed) Letters() []Letters {
	var all []Letters
	now := int64(time.Since(f.began)) + 1
	for k, g := range *f.groups.Load() {
		l := f.letters(g, now)
		l.Type, l.Behaviour, l.FromType, l.BestEffort = k.kind.Names()
		l.Reason = textOf(k.reason)
		all = append(all, l)
	}
	if f.others.count.Load() > 0 {
		all = append(all, f.letters(&f.others, now))
	}
	slices.SortFunc(all, func(a, b Letters) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Type, b.Type),
			cmp.Compare(a.Behaviour, b.Behaviour), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

func (f *Feed) letters(g *letterGroup, now int64) Letters {
	at := func(t *seam.Int64) time.Time { return f.began.Add(time.Duration(t.Load())) }
	return Letters{Count: g.count.Load(), First: at(&g.first), Last: at(&g.last), Rate: g.rate(now)}
}

// Recent returns up to 1,024 of the last letters, the oldest first. left is how many were left out
// because there were more than 10,000 in a second.
func (f *Feed) Recent() (last []Letter, left uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	oldest := 0
	if len(f.last) == mostLetters {
		oldest = int(f.n % mostLetters)
	}
	return slices.Concat(f.last[oldest:], f.last[:oldest]), f.left.Load()
}

// Total returns the number of dead letters.
func (f *Feed) Total() uint64 { return f.total.Load() }

// Close ends the feed. Its counts stay readable.
func (f *Feed) Close() { f.stop() }
