package flight

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
)

var (
	// ErrRecorded is the error of [Start] for a system that has a recorder already.
	ErrRecorded = errors.New("gallop: flight: the system is recorded already")
	// ErrNowhere is the error of [Recorder.Dump] if there is neither [WithDir] nor [WithWriter].
	ErrNowhere = errors.New("gallop: flight: neither a directory nor a writer to write to")
)

// Recorder records a system, from [Start] to Close. Its methods may be called from any goroutine.
type Recorder struct {
	settings
	sys   *kernel.System
	log   *flightlog.Log
	began time.Time
	start time.Time // the same moment, by the machine's clock

	stops   []func()
	asked   chan trigger
	closing chan struct{}
	once    sync.Once
	gone    chan struct{}

	missed seam.Uint64
	// next is the earliest time of the next automatic recording, and nextPanic of the next one because
	// of a panic, in nanoseconds since start.
	next, nextPanic seam.Int64
	burst           burst

	looks looks

	mu    sync.Mutex // held while a recording is written
	wrote time.Time  // guarded by mu: the time in the name of the last file
}

// trigger is a reason for a recording.
type trigger struct {
	reason string
	event  Event
	// lasted is how long the event has lasted; 0: it has just happened.
	lasted time.Duration
}

// Start begins to record a system. It returns ErrRecorded if the system has a recorder already. It
// panics if sys was not returned by [actor.Start]. A recorder does not keep the system from being
// quiescent, and its rings can be read after the system's end. A worker's ring begins with the next
// message that it runs; a running turn may be missing.
func Start(sys *actor.System, opts ...Option) (*Recorder, error) {
	r := &Recorder{settings: settings{ring: defaultRing, gap: gap}, start: time.Now(),
		asked: make(chan trigger, 2), closing: make(chan struct{}), gone: make(chan struct{})}
	for _, o := range opts {
		o(&r.settings)
	}
	r.sys = kernel.SystemFor(sys, "flight.Start")
	log, stop := inspect.Record(r.sys, r.ring)
	if log == nil {
		return nil, ErrRecorded
	}
	r.log, r.began = log, r.wall()
	r.stops = append(r.listen(), stop)
	guard.Go(r.run)
	return r, nil
}

// wall returns the system's time of day.
func (r *Recorder) wall() time.Time { return r.sys.Opts.Clock.Now() }

// Snapshot returns the content of the rings, without delaying a worker. It costs some 100 ns for
// each event.
func (r *Recorder) Snapshot() *Recording {
	return r.recording(r.log.Tails())
}

// recording makes a recording of the contents of the rings.
func (r *Recorder) recording(tails []flightlog.Tail, full bool) *Recording {
	s := take(tails, full)
	s.Reason, s.Began, s.Taken, s.Ring = "a call", r.began, r.wall(), r.ring
	s.GoTrace = "not asked for"
	return s
}

// Dump writes a recording at once. reason is recorded with it. Dump returns the error of the
// directory or of the writer, or ErrNowhere.
func (r *Recorder) Dump(reason string) error {
	return r.dump(trigger{reason: reason})
}

// Close ends the recording, and returns when the last file is written. The rings can still be read.
// Close may be called again.
func (r *Recorder) Close() {
	r.once.Do(func() {
		for _, stop := range r.stops {
			stop()
		}
		close(r.closing)
	})
	<-r.gone
}

// Times between two ticks. At each tick every worker reads the clock once.
const (
	shortTick = 10 * time.Millisecond
	longTick  = 160 * time.Millisecond
)

// run writes recordings, and keeps the times of events current while there are any.
func (r *Recorder) run() {
	defer close(r.gone)
	every, events := shortTick, uint64(0)
	if r.sys.Sim != nil {
		every = longTick // its clock is read for each event
	}
	tick := time.NewTimer(every)
	defer tick.Stop()
	for {
		select {
		case <-r.closing:
			r.last()
			return
		case t := <-r.asked:
			r.dumpAsked(t)
		case <-tick.C:
			n := r.tick(time.Since(r.start))
			if every = min(2*every, longTick); n != events && r.sys.Sim == nil {
				every = shortTick
			}
			events = n
			tick.Reset(every)
		}
	}
}

// tick keeps the times of events current. At the first sign of a stall it looks at the rings: when the
// stall is reported, workers that go on will have overwritten the events before it. now is the time since
// start. It returns the number of events so far.
func (r *Recorder) tick(now time.Duration) (events uint64) {
	events, stalls := r.log.Tick()
	if stalls && (r.dir != "" || r.to != nil) {
		r.looks.look(r.log, now)
	}
	return events
}

// last writes the recordings that were asked for just before the end.
func (r *Recorder) last() {
	for {
		select {
		case t := <-r.asked:
			r.dumpAsked(t)
		default:
			return
		}
	}
}

// dumpAsked writes an automatic recording. A failure has no other place to be reported, so the
// recording counts as missed.
func (r *Recorder) dumpAsked(t trigger) {
	if err := r.dump(t); err != nil {
		r.missed.Add(1)
	}
}

// ask asks for a recording, unless there was one within the last minute: one because of a panic, if e
// is a panic, or else one because of anything else. So a storm of other reasons does not hide a panic.
func (r *Recorder) ask(reason string, e Event, lasted time.Duration) {
	if r.dir == "" && r.to == nil {
		return
	}
	budget := &r.next
	if e.What == Panic {
		budget = &r.nextPanic
	}
	now := int64(time.Since(r.start))
	next := budget.Load()
	if now < next || !budget.CompareAndSwap(next, now+int64(r.gap)) {
		r.missed.Add(1)
		return
	}
	e.At = time.Duration(now)
	select {
	case r.asked <- trigger{reason, e, lasted}:
	default:
		r.missed.Add(1)
	}
}

// listen subscribes to the events that cause a recording.
func (r *Recorder) listen() (stops []func()) {
	return []func(){
		inspect.OnPanic(r.sys, func(p kernel.PanicReport) {
			r.ask("a behaviour has panicked: "+value(p), Event{What: Panic, Type: p.Type,
				Behaviour: p.Behaviour, Actor: p.ActorID, Other: p.From, Worker: Outside}, 0)
		}),
		inspect.OnLongTurn(r.sys, func(l kernel.LongTurnReport) {
			r.ask(fmt.Sprintf("a turn has lasted for %v", l.AtLeast), Event{What: LongTurn, Type: l.Type,
				Behaviour: l.Behaviour, Actor: l.ActorID, Other: uint64(l.Worker), Worker: Outside}, l.AtLeast)
		}),
		inspect.OnPressureDeadlock(r.sys, func(d kernel.PressureDeadlock) {
			r.ask("actors wait for one under pressure: "+d.String(), Event{What: Deadlock,
				Type: d.Pressed.Type, Actor: d.Pressed.ID, Other: uint64(len(d.Waits)), Worker: Outside}, 0)
		}),
		inspect.OnDeadLetter(r.sys, r.deadLetter),
	}
}

// value returns the value of a panic as text.
func value(p kernel.PanicReport) string {
	if p.Goexit {
		return "runtime.Goexit"
	}
	text := guard.Text(p.Value)
	const longest = 1024
	if len(text) > longest {
		return strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}

func (r *Recorder) deadLetter(l inspect.LetterLook) {
	typ, name, fromName, bestEffort := l.Kind.Names()
	if bestEffort || !r.burst.add(int64(time.Since(r.start)/time.Second)) {
		return
	}
	r.ask(fmt.Sprintf("more than %d dead letters in a second", mostLetters), Event{What: DeadLetter,
		Type: typ, Behaviour: name, Actor: l.Receiver().ID, Other: l.From,
		OtherType: fromName, Worker: Outside}, 0)
}

// mostLetters is the number of dead letters a second above which a recording is made.
const mostLetters = 100

// burst counts within a second. The upper half of word is the second, the lower half the count.
type burst struct{ word seam.Uint64 }

// add counts one, and reports whether its second has just passed the limit.
func (b *burst) add(second int64) bool {
	for {
		w := b.word.Load()
		if int64(w>>32) == second+1 {
			return uint32(b.word.Add(1)) == mostLetters+1
		}
		if b.word.CompareAndSwap(w, uint64(second+1)<<32|1) {
			return false
		}
	}
}
