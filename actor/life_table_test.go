package actor_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// subject is the actor of one cell of the table in docs/guarantees.md, with all actors that its end
// concerns.
type subject struct {
	t             *testing.T
	sys           *actor.System
	diary         diary
	super, caller actor.Ref[mortal]
	r, child      actor.Ref[mortal]
	tied, watcher actor.Ref[mortal]
	foe           actor.Ref[mortal]
	dead          atomic.Int64 // dead letters of say and of requests
	childDown     atomic.Int64
	release       []func()
}

func newSubject(t *testing.T) *subject {
	s := &subject{t: t}
	s.sys = start(t, actor.WithWorkers(4),
		actor.WithHooks(actor.Hooks{DeadLetter: func(l actor.DeadLetter) {
			if l.Behaviour == "say" || l.Behaviour == "get" {
				s.dead.Add(1)
			}
		}}))
	named := func(name string) actor.Ref[mortal] {
		return mortalType.Spawn(s.sys, mortal{name: name, diary: &s.diary, born: true})
	}
	s.super, s.caller, s.tied, s.watcher, s.foe = named("super"), named("caller"), named(
		"tied"), named(
		"watcher"), named("foe")
	in(t, s.super, func(m *mortal, c *actor.Context) {
		m.onFell = func(_ *mortal, c *actor.Context, f actor.ChildDown) {
			if s.childDown.Add(1); brief(f.Reason) != "panic" && !f.Final {
				actor.Stop(c, f.Ref) // as a supervisor of temporary actors does
			}
		}
		s.r = actor.SpawnSupervised(c, mortalType, func(m *mortal) {
			*m = mortal{name: "r", diary: &s.diary, born: true}
		}, onFell)
	})
	in(t, s.r, func(_ *mortal, c *actor.Context) {
		s.child = mortalType.SpawnChild(c, mortal{name: "child", diary: &s.diary, born: true})
		actor.Link(c, s.foe)
	})
	in(t, s.tied, func(_ *mortal, c *actor.Context) {
		actor.TrapExit(c, onExit)
		actor.Link(c, s.r)
	})
	in(t, s.watcher, func(_ *mortal, c *actor.Context) { actor.Watch(c, s.r, onDown) })
	quiet(t, s.sys)
	s.diary.lines = nil
	return s
}

// hold keeps r in a behaviour until s.free is called.
func (s *subject) hold(r actor.Ref[mortal], first act) {
	begun, end := make(chan struct{}), make(chan struct{})
	doAct.Send(s.sys, r, func(m *mortal, c *actor.Context) { first(m, c); close(begun); <-end })
	receive(s.t, "the behaviour to begin", begun)
	var once sync.Once
	free := func() { once.Do(func() { close(end) }) }
	s.release = append(s.release, free)
	s.t.Cleanup(free)
}

func (s *subject) free() {
	for _, f := range s.release {
		f()
	}
}

// mail puts three messages and a request into the mailbox.
func (s *subject) mail() {
	in(s.t, s.caller, func(_ *mortal, c *actor.Context) {
		for range 3 {
			say.Send(c, s.r, "ran")
		}
		actor.AskTo(c, fetch, s.r, func(m *mortal) int { return 1 }, answered)
	})
}

func nothing(*mortal, *actor.Context) {}

// standings bring a subject into the state of a row of the table.
var standings = map[string]func(s *subject){
	"idle": func(*subject) {},
	"busy": func(s *subject) { s.hold(s.r, nothing); s.mail() },
	"muted": func(s *subject) {
		o := overload(s.t, s.sys)
		s.release = append(s.release, o.release)
		doAct.Send(s.sys, s.r, func(_ *mortal, c *actor.Context) {
			slowDo.Send(c, o.ref, func(*puppet, *actor.Context) {})
		})
		eventually(s.t, "it is muted", func() bool {
			return doAct.TrySend(s.sys, s.r, nothing) == actor.ErrOverloaded
		})
		s.mail()
	},
	"draining": func(s *subject) {
		s.hold(s.r, nothing)
		s.mail()
		actor.Drain(s.sys, s.r)
	},
	"leaving": func(s *subject) {
		s.hold(s.child, nothing)
		s.hold(s.r, nothing)
		s.mail()
		actor.Stop(s.sys, s.r)
		s.release[1]()
		eventually(s.t, "its mail is dead", func() bool { return s.dead.Load() == 4 })
	},
	"suspended": func(s *subject) {
		s.hold(s.r, func(*mortal, *actor.Context) {})
		doAct.Send(s.sys, s.r, func(*mortal, *actor.Context) { panic(1) })
		s.mail()
		s.free()
		eventually(s.t, "it has fallen", func() bool { return s.childDown.Load() == 1 })
	},
	"ended": func(s *subject) { must(s.t, actor.KillWait(soon(s.t), s.r)) },
}

// operations are applied to the subject in that state.
var operations = map[string]func(s *subject){
	"Stop":  func(s *subject) { actor.Stop(s.sys, s.r) },
	"Drain": func(s *subject) { actor.Drain(s.sys, s.r) },
	"Kill":  func(s *subject) { actor.Kill(s.sys, s.r) },
	"exit": func(s *subject) {
		doAct.Send(s.sys, s.foe, func(_ *mortal, c *actor.Context) { c.Exit(errUser) })
		joined(s.t, s.foe) // links are told before watchers
	},
	"Restart": func(s *subject) { actor.Restart(s.sys, s.r) },
}

// cellOf is the expected result: the reason, or "" if the actor lives; how many of the three
// messages ran, and how the request ended; and the reason for which OnStop ran, if it did.
type cellOf struct {
	status, operation string
	reason            string
	ran               int
	answer            string
	onStop            string
}

// lifeTable is the table in docs/guarantees.md.
var lifeTable = []cellOf{
	{"idle", "Stop", "shutdown", 0, "", "shutdown"},
	{"idle", "Drain", "shutdown", 0, "", "shutdown"},
	{"idle", "Kill", "killed", 0, "", ""},
	{"idle", "exit", "user", 0, "", "user"},
	{"idle", "Restart", "", 0, "", "shutdown"},

	{"busy", "Stop", "shutdown", 0, "shutdown", "shutdown"},
	{"busy", "Drain", "shutdown", 3, "1", "shutdown"},
	{"busy", "Kill", "killed", 0, "killed", ""},
	{"busy", "exit", "user", 0, "user", "user"},
	{"busy", "Restart", "", 3, "1", "shutdown"},

	{"muted", "Stop", "shutdown", 0, "shutdown", "shutdown"},
	{"muted", "Drain", "shutdown", 3, "1", "shutdown"},
	{"muted", "Kill", "killed", 0, "killed", ""},
	{"muted", "exit", "user", 0, "user", "user"},
	{"muted", "Restart", "", 3, "1", "shutdown"},

	{"draining", "Stop", "shutdown", 0, "shutdown", "shutdown"},
	{"draining", "Drain", "shutdown", 3, "1", "shutdown"},
	{"draining", "Kill", "killed", 0, "killed", ""},
	{"draining", "exit", "user", 0, "user", "user"},
	{"draining", "Restart", "shutdown", 3, "1", "shutdown"},

	{"leaving", "Stop", "shutdown", 0, "shutdown", "shutdown"},
	{"leaving", "Drain", "shutdown", 0, "shutdown", "shutdown"},
	{"leaving", "Kill", "killed", 0, "shutdown", ""},
	{"leaving", "exit", "shutdown", 0, "shutdown", "shutdown"},
	{"leaving", "Restart", "shutdown", 0, "shutdown", "shutdown"},

	{"suspended", "Stop", "panic", 0, "panic", "panic"},
	{"suspended", "Drain", "panic", 0, "panic", "panic"},
	{"suspended", "Kill", "killed", 0, "killed", "panic"},
	{"suspended", "exit", "suspended", 0, "", "panic"},
	{"suspended", "Restart", "", 3, "1", "panic"},

	{"ended", "Stop", "killed", 0, "", ""},
	{"ended", "Drain", "killed", 0, "", ""},
	{"ended", "Kill", "killed", 0, "", ""},
	{"ended", "exit", "killed", 0, "", ""},
	{"ended", "Restart", "killed", 0, "", ""},
}

// TestLifeTable: one test per cell of the table in docs/guarantees.md.
func TestLifeTable(t *testing.T) {
	if want := len(standings) * len(operations); len(lifeTable) != want {
		t.Errorf("%d cells, want %d", len(lifeTable), want)
	}
	for _, c := range lifeTable {
		t.Run(c.status+"/"+c.operation, func(t *testing.T) {
			s := newSubject(t)
			standings[c.status](s)
			operations[c.operation](s)
			if c.status == "muted" && c.ran == 0 {
				eventually(t, "it has ended although it is muted", func() bool { return s.dead.Load() == 4 })
			}
			s.free()
			if c.reason == "suspended" {
				s.isSuspended()
				return
			}
			quiet(t, s.sys)
			s.check(c)
		})
	}
}

// isSuspended checks a suspended subject after the end of the foe, which must not affect it: it has
// kept its mail, and runs it after a restart.
func (s *subject) isSuspended() {
	joined(s.t, s.foe)
	actor.Restart(s.sys, s.r)
	quiet(s.t, s.sys)
	s.check(cellOf{reason: "", ran: 3, answer: "1", onStop: "panic"})
}

// says counts lines of the diary.
func (s *subject) says(line string) (n int) {
	for _, l := range s.diary.lines {
		if strings.ReplaceAll(l, errUser.Error(), "user") == line {
			n++
		}
	}
	return n
}

// heard returns the reason in the one line that begins with prefix.
func (s *subject) heard(prefix string) (reason string) {
	for _, l := range s.diary.lines {
		if rest, ok := strings.CutPrefix(l, prefix+" "); ok {
			reason += strings.ReplaceAll(rest, errUser.Error(), "user")
		}
	}
	return reason
}

func (s *subject) check(c cellOf) {
	t := s.t
	t.Helper()
	alive := c.reason == ""
	if alive {
		must(t, say.TrySend(s.sys, s.r, "alive"))
	} else {
		wants(t, say.TrySend(s.sys, s.r, ""), actor.ErrStopped)
	}
	quiet(t, s.sys)
	equal(t, "messages run", s.says("r: ran"), c.ran)
	equal(t, "answer", s.heard("caller: answer"), c.answer)
	dead := 0
	if c.answer != "" && c.answer != "1" {
		dead = 4
	}
	equal(t, "dead letters", int(s.dead.Load()), dead)
	equal(t, "OnStop", s.heard("r: stop"), c.onStop)
	equal(t, "what the linked one heard", s.heard("tied: exit"), c.reason)
	equal(t, "what the watcher heard", s.heard("watcher: down"), c.reason)
	if !alive {
		equal(t, "what the supervisor heard last", s.says("super: fell "+c.reason+" true"), 1)
		equal(t, "reason", strings.ReplaceAll(brief(joined(t, s.r)), errUser.Error(), "user"),
			c.reason)
	}
	wants(t, say.TrySend(s.sys, s.child, ""), actor.ErrStopped) // its child has ended first
}
