package main

import "github.com/gallop-go/gallop/actor"

// Sorted list and dictionary: twenty users each send one request after the other to an actor that
// owns the container, and wait for its reply. One request in ten writes, and of those for the list
// one in a hundred asks for its size.
var (
	sortedList = program{
		name: "sortedlist", about: "concurrent sorted list", n: 3000,
		gallop: func(sys *actor.System, n int) uint64 { return containerGallop(sys, n, new(list)) },
		plain:  func(n int) uint64 { return containerPlain(n, new(list)) },
		message: func(c crew, n int) uint64 {
			return containerMessage(c, n, new(list))
		},
	}
	dictionary = program{
		name: "dictionary", about: "concurrent dictionary", n: 40_000,
		gallop: func(sys *actor.System, n int) uint64 { return containerGallop(sys, n, newDict()) },
		plain:  func(n int) uint64 { return containerPlain(n, newDict()) },
		message: func(c crew, n int) uint64 {
			return containerMessage(c, n, newDict())
		},
	}
)

const containerUsers = 20

type requestKind int

const (
	readRequest requestKind = iota
	writeRequest
	sizeRequest
)

// container is a list or a dictionary. serve handles one request.
type container interface {
	serve(k requestKind, key int) int
}

// user draws the requests.
type user struct {
	random
	left int
}

func newUser(i, n int) user { return user{newRandom(i), n} }

func (u *user) draw() (k requestKind, key int) {
	u.left--
	switch p := u.below(100); {
	case p < 1:
		k = sizeRequest
	case p < 10:
		k = writeRequest
	}
	return k, u.below(1 << 16)
}

type listNode struct {
	key  int
	next *listNode
}

// list is a sorted linked list.
type list struct {
	first *listNode
	size  int
}

func (l *list) serve(k requestKind, key int) int {
	if k == sizeRequest {
		return l.size
	}
	at := &l.first
	for *at != nil && (*at).key < key {
		at = &(*at).next
	}
	if *at != nil && (*at).key == key {
		return key
	}
	if k == writeRequest && l.size < 1000 {
		*at = &listNode{key, *at}
		l.size++
	}
	return -1
}

// dict is a hash table.
type dict map[int]int

func newDict() dict { return make(dict, 512) }

func (d dict) serve(k requestKind, key int) int {
	if k == writeRequest {
		d[key] = key
		return key
	}
	return d[key]
}

type containerActor struct{ container }

type containerUser struct {
	user
	to    actor.Ref[containerActor]
	total actor.Ref[tally]
	done  uint64
}

type containerRequest struct {
	kind requestKind
	key  int
	from actor.Ref[containerUser]
}

var (
	containerType  = actor.NewType[containerActor]("container")
	containerServe = actor.Declare[containerRequest](containerType, "serve")
	_              = containerType.Table(containerServe.Handle((*containerActor).request))

	userType  = actor.NewType[containerUser]("user")
	userReply = actor.Declare[int](userType, "reply")
	_         = userType.Table(userReply.Handle((*containerUser).reply))
)

func (c *containerActor) request(ctx *actor.Context, r containerRequest) {
	userReply.Send(ctx, r.from, c.serve(r.kind, r.key))
}

func (u *containerUser) reply(ctx *actor.Context, _ int) {
	if u.left == 0 {
		tallyAdd.Send(ctx, u.total, u.done)
		return
	}
	u.done++
	k, key := u.draw()
	containerServe.Send(ctx, u.to, containerRequest{k, key, actor.Self[containerUser](ctx)})
}

func containerGallop(sys *actor.System, n int, c container) uint64 {
	total, out := newTally(sys, containerUsers)
	owner := containerType.Spawn(sys, containerActor{c})
	for i := range containerUsers {
		u := userType.Spawn(sys, containerUser{user: newUser(i, n), to: owner, total: total})
		userReply.Send(sys, u, 0)
	}
	return <-out
}
