// Package good has what GV2 must not report.
package good

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"cases/gv2/lib"

	"github.com/gallop-go/gallop/actor"
)

type job struct {
	id    int
	parts []int
}

type shop struct {
	to     actor.Ref[shop]
	peers  []actor.Ref[shop]
	items  []int
	stock  map[string]int
	config *job
	batch  []int
	queue  []*job
	jobs   map[int]*job
	n      int
}

// Clone sends a clone.
func (s *shop) Clone(c *actor.Context, _ struct{}) {
	ints.Send(c, s.to, slices.Clone(s.items))
	counts.Send(c, s.to, maps.Clone(s.stock))
	ints.Send(c, s.to, append([]int(nil), s.items...))
	s.items[0]++
	s.stock["a"]++
}

// Give gives away, and makes anew.
func (s *shop) Give(c *actor.Context, _ struct{}) {
	it := s.batch
	s.batch = nil
	ints.Send(c, s.to, it)
}

// GiveAfter makes anew after the send.
func (s *shop) GiveAfter(c *actor.Context, _ struct{}) {
	ints.Send(c, s.to, s.batch)
	s.batch = make([]int, 0, 8)
}

// Fill fills the batch.
func (s *shop) Fill(c *actor.Context, n int) {
	s.batch = append(s.batch, n)
	s.batch[0] = n
	if len(s.batch) == cap(s.batch) {
		s.flush(c)
		s.batch = nil
	}
}

func (s *shop) flush(c *actor.Context) { ints.Send(c, s.to, s.batch) }

// Config sends what nothing writes to.
func (s *shop) Config(c *actor.Context, _ struct{}) {
	looks.Send(c, s.to, s.config)
}

// Pop takes an element out.
func (s *shop) Pop(c *actor.Context, _ struct{}) {
	j := s.queue[len(s.queue)-1]
	s.queue = s.queue[:len(s.queue)-1]
	j.id++
	jobs.Send(c, s.to, j)
}

// Delete takes an element out of a map.
func (s *shop) Delete(c *actor.Context, id int) {
	j := s.jobs[id]
	j.id++
	delete(s.jobs, id)
	jobs.Send(c, s.to, j)
}

// Fresh makes what it sends.
func (s *shop) Fresh(c *actor.Context, _ struct{}) {
	for i := range 3 {
		j := &job{id: i}
		j.parts = append(j.parts, i)
		jobs.Send(c, s.to, j)
	}
	all := []int{}
	for i := range 3 {
		all = append(all, i)
	}
	all[0] = 1
	ints.Send(c, s.to, all)
}

// Self sends to itself.
func (s *shop) Self(c *actor.Context, _ struct{}) {
	me := actor.Self[shop](c)
	ints.Send(c, me, s.items)
	actor.Yield(c, ints, s.items)
	s.items[0]++
}

// Forward passes a message on.
func (s *shop) Forward(c *actor.Context, j *job) {
	j.id++
	jobs.Send(c, s.to, j)
}

// Ints reads.
func (s *shop) Ints(_ *actor.Context, all []int) {
	for _, n := range all {
		s.n += n
	}
}

// Counts reads.
func (s *shop) Counts(_ *actor.Context, m map[string]int) { s.n += m["a"] }

// Children replies with what it makes.
func (s *shop) Children(*actor.Context, struct{}) ([]int, error) {
	all := make([]int, 0, len(s.items))
	all = append(all, s.items...)
	slices.Sort(all)
	return all, nil
}

// Refused uses again what was refused.
func (s *shop) Refused(c *actor.Context, _ struct{}) {
	j := &job{}
	if err := jobs.TrySend(c, s.to, j); err != nil {
		j.id = 2
		s.queue = append(s.queue, j)
	}
}

// RefusedFor looks why.
func (s *shop) RefusedFor(c *actor.Context, _ struct{}) {
	j := &job{}
	if err := jobs.TrySend(c, s.to, j); errors.Is(err, actor.ErrOverloaded) {
		j.id = 2
	}
}

// Locked sends what has a lock of its own.
func (s *shop) Locked(c *actor.Context, _ struct{}) {
	t := &tally{}
	tallies.Send(c, s.to, t)
	t.inc()
}

type tally struct {
	mu sync.Mutex
	n  int
}

func (t *tally) inc() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
}

func (s *shop) Tally(_ *actor.Context, t *tally) { t.inc() }

var (
	tallies    = actor.Declare[*tally](shopType, "tallies")
	refusedFor = actor.Declare[struct{}](shopType, "refusedFor")
	locked     = actor.Declare[struct{}](shopType, "locked")
	_          = shopType.Table(
		tallies.Handle((*shop).Tally), refusedFor.Handle((*shop).RefusedFor), locked.Handle((*shop).Locked),
	)
)

// Broadcast sends what all may read.
func (s *shop) Broadcast(c *actor.Context, _ struct{}) {
	all := []int{1, 2}
	for _, r := range s.peers {
		ints.Send(c, r, all)
	}
	_ = all[0]
}

// Each sends elements, and changes each before.
func (s *shop) Each(c *actor.Context, all []*job) {
	for _, j := range all {
		j.id++
		jobs.Send(c, s.to, j)
	}
}

// Branches writes on another path.
func (s *shop) Branches(c *actor.Context, send bool) {
	all := []int{1}
	if send {
		ints.Send(c, s.to, all)
		return
	}
	all[0] = 2
	lib.Zero(all)
}

// Contradiction writes when it has not sent.
func (s *shop) Contradiction(c *actor.Context, send bool) {
	all := []int{1}
	if send {
		ints.Send(c, s.to, all)
	}
	if !send {
		all[0] = 2
	}
}

// Values sends what has no pointers.
func (s *shop) Values(c *actor.Context, _ struct{}) {
	pairs.Send(c, s.to, [2]int{s.n, 1})
	s.n++
}

// Grow appends behind what was sent.
func (s *shop) Grow(c *actor.Context, _ struct{}) {
	all := make([]int, 0, 1)
	all = append(all, 1)
	ints.Send(c, s.to, all)
	all = append(slices.Clip(all), 2)
	_ = all
}

// Look reads.
func (s *shop) Look(_ *actor.Context, j *job) { s.n += j.id }

// Pairs does nothing.
func (s *shop) Pairs(*actor.Context, [2]int) {}

var (
	shopType = actor.NewType[shop]("shop")
	ints     = actor.Declare[[]int](shopType, "ints")
	counts   = actor.Declare[map[string]int](shopType, "counts")
	jobs     = actor.Declare[*job](shopType, "jobs")
	looks    = actor.Declare[*job](shopType, "looks")
	pairs    = actor.Declare[[2]int](shopType, "pairs")
	each     = actor.Declare[[]*job](shopType, "each")
	branch   = actor.Declare[bool](shopType, "branch")
	contra   = actor.Declare[bool](shopType, "contradiction")
	fill     = actor.Declare[int](shopType, "fill")
	del      = actor.Declare[int](shopType, "delete")
	children = actor.DeclareAsk[struct{}, []int](shopType, "children")
	_        = shopType.Table(
		ints.Handle((*shop).Ints), counts.Handle((*shop).Counts), jobs.Handle((*shop).Forward),
		looks.Handle((*shop).Look), pairs.Handle((*shop).Pairs), each.Handle((*shop).Each), branch.Handle((*shop).Branches),
		contra.Handle((*shop).Contradiction), fill.Handle((*shop).Fill), del.Handle((*shop).Delete),
		children.Handle((*shop).Children),
	)
	bClone     = actor.Declare[struct{}](shopType, "Clone")
	bGive      = actor.Declare[struct{}](shopType, "Give")
	bGiveAfter = actor.Declare[struct{}](shopType, "GiveAfter")
	bConfig    = actor.Declare[struct{}](shopType, "Config")
	bPop       = actor.Declare[struct{}](shopType, "Pop")
	bFresh     = actor.Declare[struct{}](shopType, "Fresh")
	bSelf      = actor.Declare[struct{}](shopType, "Self")
	bRefused   = actor.Declare[struct{}](shopType, "Refused")
	bBroadcast = actor.Declare[struct{}](shopType, "Broadcast")
	bValues    = actor.Declare[struct{}](shopType, "Values")
	bGrow      = actor.Declare[struct{}](shopType, "Grow")
	_          = shopType.Table(bClone.Handle((*shop).Clone), bGive.Handle((*shop).Give), bGiveAfter.Handle((*shop).GiveAfter), bConfig.Handle((*shop).Config), bPop.Handle((*shop).Pop), bFresh.Handle((*shop).Fresh), bSelf.Handle((*shop).Self), bRefused.Handle((*shop).Refused), bBroadcast.Handle((*shop).Broadcast), bValues.Handle((*shop).Values), bGrow.Handle((*shop).Grow))
)

// Waited looks at what the actor has done when it is over.
func Waited() int {
	sys := actor.Start()
	j := &job{}
	jobs.Send(sys, shopType.Spawn(sys, shop{}), j)
	_ = sys.Wait(context.Background())
	j.id++
	wait(sys)
	return j.id
}

func wait(sys *actor.System) { _ = sys.Wait(context.Background()) }

// Helped waits in a helper.
func Helped() {
	sys := actor.Start()
	all := []int{1}
	ints.Send(sys, shopType.Spawn(sys, shop{}), all)
	wait(sys)
	all[0] = 2
}

// Goroutines fill what is sent when they are done.
func Goroutines() {
	sys := actor.Start()
	all := make([]int, 2)
	var g sync.WaitGroup
	for i := range all {
		g.Go(func() { all[i] = i })
	}
	g.Wait()
	ints.Send(sys, shopType.Spawn(sys, shop{}), all)
	_ = sys.Run()
}

// Result is what a channel says is ready.
func Result() {
	sys, done, all := actor.Start(), make(chan bool), make([]int, 1)
	go func() {
		all[0] = 1
		close(done)
	}()
	<-done
	ints.Send(sys, shopType.Spawn(sys, shop{}), all)
}

// Courier lets a goroutine bring the state something back.
func (s *shop) Courier(c *actor.Context, j *job) {
	me, sys := actor.Self[shop](c), c.System()
	go func() { jobs.Send(sys, me, j) }()
	j.id++
}

// Twice sends one actor the same memory twice.
func (s *shop) Twice(c *actor.Context, _ struct{}) {
	j := &job{}
	jobs.Send(c, s.to, j)
	jobs.Send(c, s.to, j)
}

// Parts are sent to those who sort them, each to one.
func Parts(sys *actor.System, all []int) {
	left, right := slices.Clone(all), slices.Clone(all)
	for _, part := range [...][]int{left, right} {
		lib.Sort.Send(sys, lib.SorterType.Spawn(sys, lib.Sorter{}), part)
	}
}
