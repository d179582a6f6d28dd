package group_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/supervise"
)

// stander is an Asker of the user's that says how it stands.
type stander struct{ status func() }

func (*stander) Ask(context.Context, int) (int, error) { return 1, nil }
func (*stander) AskTo(c *actor.Context, _ int, reply actor.Handler[actor.Result[int]]) {
	reply.Send(c, actor.Result[int]{Value: 1})
}
func (s *stander) Status() actor.Status {
	if s.status != nil {
		s.status()
	}
	return actor.StatusIdle
}

// TestAskPool_NoForeignCodeUnderTheLock: while a policy, the key of a Hash or the Status of a member
// runs, members join and leave.
func TestAskPool_NoForeignCodeUnderTheLock(t *testing.T) {
	var within func()
	for name, p := range map[string]group.Policy[int]{
		"RoundRobin":  group.RoundRobin[int](),
		"Random":      group.Random[int](),
		"LeastLoaded": group.LeastLoaded[int](),
		"Hash":        group.Hash(func(int) uint64 { within(); return 1 }),
		"PolicyOf": group.PolicyOf(func() func(int, group.Members) int {
			return func(_ int, among group.Members) int { within(); _ = among.Status(0); return 0 }
		}),
	} {
		t.Run(name, func(t *testing.T) {
			calls, other := 0, new(stander)
			pool := group.NewAskPool(p, actor.Asker[int, int](&stander{status: func() { within() }}))
			within = func() {
				calls++
				done := make(chan struct{})
				go func() {
					defer close(done)
					pool.Join(other)
					pool.Leave(other)
				}()
				select {
				case <-done:
				case <-time.After(10 * time.Second):
					t.Error("a member cannot join while code of the user's runs")
				}
			}
			if n, err := pool.Ask(soon(t), 0); n != 1 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
			if calls == 0 {
				t.Error("nothing was asked")
			}
		})
	}
}

// TestAskPool_JoinsWhileAsked: a member that is no actor, and joins while the pool chooses, is not
// asked for its status with the lock held.
func TestAskPool_JoinsWhileAsked(t *testing.T) {
	pool := group.NewAskPool[int, int](group.LeastLoaded[int]())
	group.ChooseAround(pool, 0, func() {
		pool.Join(&stander{status: func() { t.Error("Status was called") }})
	})
}

// faller is a member that falls over a negative number.
type faller struct{ ran *atomic.Int64 }

var (
	fallerType = actor.NewType[faller]("faller")
	fallerDo   = actor.Declare[func(*actor.Context)](fallerType, "do")
	fallerLift = actor.Declare[int](fallerType, "lift")
	_          = fallerType.Table(fallerDo.Handle(func(_ *faller, c *actor.Context, f func(*actor.Context)) { f(c) }),
		fallerLift.Handle(func(f *faller, _ *actor.Context, n int) {
			if n < 0 {
				panic(errors.New("on purpose"))
			}
			f.ran.Add(1)
		}))
)

// TestStartPool_LeavingFalls: failures of a member that leaves do not count for the limit of the
// pool. If the member cannot be started any more, it ends, and the pool goes on.
func TestStartPool_LeavingFalls(t *testing.T) {
	for name, stillborn := range map[string]bool{"falls": false, "cannot start": true} {
		t.Run(name, func(t *testing.T) {
			var ran atomic.Int64
			var leaving atomic.Bool
			sys := start(t, actor.WithWorkers(2), actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {},
				DeadLetter: func(actor.DeadLetter) {}}))
			lead := make(chan actor.Ref[faller], 2)
			pool := group.NewPoolOf(group.RoundRobin[func(*actor.Context)](), 2, fallerDo,
				group.MemberSpec[faller]{Type: fallerType, Backoff: supervise.NoBackoff,
					Intensity: supervise.Intensity{Restarts: 1, Within: time.Hour},
					Init: func(f *faller) {
						if leaving.Load() && stillborn {
							panic(errors.New("cannot start"))
						}
						f.ran = &ran
					}}).Start(sys)
			quiet(t, sys) // the members are known
			for range 2 {
				pool.Send(sys, func(c *actor.Context) { lead <- actor.Self[faller](c) })
				quiet(t, sys)
			}
			leaves := <-lead
			if r := <-lead; r.ID() > leaves.ID() { // the youngest
				leaves = r
			}
			entered, release := make(chan struct{}), make(chan struct{})
			fallerDo.Send(sys, leaves, func(c *actor.Context) {
				c.Blocking(func() { close(entered); <-release })
			})
			<-entered
			for range 5 {
				fallerLift.Send(sys, leaves, -1)
				fallerLift.Send(sys, leaves, 1)
			}
			pool.Resize(sys, 1)
			for n := 2; n != 1; {
				n, _ = pool.Len(soon(t))
			}
			leaving.Store(true)
			close(release)
			quiet(t, sys)
			count(t, pool.Len, 1)
			want := int64(5)
			if stillborn {
				want = 0
			}
			if n := ran.Load(); n != want {
				t.Errorf("%d jobs have run, want %d", n, want)
			}
			if st := sys.Stats(); st.Spawned-st.Stopped != 3 {
				t.Errorf("%d actors, want the pool, its supervisor and a member", st.Spawned-st.Stopped)
			}
			pool.Stop(sys)
		})
	}
}
