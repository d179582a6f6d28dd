package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
)

// blocks lists functions of the library that wait for something outside of the actor: for time,
// for other goroutines, for the network, for another process.
var blocks = map[string]bool{
	"time.Sleep":             true,
	"(*sync.WaitGroup).Wait": true,
	"(*sync.Cond).Wait":      true,
	"net.Dial":               true, "net.DialTimeout": true, "net.DialTCP": true,
	"(*net.Dialer).Dial": true, "(*net.Dialer).DialContext": true,
	"(net.Listener).Accept": true, "(*net.TCPListener).Accept": true,
	"(net.Conn).Read": true, "(net.Conn).Write": true, "(*net.TCPConn).Read": true,
	"net.LookupHost": true, "net.LookupIP": true, "net.LookupAddr": true,
	"(*net.Resolver).LookupHost": true, "crypto/tls.Dial": true,
	"net/http.Get": true, "net/http.Post": true, "net/http.PostForm": true, "net/http.Head": true,
	"net/http.ListenAndServe": true,
	"(*net/http.Client).Do":   true, "(*net/http.Client).Get": true,
	"(*net/http.Client).Post": true, "(*net/http.Client).PostForm": true,
	"(*net/http.Server).ListenAndServe": true, "(*net/http.Server).Serve": true,
	"(*net/http.Server).Shutdown": true,
	"(*os/exec.Cmd).Run":          true, "(*os/exec.Cmd).Output": true,
	"(*os/exec.Cmd).CombinedOutput": true, "(*os/exec.Cmd).Wait": true,
	"(*os.Process).Wait":      true,
	"(*database/sql.DB).Ping": true, "(*database/sql.DB).PingContext": true,
	"(*database/sql.DB).Query": true, "(*database/sql.DB).QueryContext": true,
	"(*database/sql.DB).QueryRow": true, "(*database/sql.DB).QueryRowContext": true,
	"(*database/sql.DB).Exec": true, "(*database/sql.DB).ExecContext": true,
	"(*database/sql.DB).Begin": true, "(*database/sql.DB).BeginTx": true,
	"(*database/sql.Tx).Query": true, "(*database/sql.Tx).Exec": true,
	"(*database/sql.Tx).Commit": true, "(*database/sql.Stmt).Query": true,
	"(*database/sql.Stmt).Exec":                true,
	"(*golang.org/x/sync/errgroup.Group).Wait": true,
}

// slow lists functions of the library that are short if a file is near, and long if it is not.
// They are reported with -strict.
var slow = map[string]bool{
	"os.ReadFile": true, "os.WriteFile": true, "os.Open": true, "os.Create": true,
	"os.OpenFile": true, "os.ReadDir": true, "os.RemoveAll": true, "(*os.File).Sync": true,
	"(*os.File).Read": true, "(*os.File).Write": true, "io.ReadAll": true, "io.Copy": true,
	"path/filepath.WalkDir": true, "path/filepath.Walk": true, "(*bufio.Scanner).Scan": true,
	"(*bufio.Reader).ReadString": true, "fmt.Scanln": true, "fmt.Scan": true,
}

// Blocks returns the name of a function of the library if it waits, "" if not. Those that are only
// slow count if strict says so.
func Blocks(fn *types.Func, strict bool) string {
	if fn == nil {
		return ""
	}
	name := fn.FullName()
	if blocks[name] || strict && slow[name] {
		return name
	}
	return ""
}

// addBlocks notes the function by which fn may wait, itself or through others.
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

// blocksBy returns the function by which a call may wait, or "".
func (p *Package) blocksBy(c *Call) string {
	if name := Blocks(c.Fn, false); name != "" {
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
	for _, fn := range p.Funcs {
		for _, c := range p.calls[fn] {
			if c.API == nil || c.API.Role != api.MakeType || len(c.TypeArgs()) != 1 {
				continue
			}
			same := types.Identical(c.TypeArgs()[0], deref(state.Type()))
			if same && c.Options(c.Arg(2))[api.PinnedOption] != nil {
				return true
			}
		}
	}
	return false
}
