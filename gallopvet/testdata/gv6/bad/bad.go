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

func (s *worker) Sleep(c *actor.Context, _ actor.None) {
	time.Sleep(time.Minute) // want `GV6: time.Sleep waits in a behaviour, and keeps its worker: use After, or wrap it in Context.Blocking`
}

func (s *worker) Group(c *actor.Context, _ actor.None) {
	s.wg.Wait() // want `sync.WaitGroup.Wait waits in a behaviour, and keeps its worker: wrap it in Context.Blocking, or use Pipe`
}

func (s *worker) Cond(c *actor.Context, _ actor.None) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	mu.Lock()
	defer mu.Unlock()
	cond.Wait() // want `sync.Cond.Wait waits in a behaviour`
}

func (s *worker) Get(c *actor.Context, _ actor.None) {
	r, err := http.Get("http://" + s.at) // want `net/http.Get waits in a behaviour`
	if err == nil {
		_ = r.Body.Close()
	}
}

func (s *worker) Client(c *actor.Context, _ actor.None) {
	req, _ := http.NewRequestWithContext(c.Context(), "GET", "http://"+s.at, nil)
	_, _ = http.DefaultClient.Do(req) // want `net/http.Client.Do waits in a behaviour`
}

func (s *worker) Read(c *actor.Context, _ actor.None) {
	conn, err := net.Dial("tcp", s.at) // want `net.Dial waits in a behaviour`
	if err != nil {
		panic(err)
	}
	_, _ = conn.Read(make([]byte, 1)) // want `net.Conn.Read waits in a behaviour`
}

func (s *worker) Command(c *actor.Context, _ actor.None) {
	_ = exec.Command("sleep", "60").Run() // want `os/exec.Cmd.Run waits in a behaviour`
}

func (s *worker) Ever(c *actor.Context, _ actor.None) {
	select {} // want `select without cases waits for ever in a behaviour`
}

// Query is not run: there is no database.
func (s *worker) Query(c *actor.Context, _ actor.None) {
	_, _ = s.db.QueryContext(c.Context(), "SELECT 1") // want `database/sql.DB.QueryContext waits in a behaviour`
}

func (s *worker) Deep(c *actor.Context, _ actor.None) { s.one() }
func (s *worker) one()                                { s.two() }
func (s *worker) two()                                { three() }
func three() {
	time.Sleep(time.Minute) // want `time.Sleep waits in a behaviour \(deep → one → two → three\)`
}

func (s *worker) Other(c *actor.Context, _ actor.None) {
	lib.Nap() // want `Nap waits, in time.Sleep, in a behaviour`
}

func (s *worker) Start(c *actor.Context) error {
	time.Sleep(time.Minute) // want `time.Sleep waits in a behaviour`
	return nil
}

var (
	workerType = actor.NewType[worker]("worker")
	sleep      = actor.Declare[actor.None](workerType, "sleep")
	group      = actor.Declare[actor.None](workerType, "group")
	cond       = actor.Declare[actor.None](workerType, "cond")
	get        = actor.Declare[actor.None](workerType, "get")
	client     = actor.Declare[actor.None](workerType, "client")
	read       = actor.Declare[actor.None](workerType, "read")
	command    = actor.Declare[actor.None](workerType, "command")
	ever       = actor.Declare[actor.None](workerType, "ever")
	query      = actor.Declare[actor.None](workerType, "query")
	deep       = actor.Declare[actor.None](workerType, "deep")
	other      = actor.Declare[actor.None](workerType, "other")
	_          = workerType.Table(
		sleep.Do((*worker).Sleep), group.Do((*worker).Group), cond.Do((*worker).Cond),
		get.Do((*worker).Get), client.Do((*worker).Client), read.Do((*worker).Read),
		command.Do((*worker).Command), ever.Do((*worker).Ever), query.Do((*worker).Query),
		deep.Do((*worker).Deep), other.Do((*worker).Other),
	)
	lateType = actor.NewType[worker]("late")
	_        = lateType.OnStart((*worker).Start)
)

func init() {
	for name, b := range map[string]actor.Behaviour[worker, actor.None]{
		"sleep": sleep, "group": group, "cond": cond, "get": get, "client": client, "read": read,
		"command": command, "ever": ever, "deep": deep, "other": other,
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
			b.Send(sys, w, actor.None{})
			_ = sys.Run()
		})
	}
	step.Case("gv6/start", step.LongTurn, func() {
		sys := step.StartImpatient()
		lateType.Spawn(sys, worker{})
		_ = sys.Run()
	})
}
