package actortest_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/bridge"
)

// lived says where everything comes from.
type lived struct{ ch chan int }

var (
	livedType  = actor.NewType[lived]("lived")
	livedGo    = actor.Declare[actor.Ref[desk2]](livedType, "go")
	livedPiped = actor.Declare[actor.Result[int]](livedType, "piped")
	livedHeard = actor.Declare[actor.Result[string]](livedType, "heard")
	livedTook  = actor.Declare[int](livedType, "took")
	livedTick  = actor.Declare[time.Duration](livedType, "tick")
)

func init() {
	livedType.OnStart((*lived).start).OnStop((*lived).stop).Table(livedGo.Handle((*lived).run),
		livedPiped.Handle((*lived).piped),
		livedHeard.Handle((*lived).heard), livedTook.Handle((*lived).took),
		livedTick.Handle((*lived).tick))
}

func (*lived) start(*actor.Context) error                 { return nil }
func (*lived) stop(*actor.Context, error)                 {}
func (*lived) piped(*actor.Context, actor.Result[int])    {}
func (*lived) heard(*actor.Context, actor.Result[string]) {}
func (*lived) took(*actor.Context, int)                   {}
func (*lived) tick(*actor.Context, time.Duration)         {}
func (l *lived) run(c *actor.Context, d actor.Ref[desk2]) {
	actor.Pipe(c, livedPiped, func(context.Context) (int, error) { return 7, nil })
	actor.AskTo(c, place, d, order{"figs", 1}, livedHeard)
	actor.AskTo(c, place, d, order{"dates", 2}, livedHeard, actor.Within(2*time.Second))
	bridge.FromChan(c, l.ch, livedTook)
	actor.After(c, 3*time.Second, livedTick, 5*time.Minute)
}

// origins is a scenario with all that can come from somewhere.
func origins(r *actortest.R) {
	ch := make(chan int, 1)
	ch <- 9
	close(ch)
	d := desk2Type.Spawn(r.System(), desk2{})
	var l actor.Ref[lived]
	with(r, func(c *actor.Context) {
		l = livedType.SpawnChild(c, lived{ch})
	})
	r.Quiet()
	livedGo.Send(r.System(), l, d)
	r.Advance(time.Second)
	r.Advance(time.Hour)
	giveAll.Send(r.System(), d, "sold")
	r.Quiet()
	actor.StopWith(r.System(), l, errors.New("enough"))
	r.Quiet()
	r.Errorf("look")
}

// TestTrace: "The whole trace …, with payloads and virtual time"; "Replies, Pipe results, init and
// OnStop say from where they come".
func TestTrace(t *testing.T) {
	said := fails(t, "look", origins, actortest.WithRuns(1),
		actortest.WithStrategies(actortest.Exhaustive(0)))
	for _, want := range []string{
		"      0s  worker 0  lived#3.OnStart under puppet#2\n",
		"      0s  worker 0  lived#3.go clerk#1 from outside\n",
		"lived#3.piped {Value:7 Err:nil} from a Pipe of lived#3\n",
		"lived#3.took 9 from a channel of lived#3\n",
		`clerk#1.place {item:"figs" n:1} from lived#3`,
		`      2s  worker 0  lived#3.heard {Value:"" Err:` + actor.ErrNoReply.Error() +
			"} from a time-out of its own\n",
		"      3s  worker 0  lived#3.tick 5m0s from itself\n",
		"1h0m1s  worker 0  clerk#1.give \"sold\" from outside\n",
		`lived#3.heard {Value:"sold" Err:nil} from clerk#1`,
		"lived#3.OnStop because of enough\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("want %q in\n%s", want, said)
		}
	}
}

// long sends itself so many messages.
func long(n int) func(r *actortest.R) {
	return func(r *actortest.R) {
		p := puppetType.Spawn(r.System(), puppet{})
		for i := range n {
			tick.Send(r.System(), p, 1000+i)
		}
		r.Quiet()
		r.Errorf("look")
	}
}

// TestTrace_All: "the last 60 by default. A negative number prints all"; the flag "appends all
// events of such a run to a file, and - to the test's log".
func TestTrace_All(t *testing.T) {
	one := []actortest.Option{actortest.WithRuns(1), actortest.WithStrategies(actortest.Exhaustive(0))}
	all := func(said string) int { return strings.Count(said, "puppet#1.tick 1") }
	if n := all(fails(t, "… 40 before", long(100), one...)); n != 60 {
		t.Errorf("%d by default", n)
	}
	if n := all(fails(t, "look", long(100), append(one, actortest.WithTrace(-1))...)); n != 100 {
		t.Errorf("%d of all", n)
	}
	if n := all(fails(t, "look", long(100), append(one, actortest.WithTrace(3))...)); n != 3 {
		t.Errorf("%d of 3", n)
	}
	to := flag.Lookup("gallop.trace")
	defer to.Value.Set("")
	to.Value.Set("-")
	if n := all(fails(t, "look", long(100), one...)); n != 100 {
		t.Errorf("%d in the log", n)
	}
	file := filepath.Join(t.TempDir(), "trace")
	to.Value.Set(file)
	for range 2 {
		if n := all(fails(t, "look", long(100), one...)); n != 60 {
			t.Errorf("%d beside the file", n)
		}
	}
	text, err := os.ReadFile(file)
	if n := all(string(text)); err != nil || n != 200 ||
		strings.Count(string(text), "TestTrace_All: path: 100 events\n") != 2 {
		t.Errorf("%d in the file, %v", n, err)
	}
	to.Value.Set(filepath.Join(file, "no"))
	fails(t, "actortest: -gallop.trace: ", long(1), one...)
}

// nasty are payloads that are hard to print.
type nasty struct {
	bad   stringer
	Bad   stringer
	Nil   *stringer
	self  *nasty
	list  []any
	m     map[string]int
	f     func()
	at    time.Duration
	to    actor.Handler[int]
	bytes []byte
}

// withContext is a message as code makes it that knows no other way for a context.
type withContext struct {
	ctx context.Context
	q   int
}

func deadlined(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	t.Cleanup(cancel)
	return ctx
}

type stringer struct{ n int }

func (s *stringer) String() string { panic(s.n) }

// TestTrace_Payloads: payloads are bounded and safe "against panicking Stringers", and are the same
// in every run, without addresses.
func TestTrace_Payloads(t *testing.T) {
	for _, c := range []struct {
		payload any
		want    string
	}{
		{struct{}{}, "any.got from"},
		{nil, "any.got from"},
		{&stringer{}, "(its String panics)"},
		{nasty{bad: stringer{1}, f: func() {}, Nil: nil, list: []any{1, "two", nil, 3.5},
			m: map[string]int{"b": 2, "a": 1}, at: time.Second, bytes: []byte("hi")},
			`{bad:{n:1} Bad:{n:0} Nil:nil self:nil list:[1 "two" nil 3.5] m:map["a":1 "b":2] f:(func) at:1s to:nil bytes:"hi"} from`},
		{strings.Repeat("é", 1_000_000), "é…"},
		{make([]int, 1_000_000), "[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 … 1000000]"},
		{[]byte(strings.Repeat("x", 1000)), "xxx…"},
		{map[int]int{}, "map[]"},
		{errors.New("oh"), "oh from"},
		{struct{ X, Y any }{time.Minute, true}, "{X:1m0s Y:true}"},
		{withContext{nil, 1}, "{ctx:nil q:1}"},
		{withContext{deadlined(t), 1}, "{ctx:context q:1}"},
		{struct{ A any }{deadlined(t)}, "{A:context}"},
		{struct {
			context.Context
			N int
		}{deadlined(t), 1}, "{Context:context N:1}"},
	} {
		said := fails(t, "look", func(r *actortest.R) {
			actortest.NewProbe[any](r, "any").Handler().Send(r.System(), c.payload)
			r.Quiet()
			r.Errorf("look")
		}, actortest.WithRuns(1))
		line, _, _ := strings.Cut(said[strings.Index(said, "any#1"):], "\n")
		if !strings.Contains(strings.Replace(line, "#1", "", 1), c.want) || len(line) > 300 {
			t.Errorf("%T: want %q in %s", c.payload, c.want, line)
		}
	}
	circle := &nasty{}
	circle.self = circle
	circle.list = []any{circle}
	said := fails(t, "look", func(r *actortest.R) {
		circle.to = actortest.NewProbe[int](r, "ints").Handler()
		actortest.NewProbe[*nasty](r, "any").Handler().Send(r.System(), circle)
		r.Quiet()
		r.Errorf("look")
	}, actortest.WithRuns(1))
	if !strings.Contains(said, " to:ints#1 ") {
		t.Errorf("no name of the handler's actor in\n%s", said)
	}
	said = fails(t, "look", func(r *actortest.R) {
		d := desk2Type.Spawn(r.System(), desk2{})
		actortest.NewProbe[any](r, "any").Handler().Send(r.System(), place.To(d))
		actortest.NewProbe[any](r, "any").Handler().Send(r.System(), actor.Timer{})
		r.Quiet()
		r.Errorf("look")
	}, actortest.WithRuns(1))
	if !strings.Contains(said, " &clerk#") || !strings.Contains(said, " Timer from") {
		t.Errorf("no name of the actor that is asked, or of a timer, in\n%s", said)
	}
}
