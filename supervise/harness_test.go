package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/supervise"
)

// TestMain: no test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// did asks for something and returns the error alone.
func did[S any](b actor.AskBehaviour[S, string, struct{}], ctx context.Context, s actor.Ref[S],
	name string) error {
	_, err := b.Ask(ctx, s, name)
	return err
}

// silent is a logger for tests that make actors panic on purpose.
var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

// epoch is where the clocks of the tests begin.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// journal records events in order.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (d *journal) note(s string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, s)
}

// take returns the notes since the last call.
func (d *journal) take() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := strings.Join(d.lines, ", ")
	d.lines = nil
	return s
}

// says fails the test if something else was noted.
func (d *journal) says(t testing.TB, want ...string) {
	t.Helper()
	if got := d.take(); got != strings.Join(want, ", ") {
		t.Fatalf("what happened: %s\nwant: %s", got, strings.Join(want, ", "))
	}
}

// testChild is a child that records its callbacks and runs the functions that it is sent.
type testChild struct {
	name string
	d    *journal
	fail error // of OnStart
}

type act = func(*testChild, *actor.Context)

func (y *testChild) start(*actor.Context) error {
	if y.d != nil {
		y.d.note("+" + y.name)
	}
	return y.fail
}

func (y *testChild) stop(_ *actor.Context, why error) {
	if y.d != nil {
		y.d.note("-" + y.name)
	}
}

var (
	testChildType = actor.NewType[testChild]("toy").
			OnStart((*testChild).start).OnStop((*testChild).stop)
	do   = actor.Declare[act](testChildType, "do")
	say  = actor.Declare[string](testChildType, "say")
	ping = actor.DeclareAsk[struct{}, string](testChildType, "ping")
	_    = testChildType.Table(
		do.Handle(func(y *testChild, c *actor.Context, f act) { f(y, c) }),
		say.Handle(func(y *testChild, _ *actor.Context, s string) { y.d.note(y.name + " " + s) }),
		ping.Handle(func(y *testChild, _ *actor.Context, _ struct{}) (string, error) {
			return y.name,
				nil
		}))
)

var errUser = errors.New("user's own")

// errPeer is the error of an Ask of a stopped actor. It is not the end of the caller itself.
var errPeer = fmt.Errorf("%w: %w", actor.ErrStopped, actor.ErrShutdown)

func crash(*testChild, *actor.Context)             { panic("crash") }
func finish(_ *testChild, c *actor.Context)        { c.Stop() }
func exitShutdown(_ *testChild, c *actor.Context)  { c.Exit(actor.ErrShutdown) }
func exitWithError(_ *testChild, c *actor.Context) { c.Exit(errUser) }

// harness is a system with a tree, on a clock of its own.
type harness struct {
	testing.TB
	sys   *actor.System
	clock *actor.VirtualClock
	d     journal
	dead  int
	mu    sync.Mutex
	root  supervise.Supervisor
}

// newHarness starts an empty house.
func newHarness(t testing.TB, opts ...actor.Option) *harness {
	t.Helper()
	h := &harness{TB: t, clock: actor.NewVirtualClock(epoch)}
	h.sys = actor.Start(append([]actor.Option{actor.WithWorkers(2), actor.WithLogger(silent),
		actor.WithClock(h.clock),
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {
			h.mu.Lock()
			h.dead++
			h.mu.Unlock()
		}})},
		opts...)...)
	t.Cleanup(h.sys.Stop)
	return h
}

// workers declares children of these names.
func (h *harness) workers(names ...string) (all []supervise.Child) {
	for _, n := range names {
		all = append(all, h.child(n))
	}
	return all
}

func (h *harness) child(name string) supervise.Worker[testChild] {
	return supervise.Worker[testChild]{Name: name, Type: testChildType,
		Backoff: supervise.NoBackoff, Init: func(y *testChild) { y.name, y.d = name, &h.d }}
}

// run starts a tree and waits until it is up.
func (h *harness) run(s supervise.Spec) {
	h.Helper()
	h.root = supervise.Start(h.sys, s)
	h.quiet()
}

// hangTimeout is how long nothing may happen before that is a hang: long, because a busy
// machine may halt a whole process for a minute.
const hangTimeout = 3 * time.Minute

func (h *harness) soon() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), hangTimeout)
	h.Cleanup(cancel)
	return ctx
}

func (h *harness) quiet() {
	h.Helper()
	h.must(h.sys.Wait(h.soon()))
}

func (h *harness) advance(d time.Duration) {
	h.Helper()
	h.must(h.clock.Advance(h.soon(), d))
}

func (h *harness) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *harness) find(path ...string) actor.Ref[testChild] {
	h.Helper()
	r, err := supervise.Find[testChild](h.soon(), h.root, path...)
	h.must(err)
	return r
}

// restart begins another life of a child: not by its supervisor.
func (h *harness) restart(r actor.AnyRef) {
	kernel.AnyRef(r).Restart(kernel.EnvOf(h.sys))
}

// suspend takes a child down: not by its supervisor.
func (h *harness) suspend(r actor.AnyRef) {
	kernel.AnyRef(r).Suspend(kernel.EnvOf(h.sys))
}

// postpone says that a child is in a back-off.
func (h *harness) postpone(r actor.AnyRef) {
	kernel.AnyRef(r).Postpone(kernel.EnvOf(h.sys))
}

// tell makes a child do something, and waits until nothing happens any more.
func (h *harness) tell(f act, path ...string) {
	h.Helper()
	do.Send(h.sys, h.find(path...), f)
	h.quiet()
}

func (h *harness) tree() supervise.Node {
	h.Helper()
	n, err := supervise.Tree(h.soon(), h.root)
	h.must(err)
	return n
}

// states are the states of the children of the root.
func (h *harness) states() string {
	h.Helper()
	var all []string
	for _, k := range h.tree().Children {
		all = append(all, k.Name+" "+k.State.String())
	}
	return strings.Join(all, ", ")
}

// reason is why the root has ended.
func (h *harness) reason() error {
	h.Helper()
	d, err := actor.Join(h.soon(), h.root)
	h.must(err)
	return d.Reason
}

func (h *harness) deadLetters() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.dead
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

func wants(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// often is plenty of restarts.
var often = supervise.Intensity{Restarts: 1000, Within: time.Hour}

// nightly is n, or long if the environment asks for the long forms.
func nightly(n, long int) int {
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		return long
	}
	return n
}

// yield lets others run while a test waits for a condition without an event.
func yield() { runtime.Gosched() }

// armed waits until a timer is armed.
func (h *harness) armed() {
	h.Helper()
	for {
		if _, ok := h.clock.Next(); ok {
			return
		}
		yield()
	}
}

// soonOnce is soon for loops that may take long.
func (h *harness) soonOnce() context.Context { return h.Context() }
