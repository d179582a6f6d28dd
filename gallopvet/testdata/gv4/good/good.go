// Package good has what GV4 must not report.
package good

import (
	"context"
	"sync"

	"github.com/gallop-go/gallop/actor"
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
func (s *service) System(c *actor.Context, _ actor.None) {
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
func (s *service) Borrow(c *actor.Context, _ actor.None) {
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
func (s *service) Env(c *actor.Context, _ actor.None) {
	walk(env{c, 0})
	walkAt(&env{c, 1})
}

func walk(e env)    { e.Gas(1) }
func walkAt(e *env) { e.Gas(1) }

// Blocking runs its function in the behaviour.
func (s *service) Blocking(c *actor.Context, _ actor.None) {
	c.Blocking(func() {
		s.n++
		add.Send(c, actor.Self[service](c), 1)
	})
}

// Each runs a literal in place.
func (s *service) Each(c *actor.Context, _ actor.None) {
	each := func(r actor.Ref[service]) { add.Send(c, r, s.n) }
	for _, r := range s.peers {
		each(r)
	}
}

// Locked shares a map on purpose, under a lock.
func (s *service) Locked(c *actor.Context, _ actor.None) {
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
func (s *service) Child(c *actor.Context, _ actor.None) {
	n := s.n
	actor.SpawnSupervised(c, serviceType, func(child *service) { child.n = n }, fell)
}

func (s *service) Fell(*actor.Context, actor.Fallen) {}

// Start is before the first message.
func (s *service) Start(c *actor.Context) error {
	s.name = "started"
	return nil
}

var (
	serviceType = actor.NewType[service]("service")
	system      = actor.Declare[actor.None](serviceType, "system")
	query       = actor.Declare[string](serviceType, "query")
	borrow      = actor.Declare[actor.None](serviceType, "borrow")
	envs        = actor.Declare[actor.None](serviceType, "env")
	blocking    = actor.Declare[actor.None](serviceType, "blocking")
	each        = actor.Declare[actor.None](serviceType, "each")
	locked      = actor.Declare[actor.None](serviceType, "locked")
	add         = actor.Declare[int](serviceType, "add")
	done        = actor.Declare[actor.Result[int]](serviceType, "done")
	child       = actor.Declare[actor.None](serviceType, "child")
	fell        = actor.Declare[actor.Fallen](serviceType, "fell")
	_           = serviceType.Table(
		system.Do((*service).System), query.Do((*service).Query), borrow.Do((*service).Borrow),
		envs.Do((*service).Env), blocking.Do((*service).Blocking), each.Do((*service).Each),
		locked.Do((*service).Locked), add.Do((*service).Add), done.Do((*service).Done),
		child.Do((*service).Child), fell.Do((*service).Fell),
	).OnStart((*service).Start)
)
