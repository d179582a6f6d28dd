package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
)

// blocks lists functions of the library that wait for something outside of the actor: for time,
// for other goroutines, for the network, for another process.
var blocks = api.Names(`
	time.Sleep (*sync.WaitGroup).Wait (*sync.Cond).Wait net.Dial net.DialTimeout net.DialTCP
	(*net.Dialer).Dial (*net.Dialer).DialContext (net.Listener).Accept (*net.TCPListener).Accept
	(net.Conn).Read (net.Conn).Write (*net.TCPConn).Read net.LookupHost net.LookupIP net.LookupAddr
	(*net.Resolver).LookupHost crypto/tls.Dial net/http.Get net/http.Post net/http.PostForm
	net/http.Head net/http.ListenAndServe (*net/http.Client).Do (*net/http.Client).Get
	(*net/http.Client).Post (*net/http.Client).PostForm (*net/http.Server).ListenAndServe
	(*net/http.Server).Serve (*net/http.Server).Shutdown (*os/exec.Cmd).Run (*os/exec.Cmd).Output
	(*os/exec.Cmd).CombinedOutput (*os/exec.Cmd).Wait (*os.Process).Wait (*database/sql.DB).Ping
	(*database/sql.DB).PingContext (*database/sql.DB).Query (*database/sql.DB).QueryContext
	(*database/sql.DB).QueryRow (*database/sql.DB).QueryRowContext (*database/sql.DB).Exec
	(*database/sql.DB).ExecContext (*database/sql.DB).Begin (*database/sql.DB).BeginTx
	(*database/sql.Tx).Query (*database/sql.Tx).Exec (*database/sql.Tx).Commit
	(*database/sql.Stmt).Query (*database/sql.Stmt).Exec (*golang.org/x/sync/errgroup.Group).Wait
`)

// slow lists functions of the library that are short if a file is near, and long if it is not.
// They are reported with -strict.
var slow = api.Names(`
	os.ReadFile os.WriteFile os.Open os.Create os.OpenFile os.ReadDir os.RemoveAll (*os.File).Sync
	(*os.File).Read (*os.File).Write io.ReadAll io.Copy path/filepath.WalkDir path/filepath.Walk
	(*bufio.Scanner).Scan (*bufio.Reader).ReadString fmt.Scanln fmt.Scan
`)

// Blocks returns the name of a called library function that waits, "" if it does not wait.
// Functions that are only slow count if strict is set.
func Blocks(c *Call, strict bool) string {
	name := c.FullName()
	if blocks[name] || strict && slow[name] {
		return name
	}
	return ""
}

func (p *Package) addBlocks(s *Summary, fn *ssa.Function) {
	for _, c := range p.calls[fn] {
		if _, isGo := c.Instr.(*ssa.Go); isGo || c.API != nil && c.API.Role == api.Blocking {
			continue
		}
		if name := p.blocksBy(c); name != "" {
			s.Blocks = name
			return
		}
	}
}

func (p *Package) blocksBy(c *Call) string {
	if name := Blocks(c, false); name != "" {
		return name
	}
	for _, fn := range p.runs(c) {
		if s := p.summaries[fn]; s != nil && s.Blocks != "" && p.async[fn] == nil {
			return s.Blocks
		}
	}
	return p.SummaryOf(c).Blocks
}

// Pinned reports whether a turn is one of a type whose actors have a thread of their own: they may
// wait as they like.
func (p *Package) Pinned(t *Turn) bool {
	state := t.State()
	if state == nil {
		return false
	}
	for c := range p.AllCalls() {
		if !c.Is("actor.NewType") || len(c.TypeArgs()) != 1 {
			continue
		}
		options, _ := Variadic(c.Arg(2))
		if types.Identical(c.TypeArgs()[0], deref(state.Type())) && slices.ContainsFunc(options,
			func(o ssa.Value) bool { return MadeBy(o).Is(api.Pinned) }) {
			return true
		}
	}
	return false
}
