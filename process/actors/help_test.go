package actors_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// puppet is an actor that runs the functions that it is sent.
type puppet struct{ got []int }

var (
	puppetType = actor.NewType[puppet]("puppet")
	do         = actor.Declare[func(*puppet, *actor.Context)](puppetType, "do")
	take       = actor.Declare[int](puppetType, "take")
	double     = actor.DeclareAsk[int, int](puppetType, "double")
	later      = actor.DeclareAsk[chan int, int](puppetType, "later")
	heard      = actor.Declare[actor.Result[int]](puppetType, "heard")
	quietly    = actor.Declare[actor.Result[int]](puppetType, "quietly")
	downs      = actor.Declare[actor.Down](puppetType, "downs")
	exits      = actor.Declare[actor.Exit](puppetType, "exits")
	_          = puppetType.Table(
		do.Handle(func(p *puppet, c *actor.Context, f func(*puppet, *actor.Context)) { f(p, c) }),
		take.Handle(func(p *puppet, _ *actor.Context, n int) { p.got = append(p.got, n) }),
		double.Handle(func(_ *puppet, _ *actor.Context, n int) (int, error) {
			if n < 0 {
				return 0, errPlanted
			}
			return 2 * n, nil
		}),
		later.Handle(func(_ *puppet, c *actor.Context, called chan int) (int, error) {
			actor.Defer(c, later)
			called <- 1
			return 0, nil
		}),
		heard.Handle(func(_ *puppet, c *actor.Context, r actor.Result[int]) { log(c, r) }),
		quietly.Handle(func(*puppet, *actor.Context, actor.Result[int]) {}),
		downs.Handle(func(_ *puppet, c *actor.Context, d actor.Down) { log(c, d.Reason) }),
		exits.Handle(func(_ *puppet, c *actor.Context, e actor.Exit) { log(c, e.Reason) }),
	)
)

var errPlanted = errors.New("planted")

// logs has the lines that puppets write.
type logs struct{ lines chan string }

var logOf = map[*actor.System]*logs{}

func log(c *actor.Context, what any) { logOf[c.System()].lines <- fmt.Sprint(what) }

var quietLogger = actor.WithLogger(slog.New(slog.DiscardHandler))

var quietLetters = actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}})

// onEach runs f with workers that steal and with a deterministic system.
func onEach(t *testing.T, f func(t *testing.T, sys *actor.System), opts ...actor.Option) {
	for name, o := range map[string]actor.Option{"one worker": actor.WithWorkers(1),
		"two": actor.WithWorkers(2), "deterministic": actor.WithDeterministic(7)} {
		t.Run(name, func(t *testing.T) {
			sys := actor.Start(append(opts, o, quietLetters, quietLogger)...)
			logOf[sys] = &logs{make(chan string, 100)}
			defer delete(logOf, sys)
			defer sys.Stop()
			f(t, sys)
		})
	}
}

// hangTimeout is how long nothing may happen before that is a hang: long, because a busy
// machine may halt a whole process for a minute; but mutants have 90 seconds.
const hangTimeout = 80 * time.Second

// quiet waits until the system is quiet, and returns the lines of the puppets.
func quiet(t *testing.T, sys *actor.System) (lines []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hangTimeout)
	defer cancel()
	if err := sys.Wait(ctx); err != nil {
		t.Fatalf("Wait: %v; %v", err, sys.Why())
	}
	for {
		select {
		case l := <-logOf[sys].lines:
			lines = append(lines, l)
		default:
			return lines
		}
	}
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// run runs f in a process and waits for the quiet.
func run(t *testing.T, sys *actor.System, f func(p *process.Proc)) (reason error) {
	t.Helper()
	p := process.Go(actors.Join(sys), f)
	quiet(t, sys)
	reason, ok := p.Result()
	if !ok {
		t.Fatalf("not ended: %v", actors.Join(sys).Blocked())
	}
	return reason
}

// in runs f in a turn of a puppet.
func in(sys *actor.System, r actor.Ref[puppet], f func(p *puppet, c *actor.Context)) {
	do.Send(sys, r, f)
}
