// Package bad has what GV6 must report. Each case keeps a worker.
package bad

import (
	"database/sql"
	"net"
	"net/http"
	"os/exec"
	"sync"
	"time"

	"cases/gv6/lib"
	"cases/step"

	"github.com/gallop-go/gallop/actor"
)

type worker struct {
	db *sql.DB
	wg *sync.WaitGroup
	at string
}

func (s *worker) Sleep(c *actor.Context, _ struct{}) {
	time.Sleep(time.Minute) // want `GV6: time.Sleep waits in a behaviour, and keeps its worker: use After, or wrap it in Context.Blocking`
}

func (s *worker) Group(c *actor.Context, _ struct{}) {
	s.wg.Wait() // want `sync.WaitGroup.Wait waits in a behaviour, and keeps its worker: wrap it in Context.Blocking, or use Pipe`
}

func (s *worker) Cond(c *actor.Context, _ struct{}) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	mu.Lock()
	defer mu.Unlock()
	cond.Wait() // want `sync.Cond.Wait waits in a behaviour`
}

func (s *worker) Get(c *actor.Context, _ struct{}) {
	r, err := http.Get("http://" + s.at) // want `net/http.Get waits in a behaviour`
	if err == nil {
		_ = r.Body.Close()
	}
}

func (s *worker) Client(c *actor.Context, _ struct{}) {
	req, _ := http.NewRequestWithContext(c.Context(), "GET", "http://"+s.at, nil)
	_, _ = http.DefaultClient.Do(req) // want `net/http.Client.Do waits in a behaviour`
}

func (s *worker) Read(c *actor.Context, _ struct{}) {
	conn, err := net.Dial("tcp", s.at) // want `net.Dial waits in a behaviour`
	if err != nil {
		panic(err)
	}
	_, _ = conn.Read(make([]byte, 1)) // want `net.Conn.Read waits in a behaviour`
}

func (s *worker) Command(c *actor.Context, _ struct{}) {
	_ = exec.Command("sleep", "60").Run() // want `os/exec.Cmd.Run waits in a behaviour`
}

func (s *worker) Ever(c *actor.Context, _ struct{}) {
	select {} // want `select without cases waits for ever in a behaviour`
}

// Query is not run: there is no database.
func (s *worker) Query(c *actor.Context, _ struct{}) {
	_, _ = s.db.QueryContext(c.Context(), "SELECT 1") // want `database/sql.DB.QueryContext waits in a behaviour`
}

func (s *worker) Deep(c *actor.Context, _ struct{}) { s.one() }
func (s *worker) one()                              { s.two() }
func (s *worker) two()                              { three() }
func three() {
	time.Sleep(time.Minute) // want `time.Sleep waits in a behaviour \(deep → one → two → three\)`
}

func (s *worker) Other(c *actor.Context, _ struct{}) {
	lib.Nap() // want `Nap waits, in time.Sleep, in a behaviour`
}

func (s *worker) Result(c *actor.Context, _ struct{}) {
	done := make(chan struct{})
	go func() {
		time.Sleep(time.Minute)
		close(done)
	}()
	<-done // want `a receive waits in a behaviour for another goroutine, and keeps its worker`
}

func (s *worker) Start(c *actor.Context) error {
	time.Sleep(time.Minute) // want `time.Sleep waits in a behaviour`
	return nil
}

var (
	workerType = actor.NewType[worker]("worker")
	sleep      = actor.Declare[struct{}](workerType, "sleep")
	group      = actor.Declare[struct{}](workerType, "group")
	cond       = actor.Declare[struct{}](workerType, "cond")
	get        = actor.Declare[struct{}](workerType, "get")
	client     = actor.Declare[struct{}](workerType, "client")
	read       = actor.Declare[struct{}](workerType, "read")
	command    = actor.Declare[struct{}](workerType, "command")
	ever       = actor.Declare[struct{}](workerType, "ever")
	query      = actor.Declare[struct{}](workerType, "query")
	deep       = actor.Declare[struct{}](workerType, "deep")
	other      = actor.Declare[struct{}](workerType, "other")
	result     = actor.Declare[struct{}](workerType, "result")
	_          = workerType.Table(
		sleep.Handle((*worker).Sleep), group.Handle((*worker).Group), cond.Handle((*worker).Cond),
		get.Handle((*worker).Get), client.Handle((*worker).Client), read.Handle((*worker).Read),
		command.Handle((*worker).Command), ever.Handle((*worker).Ever), query.Handle((*worker).Query),
		deep.Handle((*worker).Deep), other.Handle((*worker).Other), result.Handle((*worker).Result),
	)
	lateType = actor.NewType[worker]("late")
	_        = lateType.OnStart((*worker).Start)
)

func init() {
	for name, b := range map[string]actor.Behaviour[worker, struct{}]{
		"sleep": sleep, "group": group, "cond": cond, "get": get, "client": client, "read": read,
		"command": command, "ever": ever, "deep": deep, "other": other, "result": result,
	} {
		step.Case("gv6/"+name, step.LongTurn, func() {
			silent, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				panic(err)
			}
			var wg sync.WaitGroup
			wg.Add(1)
			sys := step.StartImpatient()
			w := workerType.Spawn(sys, worker{wg: &wg, at: silent.Addr().String()})
			b.Send(sys, w, struct{}{})
			_ = sys.Run()
		})
	}
	step.Case("gv6/start", step.LongTurn, func() {
		sys := step.StartImpatient()
		lateType.Spawn(sys, worker{})
		_ = sys.Run()
	})
}
