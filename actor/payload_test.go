package actor_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"weak"

	"github.com/gallop-go/gallop/actor"
)

// sink is an actor that checks its payloads, and answers a request with its payload.
type sink[M any] struct {
	ok        func(M) bool
	good, bad int
}

func (s *sink[M]) Take(_ *actor.Context, m M) {
	if s.ok(m) {
		s.good++
	} else {
		s.bad++
	}
}

func (s *sink[M]) Echo(c *actor.Context, m M) (M, error) {
	s.Take(c, m)
	return m, nil
}

func (s *sink[M]) Counts(_ *actor.Context, _ struct{}) ([2]int, error) {
	return [2]int{s.good, s.bad}, nil
}

// pass is a payload that an actor must send on.
type pass[M any] struct {
	to actor.Ref[sink[M]]
	m  M
}

// carry sends a payload of type M in every way, mixed with messages of other layouts. It does so
// often enough that all nodes are recycled ones.
func carry[M any](t *testing.T, m M, ok func(M) bool) {
	t.Run(fmt.Sprint(reflect.TypeFor[M]()), func(t *testing.T) {
		typ := actor.NewType[sink[M]]("sink")
		take := actor.Declare[M](typ, "take")
		echo := actor.DeclareAsk[M, M](typ, "echo")
		counts := actor.DeclareAsk[struct{}, [2]int](typ, "counts")
		forward := actor.Declare[pass[M]](typ, "forward")
		back := actor.Declare[actor.Result[M]](typ, "back")
		typ.Table(take.Handle((*sink[M]).Take), echo.Handle((*sink[M]).Echo),
			counts.Handle((*sink[M]).Counts),
			forward.Handle(func(_ *sink[M], c *actor.Context, p pass[M]) {
				take.Send(c, p.to, p.m)
				actor.AskTo(c, echo, p.to, p.m, back)
			}),
			back.Handle(func(s *sink[M], c *actor.Context, r actor.Result[M]) { s.Take(c, r.Value) }))

		sys := start(t, actor.WithWorkers(2))
		to, via := typ.Spawn(sys, sink[M]{ok: ok}), typ.Spawn(sys, sink[M]{ok: ok})
		noise := puppetType.Spawn(sys, puppet{})
		const n = 300
		for i := range n {
			forward.Send(sys, via, pass[M]{to, m})
			must(t, take.SendWait(soon(t), to, m))
			count.Send(sys, noise, i+1)
		}
		v, err := echo.Ask(soon(t), to, m)
		if err != nil || !ok(v) {
			t.Errorf("a request came back as %v, %v", v, err)
		}
		quiet(t, sys)
		at, _ := counts.Ask(soon(t), to, struct{}{})
		equal(t, "good and bad payloads", at, [2]int{3*n + 1, 0})
		at, _ = counts.Ask(soon(t), via, struct{}{})
		equal(t, "good and bad replies", at, [2]int{n, 0})
		sum, _ := value.Ask(soon(t), noise, struct{}{})
		equal(t, "the others' sum", sum, n*(n+1)/2)
	})
}

type mixed struct {
	a    byte
	name string
	at   *int
	b    int16
	list []int
}

// TestPayloads: "payloads of any Go type" arrive unchanged.
func TestPayloads(t *testing.T) {
	x, c := 7, make(chan int)
	carry(t, 42, func(m int) bool { return m == 42 })
	carry(t, "a string", func(m string) bool { return m == "a string" })
	carry(t, struct{}{}, func(struct{}) bool { return true })
	carry(t, [0]*int{}, func([0]*int) bool { return true })
	carry(t, int8(-3), func(m int8) bool { return m == -3 })
	carry(t, [3]uint64{1, 2, 3}, func(m [3]uint64) bool { return m == [3]uint64{1, 2, 3} })
	carry(t, [5]float64{4: 5}, func(m [5]float64) bool { return m[4] == 5 })
	carry(t, [1000]uint64{1, 999: 9}, func(m [1000]uint64) bool {
		return m == [1000]uint64{1, 999: 9}
	})
	// Larger than the elements of a channel may be.
	carry(t, [8193]uint64{1, 8192: 9}, func(m [8193]uint64) bool { return m[0]+m[8192] == 10 })
	carry(t, [100]string{"a", 99: "z"}, func(m [100]string) bool { return m[99] == "z" })
	carry(t, mixed{1, "n", &x, 2, []int{3}}, func(m mixed) bool {
		return m.a == 1 && m.name == "n" && m.at == &x && m.b == 2 && m.list[0] == 3
	})
	carry(t, func() int { return x }, func(m func() int) bool { return m() == 7 })
	carry[any](t, 42, func(m any) bool { return m == 42 })
	carry[any](t, nil, func(m any) bool { return m == nil })
	carry(t, errors.ErrUnsupported, func(m error) bool { return m == errors.ErrUnsupported })
	carry(t, c, func(m chan int) bool { return m == c })
	carry(t, map[string]int{"k": 1}, func(m map[string]int) bool { return m["k"] == 1 })
	carry(t, &x, func(m *int) bool { return m == &x })
}

// held is an object of which a test checks whether it is still in memory.
type held struct{ _ [512]byte }

// collected fails the test unless the GC frees all objects that the weak pointers point to.
func collected(t *testing.T, what string, held []weak.Pointer[held]) {
	t.Helper()
	eventually(t, what+" to be collected", func() bool {
		runtime.GC()
		for _, w := range held {
			if w.Value() != nil {
				return false
			}
		}
		return true
	})
}

// TestPayloads_AreLetGo: "recycled nodes never keep a dead payload alive". Payloads go every way
// there is. Afterwards the system is idle and still up.
func TestPayloads_AreLetGo(t *testing.T) {
	type load struct{ p *held }
	typ := actor.NewType[puppet]("holder")
	take := actor.Declare[load](typ, "take")
	echo := actor.DeclareAsk[load, load](typ, "echo")
	crash := actor.DeclareAsk[load, load](typ, "crash")
	back := actor.Declare[actor.Result[load]](typ, "back")
	relay := actor.Declare[load](typ, "relay")
	typ.Table(take.Handle(func(*puppet, *actor.Context, load) {}),
		echo.Handle(func(_ *puppet, _ *actor.Context, l load) (load, error) { return l, nil }),
		crash.Handle(func(*puppet, *actor.Context, load) (load, error) { panic("crash") }),
		back.Handle(func(*puppet, *actor.Context, actor.Result[load]) {}),
		relay.Handle(func(_ *puppet, c *actor.Context, l load) {
			take.Send(c, actor.Self[puppet](c), l)
			actor.AskTo(c, echo, actor.Self[puppet](c), l, back)
			actor.Pipe(c, back, func(context.Context) (load, error) { return l, nil })
		}))
	for name, send := range map[string]func(sys *actor.System, r actor.Ref[puppet], l load){
		"Send":    func(sys *actor.System, r actor.Ref[puppet], l load) { take.Send(sys, r, l) },
		"TrySend": func(sys *actor.System, r actor.Ref[puppet], l load) { _ = take.TrySend(sys, r, l) },
		"Ask": func(sys *actor.System, r actor.Ref[puppet], l load) {
			_, _ = echo.Ask(context.Background(), r, l)
		},
		"inside": func(sys *actor.System, r actor.Ref[puppet], l load) { relay.Send(sys, r, l) },
		"crash": func(sys *actor.System, r actor.Ref[puppet], l load) {
			_, _ = crash.Ask(context.Background(), r, l)
		},
		"too late": func(sys *actor.System, r actor.Ref[puppet], l load) {
			actor.Stop(sys, r)
			take.Send(sys, r, l)
		},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			r := typ.Spawn(sys, puppet{})
			var gone []weak.Pointer[held]
			for range 20 {
				p := new(held)
				gone = append(gone, weak.Make(p))
				send(sys, r, load{p})
			}
			quiet(t, sys)
			collected(t, "payloads", gone)
			runtime.KeepAlive(sys)
		})
	}
}

// TestRequests_LetGo: a recycled request keeps neither the question nor the caller alive, whether
// it was answered or became a dead letter.
func TestRequests_LetGo(t *testing.T) {
	type load struct{ p *held }
	typ := actor.NewType[load]("caller")
	echo := actor.DeclareAsk[load, load](typ, "echo")
	back := actor.Declare[actor.Result[load]](typ, "back")
	ask := actor.Declare[actor.Ref[load]](typ, "ask")
	typ.Table(
		echo.Handle(func(_ *load, _ *actor.Context, l load) (load, error) { return l, nil }),
		back.Handle(func(_ *load, c *actor.Context, _ actor.Result[load]) { c.Stop() }),
		ask.Handle(func(l *load, c *actor.Context, to actor.Ref[load]) {
			actor.AskTo(c, echo, to, *l, back)
		}))
	for name, end := range map[string]func(sys *actor.System, r actor.Ref[load]){
		"answered":    func(*actor.System, actor.Ref[load]) {},
		"dead letter": func(sys *actor.System, r actor.Ref[load]) { actor.Stop(sys, r) },
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(1))
			to := typ.Spawn(sys, load{})
			end(sys, to)
			quiet(t, sys)
			var gone []weak.Pointer[held]
			for range 5 {
				p := new(held)
				gone = append(gone, weak.Make(p))
				ask.Send(sys, typ.Spawn(sys, load{p}), to)
			}
			quiet(t, sys)
			inside(t, sys, func(*actor.Context) {}) // the worker remembers the actor that it ran last
			collected(t, "requests and those who asked", gone)
			runtime.KeepAlive(sys)
		})
	}
}

// rally is a ping-pong player.
type rally struct{ peer actor.Ref[rally] }

var (
	rallyType = actor.NewType[rally]("rally")
	meetPeer  = actor.Declare[actor.Ref[rally]](rallyType, "meet")
	hitNumber = actor.Declare[int](rallyType, "number")
	hitText   = actor.Declare[string](rallyType, "text")
	hitAsk    = actor.Declare[actor.Result[int]](rallyType, "ask")
	less      = actor.DeclareAsk[int, int](rallyType, "less")
	_         = rallyType.Table(meetPeer.Handle((*rally).Meet), hitNumber.Handle((*rally).Number),
		hitText.Handle((*rally).Text),
		hitAsk.Handle((*rally).Ask), less.Handle((*rally).Less))
)

func (r *rally) Meet(_ *actor.Context, peer actor.Ref[rally]) { r.peer = peer }

func (r *rally) Number(c *actor.Context, n int) {
	if n > 0 {
		hitNumber.Send(c, r.peer, n-1)
	}
}

func (r *rally) Text(c *actor.Context, s string) {
	if s != "" {
		hitText.Send(c, r.peer, s[1:])
	}
}

func (r *rally) Less(_ *actor.Context, n int) (int, error) { return n - 1, nil }

func (r *rally) Ask(c *actor.Context, n actor.Result[int]) {
	if n.Value > 0 {
		actor.AskTo(c, less, r.peer, n.Value, hitAsk)
	}
}
