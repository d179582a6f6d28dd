package actortest_test

import (
	"strings"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
)

// This file is a program with a fault: a cache that forgets one of two clients that ask for the
// same key while the store looks it up. It forgets the client only if its request comes between
// another's and the store's answer, so nearly every run goes well.

// store knows everything, and takes a hop more to say it.
type store struct{ desk actor.Ref[desk] }

// desk hands on the answers of the store.
type desk struct{}

// cache keeps the answers of the store.
type cache struct {
	store   actor.Ref[store]
	known   map[string]string
	waiting map[string]wanted
}

// wanted is a request for a key.
type wanted struct {
	key   string
	reply actor.Handler[string]
}

// lookup is a request of the cache.
type lookup struct {
	key  string
	from actor.Ref[cache]
}

// value is a key with its value.
type value struct{ key, value string }

var (
	deskType  = actor.NewType[desk]("desk")
	carry     = actor.Declare[lookup](deskType, "carry")
	_         = deskType.Table(carry.Handle((*desk).carry))
	storeType = actor.NewType[store]("store")
	find      = actor.Declare[lookup](storeType, "find")
	_         = storeType.Table(find.Handle((*store).find))
	cacheType = actor.NewType[cache]("cache")
	want      = actor.Declare[wanted](cacheType, "want")
	filled    = actor.Declare[value](cacheType, "filled")
	_         = cacheType.Table(want.Handle((*cache).want), filled.Handle((*cache).filled))
)

func (s *store) find(c *actor.Context, l lookup) { carry.Send(c, s.desk, l) }

func (*desk) carry(c *actor.Context, l lookup) {
	filled.Send(c, l.from, value{l.key, strings.ToUpper(l.key)})
}

func (a *cache) want(c *actor.Context, w wanted) {
	if v, ok := a.known[w.key]; ok {
		w.reply.Send(c, v)
		return
	}
	a.waiting[w.key] = w // the fault: an earlier waiter is forgotten
	find.Send(c, a.store, lookup{w.key, actor.Self[cache](c)})
}

func (a *cache) filled(c *actor.Context, v value) {
	a.known[v.key] = v.value
	if w, ok := a.waiting[v.key]; ok {
		delete(a.waiting, v.key)
		w.reply.Send(c, v.value)
	}
}

// client asks for a key after some errands of its own.
type client struct{ cache actor.Ref[cache] }

// errand is a way to go before the request.
type errand struct {
	hops int
	then wanted
}

var (
	clientType = actor.NewType[client]("client")
	run        = actor.Declare[errand](clientType, "run")
	_          = clientType.Table(run.Handle((*client).run))
)

func (k *client) run(c *actor.Context, e errand) {
	if e.hops == 0 {
		want.Send(c, k.cache, e.then)
		return
	}
	e.hops--
	run.Send(c, actor.Self[client](c), e)
}

// twoClients is the scenario: every client gets its answer.
func twoClients(r *actortest.R) {
	sys := r.System()
	s := storeType.Spawn(sys, store{deskType.Spawn(sys, desk{})})
	a := cacheType.Spawn(sys, cache{store: s, known: map[string]string{},
		waiting: map[string]wanted{}})
	got := actortest.NewProbe[string](r, "answers")
	for _, hops := range []int{0, 10} {
		run.Send(sys, clientType.Spawn(sys, client{a}), errand{hops, wanted{"key", got.Handler()}})
	}
	r.WhenQuiet(func() {
		if n := len(got.Got()); n != 2 {
			r.Errorf("%d of 2 answers", n)
		}
	})
}
