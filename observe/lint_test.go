package observe

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/supervise"
)

// A scene is the views of a rule, one a tick, and whether the rule must find something within ten
// seconds.
type scene struct {
	name string
	rule func() rule
	tick func(n int) *sample
	want string // in the sentence; "" for a near miss
	// ticks are 11, which is ten seconds, if 0.
	ticks int
}

func worker(id int, busy float64, ran time.Duration, a inspect.Actor) inspect.Worker {
	return inspect.Worker{ID: id, State: inspect.WorkerRunning, Type: a.Type, Actor: a.ID,
		Behaviour: "work", Busy: busy, For: ran}
}

func at(n int) time.Time { return time.Date(2026, 1, 1, 12, 0, n, 0, time.UTC) }

func holdersOf(what string, count int) actor.Holder {
	return actor.Holder{What: what,
		Count: count}
}

func restarts(n int) *sample {
	child := supervise.Node{Name: "bob", Restarts: n, Last: errors.New("panic: no disk")}
	return &sample{trees: []supervise.Node{{Name: "app", Children: []supervise.Node{child}}}}
}

func mutesOf(ids ...uint64) *sample {
	s := &sample{}
	for i := range len(ids) - 1 {
		s.graph.Mutes = append(s.graph.Mutes,
			inspect.Edge{From: an("stage", ids[i]), To: an("stage", ids[i+1])})
	}
	return s
}

func crowdOf(n int) *sample {
	s := &sample{}
	for i := range n {
		s.graph.Mutes = append(s.graph.Mutes, inspect.Edge{From: an("device", uint64(i+2)), To: an("region", 1)})
	}
	return s
}

func asksOf(lasted time.Duration) *sample {
	return &sample{graph: inspect.WaitGraph{Asks: []inspect.Edge{
		{From: an("front", 1), To: an("back", 2), Behaviour: "get", AtLeast: lasted}}}}
}

func lettersAt(rate float64, bestEffort bool) *sample {
	return &sample{letters: []inspect.Letters{{Type: "session", Behaviour: "say", FromType: "room",
		Reason: "gallop: actor stopped", Count: 1000, Rate: rate, BestEffort: bestEffort}}}
}

func holdsOf(n int, lasted time.Duration, others ...actor.Holder) *sample {
	s := &sample{why: append(others, holdersOf("Hold", n))}
	for range n {
		s.holds = append(s.holds, inspect.Held{At: "main.serve main.go:7", For: lasted})
	}
	return s
}

func loopOf(all, self uint64) *sample {
	return &sample{loops: []selfSender{{actor: an("spinner", 9), all: all, self: self}}}
}

func busyWorkers(a, b float64, queued int) *sample {
	s := &sample{slots: 2, workers: []inspect.Worker{
		worker(0, a, 0, an("hot", 1)), worker(1, b, 0, an("cold", 2))}}
	if queued > 0 {
		s.why = []actor.Holder{holdersOf("queued turn", queued)}
	}
	return s
}

func deadlockAt(n int) *sample {
	d := inspect.PressureDeadlock{At: at(n)}
	d.Pressed = actor.ActorName{Type: "sink", ID: 4}
	d.Waits = []actor.WaitEdge{{Who: actor.ActorName{Type: "source", ID: 5}}}
	d.Closed = true
	return &sample{deadlocks: []inspect.PressureDeadlock{d}}
}

func panicAt(n int) *sample {
	p := inspect.Panic{At: at(n)}
	p.Type, p.ActorID, p.Behaviour, p.Value = "room", 3, "join", "index out of range"
	return &sample{panics: []inspect.Panic{p}}
}

// reported returns the runtime's reports of turns up to second n, one a second.
func reported(n int, turn func(i int) (actor uint64, ran time.Duration, blocking bool)) *sample {
	s := &sample{}
	for i := range n + 1 {
		l := inspect.LongTurn{At: at(i)}
		l.Type, l.Behaviour = "clerk", "work"
		l.ActorID, l.AtLeast, l.Blocking = turn(i)
		s.long = append(s.long, l)
	}
	return s
}

// turnsOf are turns of the actors of a type in turn.
func turnsOf(ran time.Duration, blocking bool, actors ...uint64) func(int) *sample {
	return func(n int) *sample {
		return reported(n, func(i int) (uint64, time.Duration, bool) {
			return actors[i%len(actors)], ran, blocking
		})
	}
}

func mail(n int, more ...func(*inspect.Actor)) func(int) *sample {
	return func(int) *sample {
		return &sample{actors: []inspect.Actor{an("logger", 8, append(more, queued(n))...)}}
	}
}

// starving has threads wait so long in each second.
func starving(each time.Duration, tick func(n int) *sample) func(int) *sample {
	return func(n int) *sample {
		s := tick(n)
		s.machine.waited = each * time.Duration(n)
		s.machine.begun = n == 0
		for range n {
			s.machine.lacked = append(s.machine.lacked, min(each, time.Second))
		}
		return s
	}
}

// mutedFor has a full mailbox, whose senders are muted, and whose mail waits so long.
func mutedFor(delay time.Duration) func(int) *sample {
	return func(n int) *sample {
		s := mail(inspect.MaxQueued)(n)
		s.graph.Mutes = []inspect.Edge{{From: an("producer", 9), To: s.actors[0]}}
		s.delays = []typeDelay{{typ: "logger", probes: 1, last: delay}}
		return s
	}
}

// stillRuns has a turn that runs now.
func stillRuns(t inspect.Turn) func(int) *sample {
	return func(int) *sample {
		return &sample{now: []nowTurn{{Turn: t, at: "main.locate geo.go:7"}}}
	}
}

// waitsOf has a probe of an actor that has waited so long.
func waitsOf(d time.Duration, open bool) func(int) *sample {
	return func(int) *sample { return &sample{waits: []actorWait{{an("scaler", 5), d, open}}} }
}

// pressedFor has pressure on an actor for so many seconds, then again, and mutes for it until then.
func pressedFor(each, until int) func(int) *sample {
	return func(n int) *sample {
		first := 0
		if each > 0 {
			first = n - n%each
		}
		return &sample{pressed: []pressed{{an("stage", 2), at(first), at(min(n, until))}}}
	}
}

// sendersOf has processes that wait to send, in a line.
func sendersOf(count int, in func(n int) string) func(int) *sample {
	return func(n int) *sample {
		s := &sample{}
		for i := range count {
			s.processes.Processes = append(s.processes.Processes, inspect.Process{ID: uint64(16 * (i + 1)),
				Type: "crawler", Waits: true, On: "channel send", At: in(n)})
		}
		return s
	}
}

// suspendedOf has an actor that is down in so many looks of all.
func suspendedOf(down, of int) func(int) *sample {
	return func(n int) *sample {
		if n%of >= down {
			return &sample{}
		}
		return &sample{largest: []inspect.ActorHolder{{What: "pending restart", Count: 1,
			Actor: an("camera", 4, queued(40))}}}
	}
}

// lettersTo has a letter a second to an actor that has ended.
func lettersTo(id func(n int) uint64) func(int) *sample {
	return func(n int) *sample {
		l := inspect.Letter{At: at(n), Behaviour: "charge", Reason: actor.ErrStopped.Error()}
		l.Actor.Type, l.Actor.ID = "card", id(n)
		return &sample{recent: []inspect.Letter{l}}
	}
}

// callsOf has a process that waits for something, and another one that waits for its reply.
func callsOf(on string, caller uint64) func(int) *sample {
	return func(int) *sample {
		return &sample{processes: inspect.ProcessList{Processes: []inspect.Process{
			{ID: 32, Type: "bank", Waits: true, On: on, At: "main.bank bank.go:3"},
			{ID: caller, Type: "saga", Waits: true, On: "reply of a process", Asked: 32}}}}
	}
}

// actorsOf has 300 more actors each second, of which the sample has seen so many.
func actorsOf(seen int) func(n int) *sample {
	return func(n int) *sample {
		s := &sample{stats: actor.Stats{Spawned: uint64(300 * n)}}
		s.census.Total.High = 10_000
		for i := range seen {
			a := an("visitor", uint64(i+1))
			a.Spawned = at(n - i)
			s.census.Seen = append(s.census.Seen, a)
		}
		return s
	}
}

func saturatedBy(delay time.Duration, share, busy float64) func(int) *sample {
	return func(int) *sample {
		s := busyWorkers(busy, busy, 2)
		s.waits = []actorWait{{an("victim", 5), delay, false}}
		s.busy = []inspect.Busy{{Type: "encoder", Actor: 3, Behaviour: "encode", Share: share}}
		s.behaviours = []inspect.Busy{{Type: "encoder", Behaviour: "encode", Share: 0.8}}
		return s
	}
}

func childIs(state supervise.State, last error) *sample {
	child := supervise.Node{Name: "bob", State: state, Last: last}
	return &sample{trees: []supervise.Node{{Name: "app", Children: []supervise.Node{child}, State: supervise.Running}}}
}

// garbageOf allocates so many MB a second, for which the collector takes a share of two processors.
func garbageOf(mb int, share float64) func(int) *sample {
	return func(n int) *sample {
		return &sample{busy: []inspect.Busy{{Type: "exporter", Actor: 3, Behaviour: "export", Share: 0.9}},
			machine: machine{processors: 2, allocated: uint64(n*mb) << 20, collecting: 2 * share * float64(n),
				allocates: []inspect.CodeBytes{{At: "main.rows export.go:9", N: 1}}}}
	}
}

func always(s func() *sample) func(int) *sample { return func(int) *sample { return s() } }

func putOffReplies(counts ...int) func(int) *sample {
	return func(n int) *sample {
		return putOffBy(counts[n%len(counts)], "broker")
	}
}

// putOffBy has an actor with put-off replies, which Why names if it has a few such actors only.
func putOffBy(n int, named string) *sample {
	h := holdersOf("put-off reply", n)
	if h.Actor.Type = "broker"; named != "" {
		h.Actor.ID = 6
	}
	return &sample{why: []actor.Holder{h}, largest: []inspect.ActorHolder{
		{What: "put-off reply", Count: n, Actor: an("broker", 6)}}}
}

// anew returns a constructor for a rule that has memory.
func anew[R any, P interface {
	*R
	rule
}]() rule {
	return P(new(R))
}

// plain is for rules that remember nothing.
func plain(r rule) func() rule { return func() rule { return r } }

func scenes() []scene {
	turns, hold := anew[longTurns], anew[holds]
	return []scene{
		{name: "one slow actor", rule: turns,
			tick: turnsOf(230*time.Millisecond, false, 77),
			want: `clerk#77 runs "work" for 230ms and more`},
		{name: "one slow actor of a slow type", rule: turns,
			tick: func(n int) *sample {
				return reported(n, func(i int) (uint64, time.Duration, bool) {
					if i == 7 {
						return 77, 21 * 12 * time.Millisecond, false
					}
					return uint64(i % 4), 12 * time.Millisecond, false
				})
			},
			want: `clerk#77 runs "work" for 252ms`},
		{name: "a turn of 10 ms", rule: turns,
			tick: turnsOf(10*time.Millisecond, false, 77)},
		{name: "turns that block", rule: turns,
			tick: turnsOf(time.Second, true, 77)},
		{name: "a full mailbox", rule: anew[queueGrows],
			tick: mail(inspect.MaxQueued, named("main")),
			want: "logger#8 (main) has 1000 messages or more"},
		{name: "a full mailbox behind muted senders", rule: anew[queueGrows],
			tick: mutedFor(time.Millisecond)},
		{name: "a full mailbox behind muted senders, in which mail waits long", rule: anew[queueGrows],
			tick: mutedFor(2 * time.Second), want: "logger#8 has 1000 messages or more"},
		{name: "a mailbox that is nearly full", rule: anew[queueGrows],
			tick: mail(inspect.MaxQueued - 1)},
		{name: "a mailbox that is full in two of three samples", rule: anew[queueGrows],
			tick: func(n int) *sample {
				return mail(inspect.MaxQueued * min(n%3, 1))(n)
			}},
		{name: "a chain of three mutes", rule: anew[muteChain],
			tick: always(func() *sample { return mutesOf(1, 2, 3, 4) }),
			want: "stage#4 holds up a chain of 3"},
		{name: "a chain of two mutes", rule: anew[muteChain],
			tick: always(func() *sample { return mutesOf(1, 2, 3) })},
		{name: "a chain for one sample", rule: anew[muteChain],
			tick: func(n int) *sample {
				if n == 3 {
					return mutesOf(1, 2, 3, 4)
				}
				return &sample{}
			}},
		{name: "twenty muted for one", rule: anew[muteCrowd],
			tick: always(func() *sample { return crowdOf(20) }),
			want: "region#1 has 20 actors muted for it"},
		{name: "nineteen muted for one", rule: anew[muteCrowd],
			tick: always(func() *sample { return crowdOf(19) })},
		{name: "many muted in two of three samples", rule: anew[muteCrowd],
			tick: func(n int) *sample { return crowdOf(100 * min(n%3, 1)) }},
		{name: "others muted at each look", rule: anew[muteCrowd], tick: func(n int) *sample {
			s := crowdOf(100)
			for i := range s.graph.Mutes {
				s.graph.Mutes[i].From.ID += uint64(90 * n)
			}
			return s
		}},
		{name: "one look at many muted", rule: anew[muteCrowd], tick: func(int) *sample {
			s := crowdOf(100)
			s.graphAt = at(0)
			return s
		}},
		{name: "many muted for one that has no processor", rule: anew[muteCrowd],
			tick: starving(600*time.Millisecond, always(func() *sample { return crowdOf(100) }))},
		{name: "many muted on a busy machine", rule: anew[muteCrowd],
			tick: starving(300*time.Millisecond, always(func() *sample { return crowdOf(100) })),
			want: "region#1 has 100 actors muted for it"},
		{name: "one look at a chain", rule: anew[muteChain], tick: func(int) *sample {
			s := mutesOf(1, 2, 3, 4)
			s.graphAt = at(0)
			return s
		}},
		{name: "one look at a channel that is not read", rule: anew[fullChannel], tick: func(int) *sample {
			return &sample{whyAt: at(0),
				largest: []inspect.ActorHolder{{What: "ToChan", Count: 1, Actor: an("channel", 4)}}}
		}},
		{name: "one look at replies", rule: anew[putOff], ticks: 15, tick: func(int) *sample {
			s := putOffBy(2, "broker")
			s.whyAt = at(0)
			return s
		}},
		{name: "a circle of mutes", rule: anew[circles],
			tick: always(func() *sample {
				return &sample{graph: inspect.WaitGraph{Circles: [][]inspect.Actor{{an("a", 1), an("b",
					2)}}}}
			}),
			want: "a#1 is muted and waits for b#2"},
		{name: "an ask of itself", rule: anew[circles],
			tick: always(func() *sample {
				s := asksOf(0)
				s.graph.Circles = [][]inspect.Actor{{an("front", 1), an("back", 2), an("third", 3)}}
				return s
			}),
			want: "front#1 asks and waits for back#2"},
		{name: "waits in no circle", rule: anew[circles],
			tick: always(func() *sample { return asksOf(time.Minute) })},
		{name: "an ask that is open for long", rule: plain(longAsk{}),
			tick: always(func() *sample { return asksOf(6 * time.Second) }),
			want: `back#2 has not answered front#1, which waits in "get", for 6s; 1 other waits for it`},
		{name: "a turn that was stuck before the first look", rule: turns, ticks: 1,
			tick: stillRuns(inspect.Turn{Actor: an("geocoder", 7, queued(40)), Behaviour: "locate", Lasted: time.Hour}),
			want: `geocoder#7 runs "locate" for 1h0m0s and still does, in main.locate geo.go:7, while 40 messages wait`},
		{name: "a process that blocks its worker", rule: turns, ticks: 1,
			tick: stillRuns(inspect.Turn{Process: 16, Type: "reader", Name: "log", Lasted: 2 * time.Second}),
			want: `reader#16 (log) blocks its worker for 2s and still does, in main.locate geo.go:7`},
		{name: "a turn of half a second", rule: turns,
			tick: stillRuns(inspect.Turn{Actor: an("geocoder", 7), Behaviour: "locate", Lasted: time.Second / 2})},
		{name: "work of the runtime", rule: turns,
			tick: stillRuns(inspect.Turn{Actor: an("geocoder", 7), Lasted: time.Hour})},
		{name: "a turn whose thread had no processor", rule: turns,
			tick: starving(900*time.Millisecond, stillRuns(inspect.Turn{Actor: an("geocoder", 7), Behaviour: "locate",
				Lasted: 1500 * time.Millisecond}))},
		{name: "a turn that blocks while mail waits", rule: turns, ticks: 1,
			tick: stillRuns(inspect.Turn{Actor: an("uploader", 7, queued(1)), Behaviour: "put", Lasted: 3 * time.Second,
				Blocking: true}),
			want: `uploader#7 has been in Blocking in "put" for 3s, in main.locate geo.go:7, while a message waits`},
		{name: "a turn that blocks, and no mail", rule: turns,
			tick: stillRuns(inspect.Turn{Actor: an("uploader", 7), Behaviour: "put", Lasted: time.Hour, Blocking: true})},
		{name: "a start that blocks", rule: turns, ticks: 1,
			tick: stillRuns(inspect.Turn{Actor: an("broker", 7), Behaviour: "OnStart", Lasted: time.Minute, Blocking: true}),
			want: "broker#7 has been in Blocking in OnStart for 1m0s"},
		{name: "mail that waits", rule: plain(mailWaits{}), ticks: 1, tick: waitsOf(1100*time.Millisecond, false),
			want: "scaler#5 lets its mail wait for 1.1s"},
		{name: "mail that waits still", rule: plain(mailWaits{}), ticks: 1, tick: waitsOf(2*time.Second, true),
			want: "scaler#5 lets its mail wait for 2s and more"},
		{name: "mail that waits a little", rule: plain(mailWaits{}), tick: waitsOf(900*time.Millisecond, false)},
		{name: "a probe that waits a little", rule: plain(mailWaits{}), tick: waitsOf(1900*time.Millisecond, true)},
		{name: "mail that waits for a processor", rule: plain(mailWaits{}),
			tick: starving(500*time.Millisecond, waitsOf(1400*time.Millisecond, false))},
		{name: "mail of an actor that waits for its restart", rule: plain(mailWaits{}), tick: func(n int) *sample {
			s := waitsOf(time.Minute, true)(n)
			s.waits[0].actor.Suspended = true
			return s
		}},
		{name: "pressure for long", rule: plain(longMute{}), ticks: 1, tick: always(func() *sample {
			s := mutesOf(1, 2)
			s.graph.Mutes[0].AtLeast, s.graph.Pressed = 6*time.Second, []inspect.Actor{an("stage", 2)}
			return s
		}), want: "stage#2 applies pressure, and has kept stage#1 muted for 6s"},
		{name: "pressure, and mutes that come and go", rule: plain(longMute{}), ticks: 7, tick: pressedFor(0, 7),
			want: "stage#2 has applied pressure for 6s without releasing it, and its senders are muted"},
		{name: "pressure that is released and applied", rule: plain(longMute{}), ticks: 30, tick: pressedFor(5, 30)},
		{name: "pressure for which nothing is muted any more", rule: plain(longMute{}), ticks: 30,
			tick: pressedFor(0, 5)},
		{name: "a mute of five seconds", rule: plain(longMute{}), tick: always(func() *sample {
			s := mutesOf(1, 2)
			s.graph.Mutes[0].AtLeast = 5 * time.Second
			return s
		})},
		{name: "a channel that is not read", rule: anew[fullChannel], tick: always(func() *sample {
			return &sample{largest: []inspect.ActorHolder{{What: "ToChan", Count: 1, Actor: an("channel", 4)}}}
		}), want: "channel#4 has a message for a channel of Go's that has no room"},
		{name: "a channel that is read now and then", rule: anew[fullChannel], tick: func(n int) *sample {
			return &sample{largest: []inspect.ActorHolder{{What: []string{"ToChan", "FromChan"}[n/5%2], Count: 1,
				Actor: an("channel", 4)}}}
		}},
		{name: "processes at a channel that is not read", rule: anew[fullChannel],
			tick: sendersOf(20, func(n int) string { return []string{"main.crawl crawl.go:3", ""}[n%2] }),
			want: "crawler has 20 processes that have waited at a channel that has no room for 10s; " +
				"it waits in channel send, in main.crawl crawl.go:3"},
		{name: "some processes at a channel", rule: anew[fullChannel], ticks: 30,
			tick: sendersOf(19, func(int) string { return "" })},
		{name: "processes at several channels", rule: anew[fullChannel], ticks: 30,
			tick: sendersOf(40, func(n int) string { return fmt.Sprint("main.crawl crawl.go:", n/9) })},
		{name: "a child that nobody restarts", rule: anew[notRestarted], tick: suspendedOf(6, 7),
			want: "camera#4 has failed, and is neither restarted nor stopped, while 40 messages wait"},
		{name: "a child that is restarted after five seconds", rule: anew[notRestarted], ticks: 30, tick: suspendedOf(5, 7)},
		{name: "one look at a child that is down", rule: anew[notRestarted], tick: func(n int) *sample {
			s := suspendedOf(1, 1)(0)
			s.whyAt = at(0)
			return s
		}},
		{name: "letters to an actor that has ended", rule: anew[deadLetterBurst],
			tick: lettersTo(func(int) uint64 { return 7 }),
			want: `card#7 has ended, and is still sent "charge" from outside`},
		{name: "letters to several actors that have ended", rule: anew[deadLetterBurst], ticks: 60,
			tick: lettersTo(func(n int) uint64 { return uint64(n / 9) })},
		{name: "a process that does not reply", rule: anew[longCall], tick: callsOf("sleep", 16),
			want: "bank#32 keeps the same processes waiting for 5s; it waits in sleep, in main.bank bank.go:3; " +
				"1 other waits for it"},
		{name: "a process that receives", rule: anew[longCall], tick: callsOf("receive", 16)},
		{name: "calls of others each time", rule: anew[longCall], tick: func(n int) *sample {
			return callsOf("sleep", uint64(100+n))(n)
		}},
		{name: "timers of an actor that only grow", rule: anew[onlyGrows], tick: (func(n int) *sample {
			return &sample{largest: []inspect.ActorHolder{{What: "timer", Count: 100 * n, Actor: an("reminders", 4)}}}
		}), want: "reminders#4 has timers that only grow: 800 more in 8s, and now 800"},
		{name: "timers that fall now and then", rule: anew[onlyGrows], ticks: 60, tick: (func(n int) *sample {
			return &sample{largest: []inspect.ActorHolder{{What: "timer", Count: 100 * (n % 7), Actor: an("reminders", 4)}}}
		})},
		{name: "a few more timers", rule: anew[onlyGrows], ticks: 11, tick: (func(n int) *sample {
			return &sample{largest: []inspect.ActorHolder{{What: "timer", Count: 4 * n, Actor: an("reminders", 4)}}}
		})},
		{name: "timers that grow slowly", rule: anew[onlyGrows], ticks: 61, tick: (func(n int) *sample {
			return &sample{largest: []inspect.ActorHolder{{What: "timer", Count: 100 + n, Actor: an("reminders", 4)}}}
		}), want: "reminders#4 has timers that only grow: 54 more in 54s"},
		{name: "put-off replies of a type", rule: anew[onlyGrows], tick: (func(n int) *sample {
			h := holdersOf("put-off reply", 100*n)
			h.Actor.Type = "broker"
			return &sample{why: []actor.Holder{h}}
		}), want: "broker has put-off replies that only grow"},
		{name: "actors of a type", rule: anew[onlyGrows], tick: (actorsOf(5)),
			want: "visitor has actors that only grow in number: of all actors there are 2400 more in 8s"},
		{name: "actors that the GC collects", rule: anew[onlyGrows], tick: (actorsOf(0))},
		{name: "children of a supervisor", rule: anew[onlyGrows], tick: (func(n int) *sample {
			return &sample{trees: []supervise.Node{{Name: "tenants", Supervises: true,
				Children: make([]supervise.Node, 100*n)}}}
		}), want: "tenants has children that only grow in number: 800 more in 8s, and now 800"},
		{name: "processes of a type", rule: anew[onlyGrows], tick: (func(n int) *sample {
			return &sample{processes: inspect.ProcessList{Types: []inspect.ProcessGroup{{Type: "fetch", Count: 100 * n}}}}
		}), want: "fetch has processes that only grow in number: 800 more in 8s"},
		{name: "requests to a process", rule: anew[onlyGrows], tick: (func(n int) *sample {
			return &sample{processes: inspect.ProcessList{Asked: []inspect.ProcessGroup{{Type: "pricing", ID: 16, Count: 100 * n}}}}
		}), want: "pricing#16 has requests without a reply that only grow in number: 800 more in 8s"},
		{name: "mail of a process", rule: anew[onlyGrows], tick: (func(n int) *sample {
			return &sample{processes: inspect.ProcessList{Processes: []inspect.Process{{ID: 16, Type: "indexer",
				Waits: true, On: "sleep", Queued: 60 + 60*n}}}}
		}), want: "indexer#16 has a mailbox that only grows: 480 more in 8s"},
		{name: "goroutines", rule: anew[onlyGrows], tick: (func(n int) *sample {
			return &sample{machine: machine{goroutines: uint64(100 * n), runs: []inspect.CodeBytes{{At: "main.leak leak.go:9", N: 700}}}}
		}), want: "The number of goroutines only grows: 800 more in 8s, and now 800; 700 of them are in main.leak"},
		{name: "the heap", rule: anew[onlyGrows], tick: (func(n int) *sample {
			return &sample{machine: machine{heap: uint64(n/3) << 26, holds: []inspect.CodeBytes{{At: "main.keep keep.go:9", N: 1}}}}
		}), want: "The heap only grows: by 128 MB in 8s, to 128 MB; most of it was allocated in main.keep"},
		{name: "a heap that breathes", rule: anew[onlyGrows], ticks: 60, tick: (func(n int) *sample {
			return &sample{machine: machine{heap: uint64(n%4+1) << 27}}
		})},
		{name: "no worker for mail that waits", rule: anew[saturation], tick: saturatedBy(time.Minute, 0.6, 1),
			want: `encoder#3 takes 60 % of the time of all workers in "encode"`},
		{name: "no worker, by many actors", rule: anew[saturation], tick: saturatedBy(time.Minute, 0.4, 1),
			want: `encoder.encode takes 80 % of the time of all workers`},
		{name: "full load, and quick mail", rule: anew[saturation], tick: saturatedBy(100*time.Millisecond, 0.6, 1)},
		{name: "mail that waits beside idle workers", rule: anew[saturation], tick: saturatedBy(time.Minute, 0.6, 0.5)},
		{name: "a child that does not come up", rule: anew[startFails], tick: always(func() *sample {
			return childIs(supervise.BackingOff, errors.New("no route"))
		}), want: "app/bob has been down for 3s, after 0 restarts: no route"},
		{name: "a child that starts for the first time", rule: anew[startFails], tick: always(func() *sample {
			return childIs(supervise.Starting, nil)
		})},
		{name: "a child that is up now and then", rule: anew[startFails], tick: func(n int) *sample {
			return childIs([]supervise.State{supervise.BackingOff, supervise.BackingOff, supervise.Running}[n%3], errors.New("x"))
		}},
		{name: "a system that does not end", rule: anew[shutdown], tick: always(func() *sample {
			h := holdersOf("timer", 2)
			h.Actor = actor.ActorName{Type: "nightly-report", ID: 16}
			return &sample{ending: true, why: []actor.Holder{h}}
		}), want: "Shutdown waits for 2 timers of nightly-report#16"},
		{name: "a system that is not to end", rule: anew[shutdown], tick: always(func() *sample {
			return &sample{why: []actor.Holder{holdersOf("timer", 2)}}
		})},
		{name: "asks that fail at once", rule: plain(deadlockedAsk{}), tick: always(func() *sample {
			s := lettersAt(1, false)
			s.letters[0].Reason, s.letters[0].Last = actor.ErrDeadlock.Error(), at(0)
			return s
		}), want: `session is asked for "say" from room, and waits for that itself: 1000 asks have failed`},
		{name: "asks that failed long ago", rule: plain(deadlockedAsk{}), tick: always(func() *sample {
			s := lettersAt(1, false)
			s.letters[0].Reason, s.letters[0].Last = actor.ErrDeadlock.Error(), at(-60)
			return s
		})},
		{name: "dead letters of many kinds", rule: anew[deadLetterBurst], tick: always(func() *sample {
			s := &sample{}
			for i := range 8 {
				l := lettersAt(19, false).letters[0]
				l.FromType = fmt.Sprint("feed-", i)
				s.letters = append(s.letters, l)
			}
			return s
		}), want: "152 messages a second of 8 kinds do not run, most of them to session.say: gallop: actor stopped"},
		{name: "garbage", rule: anew[garbage], tick: garbageOf(400, 0.1),
			want: "The garbage collector takes 10 % of the processors, for 400 MB of garbage a second; most is " +
				"allocated in main.rows export.go:9; exporter#3 is the busiest"},
		{name: "a collector that takes much", rule: anew[garbage], tick: garbageOf(10, 0.3),
			want: "The garbage collector takes 30 % of the processors"},
		{name: "much garbage, cheaply collected", rule: anew[garbage], tick: garbageOf(400, 0.03)},
		{name: "some garbage", rule: anew[garbage], tick: garbageOf(100, 0.1)},
		{name: "an ask of five seconds", rule: plain(longAsk{}),
			tick: always(func() *sample { return asksOf(5 * time.Second) })},
		{name: "messages to itself", rule: anew[selfSends],
			tick: always(func() *sample { return loopOf(1000, 990) }),
			want: "spinner#9 has sent itself 99 %"},
		{name: "half to itself", rule: anew[selfSends],
			tick: always(func() *sample { return loopOf(1000, 500) })},
		{name: "few messages to itself", rule: anew[selfSends],
			tick: always(func() *sample { return loopOf(99, 99) })},
		{name: "a forgotten reply", rule: anew[putOff],
			tick: putOffReplies(2),
			want: "broker#6 has put off 2 replies"},
		{name: "long polls of many", rule: anew[putOff], ticks: 60,
			tick: always(func() *sample { return putOffBy(1, "") })},
		{name: "more and more replies of one of many", rule: anew[putOff],
			tick: func(n int) *sample { return putOffBy(1+n/4, "") }, want: "broker#6 has put off 3 replies"},
		{name: "replies that come and go", rule: anew[putOff],
			tick:  putOffReplies(3, 4, 5, 2),
			ticks: 60},
		{name: "a hold alone", rule: hold,
			tick: func(n int) *sample { return holdsOf(1, time.Duration(n)*time.Second) },
			want: "info: A hold of 5s ago keeps the system from ending: taken in main.serve main.go:7"},
		{name: "a hold in Shutdown", rule: hold,
			tick: func(n int) *sample {
				s := holdsOf(1, time.Duration(n)*time.Second)
				s.ending = true
				return s
			},
			want: "warn: A hold of 5s ago keeps the system from ending: taken in main.serve main.go:7"},
		{name: "a hold beside work", rule: hold,
			tick: func(n int) *sample {
				return holdsOf(1, time.Duration(n)*time.Second, holdersOf("running turn", 1))
			}},
		{name: "holds that leak", rule: hold,
			tick: func(n int) *sample { return holdsOf(1+3*n, time.Second, holdersOf("timer", 1)) },
			want: "holds were taken in main.serve main.go:7 and not released"},
		{name: "one busy worker beside queued turns", rule: anew[imbalance],
			tick: always(func() *sample { return busyWorkers(0.9, 0.2, 5) }),
			want: "Worker 0 is busy 90 % of the time and another only 20 %"},
		{name: "one busy worker and nothing to steal", rule: anew[imbalance],
			tick:  always(func() *sample { return busyWorkers(0.9, 0.2, 1) }),
			ticks: 30},
		{name: "workers that share", rule: anew[imbalance],
			tick:  always(func() *sample { return busyWorkers(0.9, 0.31, 5) }),
			ticks: 30},
		{name: "too many that block", rule: anew[tooManyBlocked],
			tick: func(n int) *sample { return &sample{stats: actor.Stats{TooManyBlocked: uint64(n)}} },
			want: "Behaviours that block keep their workers"},
		{name: "some blocked before", rule: anew[tooManyBlocked],
			tick: func(int) *sample { return &sample{stats: actor.Stats{TooManyBlocked: 9}} }},
		{name: "a burst of dead letters", rule: anew[deadLetterBurst],
			tick: always(func() *sample { return lettersAt(101, false) }),
			want: "101 messages a second to session.say from room do not run"},
		{name: "a hundred dead letters a second", rule: anew[deadLetterBurst],
			tick: always(func() *sample { return lettersAt(100, false) })},
		{name: "a burst of best effort", rule: anew[deadLetterBurst],
			tick: always(func() *sample { return lettersAt(5000, true) })},
		{name: "a restart loop", rule: anew[restartLoop],
			tick: func(n int) *sample { return restarts(n / 2) },
			want: "app/bob was restarted 3 times"},
		{name: "two restarts", rule: anew[restartLoop],
			tick: func(n int) *sample { return restarts(min(n, 2)) }},
		{name: "a restart every five seconds", rule: anew[restartLoop],
			tick: func(n int) *sample { return restarts(n / 5) }, ticks: 60},
		{name: "only muted are left", rule: anew[mutedForever],
			tick: always(func() *sample {
				return &sample{why: []actor.Holder{{What: "mute", Count: 3,
					Actor: actor.ActorName{Type: "feeder", ID: 2}}}}
			}),
			want: "feeder#2 is muted, as are 3 in all"},
		{name: "muted beside a timer", rule: anew[mutedForever],
			tick: always(func() *sample {
				return &sample{why: []actor.Holder{holdersOf("mute", 3), holdersOf("timer", 1)}}
			})},
		{name: "a pressure deadlock", rule: plain(pressureDeadlock{}),
			tick: always(func() *sample { return deadlockAt(0) }),
			want: "sink#4 applies pressure, and source#5 waits for it"},
		{name: "a pressure deadlock of long ago", rule: plain(pressureDeadlock{}),
			tick: always(func() *sample { return deadlockAt(-61) })},
		{name: "a panic", rule: plain(panicked{}),
			tick: always(func() *sample { return panicAt(0) }),
			want: `room#3 panicked in "join"`},
		{name: "a panic of long ago", rule: plain(panicked{}),
			tick: always(func() *sample { return panicAt(-15) })},
		{name: "a long turn on a machine without time", rule: turns,
			ticks: 2, tick: func(n int) *sample {
				if n == 0 { // it is not known yet whether there is time
					return &sample{}
				}
				return starving(time.Second, turnsOf(230*time.Millisecond, false, 77))(n)
			}},
		{name: "long turns on a machine without any time", rule: turns,
			tick: starving(time.Second, turnsOf(230*time.Millisecond, false, 77))},
		{name: "a long turn on a machine with little time", rule: turns,
			tick: starving(20*time.Millisecond, func(n int) *sample {
				return turnsOf(117*time.Millisecond, false, 77)(min(n, 1))
			})},
		{name: "long turns on a machine with little time", rule: turns,
			tick: starving(300*time.Millisecond, turnsOf(230*time.Millisecond, false, 77)),
			want: `clerk#77 runs "work" for 230ms and more`},
		{name: "no processor", rule: anew[noProcessor],
			tick: starving(600*time.Millisecond, func(int) *sample { return &sample{} }),
			want: "The machine has no processor for 0.6 threads"},
		{name: "hardly any waiting for a processor", rule: anew[noProcessor],
			tick: starving(400*time.Millisecond, func(int) *sample { return &sample{} })},
		{name: "a rule panics", rule: plain(faulty{}), tick: always(func() *sample { return &sample{} }),
			want: "A rule of this page has panicked, and is left out: no such thing"},
		{name: "few looks", rule: plain(smallSample{}),
			tick: always(func() *sample { return &sample{ran: 99} }),
			want: "The sample is small yet"},
		{name: "enough looks", rule: plain(smallSample{}),
			tick: always(func() *sample { return &sample{ran: 100} })},
	}
}

// faulty is a rule that panics.
type faulty struct{}

func (faulty) step(*view) []lint { panic("no such thing") }

// "each lint has a scene that raises it within 10 s and a near miss that does not"
func TestRulesFindTheirScenesAndNoMore(t *testing.T) {
	found, missed := map[string]bool{}, map[string]bool{}
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			ticks := s.ticks
			if ticks == 0 {
				ticks = 11
			}
			var said []string
			for _, all := range walkThrough(s.rule(), ticks, s.tick) {
				for i := range all {
					p := present{redact: func(_, text string) string { return text }}
					said = append(said, all[i].severity.String()+": "+p.sentence(&all[i]))
					found[all[i].rule] = true
				}
			}
			text := strings.Join(said, "\n")
			switch {
			case s.want == "" && text != "":
				t.Errorf("a near miss is found: %s", text)
			case s.want != "" && !strings.Contains(text, s.want):
				t.Errorf("found %q, want %q", text, s.want)
			}
		})
		if s.want == "" {
			missed[fmt.Sprintf("%T", s.rule())] = true
		}
	}
	for _, r := range allRules() {
		if !missed[fmt.Sprintf("%T", r)] {
			t.Errorf("%T has no near miss", r)
		}
	}
	for rule := range advice {
		if !found[rule] {
			t.Errorf("no scene raises %s", rule)
		}
	}
	for rule := range found {
		if advice[rule] == "" {
			t.Errorf("there is no advice for %s", rule)
		}
	}
}

// "advice says how to act on a lint, by its rule. docs/observe.md has a section for each."
func TestEachLintHasASection(t *testing.T) {
	page, err := os.ReadFile("../docs/observe.md")
	if err != nil {
		t.Fatal(err)
	}
	for rule := range advice {
		if !strings.Contains(string(page), "### "+rule+"\n") {
			t.Errorf("docs/observe.md has no section %s", rule)
		}
	}
}

// "longer than the reported turns of other actors of the type": once three others are known to be
// as slow.
func TestATypeOfLongTurnsIsUsual(t *testing.T) {
	all := walkThrough(&longTurns{}, 40, turnsOf(time.Second, false, 1, 2, 3, 4))
	if n := len(all[39]); n != 0 {
		t.Errorf("%d lints of a type in which all turns are as long", n)
	}
}

// A child of a tree that is down has start-fails, and a burst of letters to an actor that has ended
// is one finding.
func TestOneFindingForOneRule(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	ref := actor.NewType[struct{}]("camera").Spawn(sys, struct{}{}).Any()
	down := func(n int) *sample {
		s := suspendedOf(1, 1)(n)
		s.largest[0].Actor.ID = ref.ID()
		s.trees = []supervise.Node{{Name: "app", Children: []supervise.Node{{Name: "bob", Ref: ref}}}}
		return s
	}
	if found := walkThrough(&notRestarted{}, 20, down)[19]; len(found) != 0 {
		t.Errorf("a child of a tree is found: %+v", found)
	}
	letters := func(n int) *sample {
		s := lettersTo(func(int) uint64 { return 7 })(n)
		s.letters = []inspect.Letters{{Type: "card", Behaviour: "charge", Reason: s.recent[0].Reason, Rate: 200}}
		return s
	}
	if found := walkThrough(&deadLetterBurst{}, 20, letters)[19]; len(found) != 1 || found[0].severity != warn {
		t.Errorf("a burst has %d findings: %+v", len(found), found)
	}
}

// A long turn stays to be read after it has ended, and then goes.
func TestALongTurnIsShownForAWhile(t *testing.T) {
	all := walkThrough(&longTurns{}, 20, func(int) *sample {
		return turnsOf(time.Second, false,
			1)(0)
	})
	for n, found := range all {
		if want := n <= 15; want != (len(found) > 0) {
			t.Errorf("after %d s: %d lints", n, len(found))
		}
	}
}

// "circles are cut": a chain that runs into a circle has no end, and is no chain.
func TestAChainIntoACircleEnds(t *testing.T) {
	for _, found := range walkThrough(&muteChain{}, 5, always(func() *sample {
		return mutesOf(1, 2,
			3, 4, 2)
	})) {
		if len(found) > 0 {
			t.Errorf("found a chain in a circle: %v", found)
		}
	}
}

func TestFiguresOfAnything(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 1: "1", 0.25: "0.25", 1234.5: "1234",
		math.Inf(1): "+Inf"} {
		if got := figure(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
}
