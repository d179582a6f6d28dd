// Package good has what GV4 must not report.
package good

import (
	"context"
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

type db struct{}

func (*db) Query(context.Context, string) (int, error) { return 0, nil }

type service struct {
	db    *db
	name  string
	n     int
	c     *actor.Context
	peers []actor.Ref[service]
	mu    *sync.Mutex
	count map[string]int
}

// System is what a goroutine may use.
func (s *service) System(c *actor.Context, _ struct{}) {
	go c.System().Stop()
	sys, me, n := c.System(), actor.Self[service](c), s.n
	go func() { add.Send(sys, me, n) }()
	s.n++
}

// Query uses what never changes after the spawn.
func (s *service) Query(c *actor.Context, q string) {
	actor.Pipe(c, done, func(ctx context.Context) (int, error) {
		return s.db.Query(ctx, q+s.name)
	})
}

// Borrow lends the context for the time of a call.
func (s *service) Borrow(c *actor.Context, _ struct{}) {
	s.c = c
	defer func() { s.c = nil }()
	s.helper()
}

func (s *service) helper() {
	add.Send(s.c, actor.Self[service](s.c), 1)
}

type env struct {
	*actor.Context
	depth int
}

// Env passes the context on in a struct.
func (s *service) Env(c *actor.Context, _ struct{}) {
	walk(env{c, 0})
	walkAt(&env{c, 1})
}

func walk(e env)    { e.Gas(1) }
func walkAt(e *env) { e.Gas(1) }

// Blocking runs its function in the behaviour.
func (s *service) Blocking(c *actor.Context, _ struct{}) {
	c.Blocking(func() {
		s.n++
		add.Send(c, actor.Self[service](c), 1)
	})
}

// Each runs a literal in place.
func (s *service) Each(c *actor.Context, _ struct{}) {
	each := func(r actor.Ref[service]) { add.Send(c, r, s.n) }
	for _, r := range s.peers {
		each(r)
	}
}

// Locked shares a map on purpose, under a lock.
func (s *service) Locked(c *actor.Context, _ struct{}) {
	mu, count := s.mu, s.count
	go func() {
		mu.Lock()
		defer mu.Unlock()
		count["x"]++
	}()
}

// Add adds.
func (s *service) Add(_ *actor.Context, by int) {
	s.n += by
	s.mu.Lock()
	s.count["y"]++
	s.mu.Unlock()
}

func (s *service) Done(*actor.Context, actor.Result[int]) {}

// Child makes a child from copies.
func (s *service) Child(c *actor.Context, _ struct{}) {
	n := s.n
	supervise.StartUnder(c, supervise.Spec{Name: "family", Children: []supervise.Child{
		supervise.Worker[service]{Name: "child", Type: serviceType, Init: func(child *service) { child.n = n }},
	}})
}

// Start is before the first message.
func (s *service) Start(c *actor.Context) error {
	s.name = "started"
	return nil
}

var (
	serviceType = actor.NewType[service]("service")
	system      = actor.Declare[struct{}](serviceType, "system")
	query       = actor.Declare[string](serviceType, "query")
	borrow      = actor.Declare[struct{}](serviceType, "borrow")
	envs        = actor.Declare[struct{}](serviceType, "env")
	blocking    = actor.Declare[struct{}](serviceType, "blocking")
	each        = actor.Declare[struct{}](serviceType, "each")
	locked      = actor.Declare[struct{}](serviceType, "locked")
	add         = actor.Declare[int](serviceType, "add")
	done        = actor.Declare[actor.Result[int]](serviceType, "done")
	child       = actor.Declare[struct{}](serviceType, "child")
	_           = serviceType.Table(
		system.Handle((*service).System), query.Handle((*service).Query), borrow.Handle((*service).Borrow),
		envs.Handle((*service).Env), blocking.Handle((*service).Blocking), each.Handle((*service).Each),
		locked.Handle((*service).Locked), add.Handle((*service).Add), done.Handle((*service).Done),
		child.Handle((*service).Child),
	).OnStart((*service).Start)
)
