package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// A service is a shop: sessions of customers reserve goods in a hash pool, have them written in a
// ledger, and hand some to couriers, which are processes. Prices are published. Customers come and
// go, and some wait for news.
type service struct {
	sys    *actor.System
	procs  *process.System
	root   supervise.Supervisor
	stock  group.Pool[reservation]
	prices group.Topic[int]
	ledger actor.Ref[ledger]

	sessions []actor.Ref[session] // used by the goroutine of the load
	couriers []process.Ref[int]
	janitors []process.Process
	release  func() // of the hold of the server

	load       int // orders a second
	sent, done atomic.Int64
	closing    chan struct{}
	clients    sync.WaitGroup

	speech sync.Mutex

	others []*exec.Cmd // other programs, which end with this one
}

const (
	manySessions = 10_000
	manyCouriers = 50
	// At most mostOrders are under way, so that an overload makes customers wait, as at a web server.
	mostOrders = 1000
	manyOrders = 100
)

type session struct{ of *service }

type reservation struct {
	item uint64
	from actor.Ref[session]
	cost time.Duration // more than usual
}

type stock struct{ of *service }

type ledger struct{ lines int }

type mailer struct{}

var (
	sessionType = actor.NewType[session]("session")
	order       = actor.Declare[uint64](sessionType, "order")
	reserved    = actor.Declare[uint64](sessionType, "reserved")
	written     = actor.Declare[actor.Result[int]](sessionType, "written")
	priced      = actor.Declare[int](sessionType, "priced")
	beat        = actor.Declare[struct{}](sessionType, "beat")
	news        = actor.DeclareAsk[struct{}, int](sessionType, "news")
	tell        = actor.Declare[actor.Deferred[int]](sessionType, "tell")

	stockType = actor.NewType[stock]("stock")
	reserve   = actor.Declare[reservation](stockType, "reserve")

	ledgerType = actor.NewType[ledger]("ledger")
	write      = actor.DeclareAsk[uint64, int](ledgerType, "write")

	mailerType = actor.NewType[mailer]("mailer")
	mail       = actor.Declare[struct{}](mailerType, "mail")
	mailed     = actor.Declare[actor.Result[int]](mailerType, "mailed")
)

func init() {
	sessionType.Table(
		order.Handle(func(s *session, c *actor.Context, item uint64) {
			s.of.stock.Send(c, reservation{item: item, from: actor.Self[session](c)})
		}),
		reserved.Handle(func(s *session, c *actor.Context, item uint64) {
			actor.AskTo(c, write, s.of.ledger, item, written)
		}),
		written.Handle(func(s *session, c *actor.Context, _ actor.Result[int]) {
			if n := s.of.done.Add(1); n%16 == 0 {
				s.of.couriers[c.Rand().IntN(manyCouriers)].Send(actors.Env(c), 1)
			}
		}),
		priced.Handle(func(*session, *actor.Context, int) {}),
		beat.Handle(func(*session, *actor.Context, struct{}) {}),
		news.Handle(func(_ *session, c *actor.Context, _ struct{}) (int, error) {
			actor.After(c, time.Second+time.Duration(c.Rand().Int64N(int64(2*time.Second))), tell,
				actor.Defer(c, news))
			return 0, nil
		}),
		tell.Handle(func(_ *session, c *actor.Context, d actor.Deferred[int]) { d.Reply(c, 1, nil) }))
	sessionType.OnStart(func(_ *session, c *actor.Context) error {
		actor.Every(c, 30*time.Second, beat, struct{}{})
		return nil
	})
	stockType.Table(reserve.Handle(func(s *stock, c *actor.Context, r reservation) {
		if r.cost > 0 {
			s.of.accuse(fmt.Sprintf("#%d ", c.ActorID()))
			burn(r.cost)
			return
		}
		burn(5 * time.Microsecond)
		reserved.Send(c, r.from, r.item)
	}))
	ledgerType.Table(write.Handle(func(l *ledger, _ *actor.Context, _ uint64) (int, error) {
		burn(2 * time.Microsecond)
		l.lines++
		return l.lines, nil
	}))
	mailerType.Table(
		mail.Handle(func(_ *mailer, c *actor.Context, _ struct{}) {
			actor.Pipe(c, mailed, func(ctx context.Context) (int, error) {
				return 0, actor.Sleep(ctx, 50*time.Millisecond)
			})
		}),
		mailed.Handle(func(*mailer, *actor.Context, actor.Result[int]) {}))
}

func startService(load int, opts ...actor.Option) *service {
	opts = append([]actor.Option{
		actor.WithLogger(slog.New(slog.NewTextHandler(os.Stderr, nil)))}, opts...)
	s := &service{load: load, closing: make(chan struct{})}
	s.sys = actor.Start(opts...)
	s.procs = actors.Join(s.sys)
	return s
}

// open starts the actors and the load, and returns when the first orders are done.
func (s *service) open() {
	ctx := context.Background()
	s.stock = group.NewPoolOf(group.Hash(func(r reservation) uint64 { return r.item }), 8, reserve,
		group.MemberSpec[stock]{Type: stockType, Init: func(m *stock) { m.of = s }})
	s.prices = group.NewTopic[int]()
	var err error
	s.root, err = supervise.StartWait(ctx, s.sys, supervise.Spec{
		Name: "shop", Children: []supervise.Child{
			supervise.Worker[ledger]{Name: "ledger", Type: ledgerType},
			supervise.Worker[mailer]{Name: "mailer", Type: mailerType},
			s.stock.Child("stock"),
			s.prices.Child("prices"),
		}})
	if err != nil {
		panic(err)
	}
	if s.ledger, err = supervise.Find[ledger](ctx, s.root, "ledger"); err != nil {
		panic(err)
	}
	if s.release, err = s.sys.Hold(); err != nil { // of the server that waits for customers
		panic(err)
	}
	for range manyCouriers {
		s.couriers = append(s.couriers, process.Spawn(s.procs, func(self *process.Self[int]) {
			for {
				self.Receive()
				self.Sleep(time.Millisecond)
			}
		}, process.WithType("courier")))
	}
	for range 5 {
		s.janitors = append(s.janitors, process.Go(s.procs, func(p *process.Proc) {
			for {
				p.Sleep(time.Hour)
			}
		}, process.WithType("janitor")))
	}
	for i := range manySessions {
		s.sessions = append(s.sessions, sessionType.Spawn(s.sys, session{s}))
		if i%100 == 0 && i < manySessions-1000 {
			s.prices.Subscribe(s.sys, priced.To(s.sessions[i]))
		}
	}
	mails, err := supervise.Find[mailer](ctx, s.root, "mailer")
	if err != nil {
		panic(err)
	}
	s.customers(time.Millisecond, s.orders())
	s.customers(50*time.Millisecond, func() {
		s.prices.Publish(s.sys, 1)
		mail.Send(s.sys, mails, struct{}{})
		s.replaceSession()
	})
	for i := range 20 {
		first := s.sessions[1+100*i] // none that replaceSession stops
		s.customers(time.Millisecond, func() {
			ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
			defer cancel()
			_, _ = news.Ask(ctx, first, struct{}{}) // a customer who gives up comes again
		})
	}
	for s.done.Load() < int64(min(s.load, 1000)) {
		time.Sleep(10 * time.Millisecond)
	}
}

// customers calls f at each tick until the shop closes.
func (s *service) customers(every time.Duration, f func()) {
	s.clients.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				f()
			case <-s.closing:
				return
			}
		}
	})
}

// orders returns a function that sends the orders that are due. While many are under way it sends
// fewer a second, so that the load suits any machine.
func (s *service) orders() func() {
	last, due, rate := time.Now(), 0.0, float64(s.load)
	item := uint64(0)
	return func() {
		now := time.Now()
		spent := now.Sub(last).Seconds()
		last = now
		if s.sent.Load()-s.done.Load() > manyOrders {
			rate = max(rate*(1-2*spent), 100)
		} else {
			rate = min(rate*(1+spent/2), float64(s.load))
		}
		for due = min(due+spent*rate, manyOrders); due >= 1; due-- {
			if s.sent.Load()-s.done.Load() >= mostOrders {
				return
			}
			item += 7919
			s.sent.Add(1)
			// The last hundreds of the sessions come and go.
			order.Send(s.sys, s.sessions[item%(manySessions-1000)], item)
		}
	}
}

// replaceSession ends a session and begins another one.
func (s *service) replaceSession() {
	at := manySessions - 1000 + int(s.sent.Load())%1000
	actor.Stop(s.sys, s.sessions[at])
	s.sessions[at] = sessionType.Spawn(s.sys, session{s})
}

// close stops the load and the tree, as a service does before it ends.
func (s *service) close() {
	close(s.closing)
	s.clients.Wait()
	s.release()
	for _, r := range s.sessions {
		actor.Stop(s.sys, r)
	}
	for _, j := range s.janitors {
		j.Cancel(s.procs, nil)
	}
	if err := actor.DrainWait(context.Background(), s.root.Ref); err != nil {
		panic(err)
	}
}

// accuse says a name of the culprit.
func (s *service) accuse(name string) { s.say(sayCulprit, name) }

func (s *service) say(word, text string) {
	s.speech.Lock()
	defer s.speech.Unlock()
	fmt.Println(word, text)
}
