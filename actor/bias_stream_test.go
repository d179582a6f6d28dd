package actor_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// Tests in which a worker wakes actors, other workers run them, and the first worker continues to
// send to them.

// insister is an actor that sends to mouths in one turn until they have run.
type insister struct {
	d  *delta
	id int
	no map[*mouth]int
}

var (
	insisterType = actor.NewType[insister]("insister")
	insist       = actor.Declare[insistence](insisterType, "insist")
)

// insistence has the options of an insister.
type insistence struct {
	rounds   int
	declared bool // it sends in Blocking; otherwise the monitor takes its slot
	kill     bool
}

func init() { insisterType.Table(insist.Handle((*insister).insist)) }

func (s *insister) insist(c *actor.Context, how insistence) {
	s.d.ran.Add(1)
	for range how.rounds {
		if actor.SystemStopping(s.d.sys) {
			return
		}
		if how.declared {
			c.Blocking(func() { s.round(c, how) })
		} else {
			s.round(c, how)
		}
	}
}

// round sends to each mouth until one has run it in this round.
func (s *insister) round(c *actor.Context, how insistence) {
	for i := range s.d.mouths {
		actor.GrantBias(c)
		m := s.d.mouths[i].Load()
		if how.kill {
			m = s.d.spawn(c, m.class)
			s.d.mouths[i].Store(m)
		}
		before, dead := m.seen.Load(), s.d.dead.Load()
		for n := 0; m.seen.Load() == before && s.d.dead.Load() == dead &&
			!actor.SystemStopping(s.d.sys); n++ {
			if n < 500 { // no more messages than others can run
				s.to(c, m)
			}
			runtime.Gosched()
		}
		if how.kill {
			m.kill(c)
		}
		for range 20 { // to an actor that another worker runs or has run
			s.to(c, m)
		}
	}
}

func (s *insister) to(c *actor.Context, m *mouth) {
	s.d.sent.Add(1)
	m.send(c, ordinal{s.id, s.no[m]})
	s.no[m]++
}

// insistOn makes two insisters send to mouths of one kind. Other workers have to run the mouths
// meanwhile.
func insistOn(t *testing.T, class, workers int, how insistence) *delta {
	d := &delta{}
	d.open(t, func(int) int { return class }, actor.WithWorkers(workers), actor.WithBatch(7))
	for id := range 2 {
		a := insisterType.Spawn(d.sys, insister{d, id, map[*mouth]int{}})
		d.sent.Add(1)
		insist.Send(d.sys, a, how)
	}
	return d
}

// TestBias_GoesOnSending: a behaviour wakes actors and continues to send to them. Meanwhile other
// workers steal and run them, or the monitor takes them out of the next-slot of its worker. The
// actors stop, are killed or muted, stash, yield, fall and are restarted. Each message runs once or
// is a dead letter, in the order of its sender.
func TestBias_GoesOnSending(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		for class := range mouthKinds {
			for _, declared := range []bool{true, false} {
				rounds := scaled(40)
				if !declared {
					rounds = 1 // each waits for the monitor
				}
				d := insistOn(t, class, workers, insistence{rounds, declared, class == mouthKilled})
				quiet(t, d.sys)
				d.audit(t, uint64(class))
			}
		}
	})
}

// TestBias_SystemStops: the same, and the system stops in the middle.
func TestBias_SystemStops(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		for i := range scaled(30) {
			d := insistOn(t, i%mouthKinds, workers, insistence{1 << 20, true, i%mouthKinds == mouthKilled})
			want := int64(i * 20)
			eventually(t, "some mail to run", func() bool { return d.ran.Load()+d.dead.Load() > want })
			d.sys.Stop()
			d.auditStopped(t, i)
		}
	})
}

// auditStopped is audit for a system that has stopped while insisters were sending.
func (d *delta) auditStopped(t *testing.T, i int) {
	t.Helper()
	if sent, ran, dead := d.sent.Load(), d.ran.Load(), d.dead.Load(); sent != ran+dead ||
		d.wrong.Load() != 0 {
		t.Fatalf("run %d: %d sent, %d ran + %d dead = %d; %d things are wrong", i, sent, ran, dead,
			ran+dead, d.wrong.Load())
	}
}

// TestBias_Neighbours: many actors send to a few in turns of any length, so that biases are often
// taken over, ended by pushes and given again.
func TestBias_Neighbours(t *testing.T) {
	const senders, receivers = 8, 3
	sys := start(t, actor.WithWorkers(4), actor.WithBatch(3))
	var sent, ran, wrong atomic.Int64
	var to []actor.Ref[puppet]
	next := [receivers][senders]int{}
	for range receivers {
		to = append(to, puppetType.Spawn(sys, puppet{}))
	}
	for id := range senders {
		a, no := puppetType.Spawn(sys, puppet{}), [receivers]int{}
		left := scaled(5000)
		var round deed
		round = func(_ *puppet, c *actor.Context) {
			actor.GrantBias(c)
			for j := range 6 {
				i := (id + left + j/2) % receivers
				n := no[i]
				no[i]++
				sent.Add(1)
				do.Send(c, to[i], func(*puppet, *actor.Context) {
					ran.Add(1)
					if next[i][id] != n {
						wrong.Add(1)
					}
					next[i][id] = n + 1
				})
				if j%3 == 2 {
					runtime.Gosched() // or no worker has the time to steal
				}
			}
			if left--; left > 0 {
				do.Send(c, a, round)
			}
		}
		do.Send(sys, a, round)
	}
	quiet(t, sys)
	if sent.Load() != ran.Load() || wrong.Load() != 0 {
		t.Errorf("%d sent, %d ran, %d out of order", sent.Load(), ran.Load(), wrong.Load())
	}
}
