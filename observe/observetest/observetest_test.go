package observetest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe/observetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A recorder is a test that notes its errors.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

type clerk struct{}

var (
	clerkType = actor.NewType[clerk]("clerk")
	file      = actor.Declare[string](clerkType, "file")
	_         = clerkType.Table(file.Handle(func(_ *clerk, _ *actor.Context, text string) {
		if text == "" {
			panic("nothing to file")
		}
	}))
)

// "Each lint that it finds is an error of the test, once for each rule", except for the rules that
// are excepted. Here the rule is panic.
func TestNoLints(t *testing.T) {
	for _, c := range []struct {
		text   string
		except []string
		want   int
	}{{"a letter", nil, 0}, {"", nil, 1}, {"", []string{"panic"}, 0}} {
		synctest.Test(t, func(t *testing.T) {
			sys := actor.Start(actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
			defer func() {
				sys.Stop()
				time.Sleep(time.Second) // virtual time: the looking ends
			}()
			r := &recorder{TB: t}
			end := observetest.NoLints(r, sys, c.except...)
			file.Send(sys, clerkType.Spawn(sys, clerk{}), "before")
			time.Sleep(1500 * time.Millisecond) // virtual time
			file.Send(sys, clerkType.Spawn(sys, clerk{}), c.text)
			time.Sleep(3 * time.Second) // virtual time
			if looks := end(); looks < 4 || end() != looks {
				t.Errorf("%d looks, and then %d", looks, end())
			}
			if len(r.errors) != c.want || c.want > 0 && !strings.Contains(r.errors[0], "lint panic") {
				t.Errorf("%q without %v: %q", c.text, c.except, r.errors)
			}
		})
	}
}
