package observe

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/supervise"
)

var getAgain = actor.DeclareAsk[int, string](playerType, "get")

func playerSpec() group.MemberSpec[player] {
	return group.MemberSpec[player]{Type: playerType}
}

// joinProcesses is actors.Join, whose package is on the same floor as this one.
func joinProcesses(sys *actor.System) *process.System {
	var f process.ForActors
	return f.SystemOf(kernel.SystemOf(sys).JoinProcesses(f.StartOn))
}

// Pools, topics and registries are seen with their members, in trees too. Processes are seen with
// the object they wait for. After their end, none of these is seen.
func TestGroupsAndProcessesAreSeen(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	inspect.Begin(sys)
	pool := group.NewPoolOf(group.RoundRobin[int](), 3, again, playerSpec()).Start(sys)
	ended := group.NewTopic[string]().Start(sys)
	topic := group.NewTopic[int]().Start(sys)
	topic.Subscribe(sys, pool)
	keys := group.NewRegistry[string, actor.Ref[player]]().Start(sys)
	for i := range 5 {
		keys.Join(sys, fmt.Sprint(i%2), playerType.Spawn(sys, player{}))
	}
	asks := group.NewAskPoolOf(group.RoundRobin[int](), 4, getAgain, playerSpec()).Start(sys)
	root := supervise.Start(sys, supervise.Spec{Name: "app", Children: []supervise.Child{
		group.NewTopic[bool]().Child("news"),
		supervise.Worker[player]{Name: "one", Type: playerType}}})
	if err := root.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended.Stop(sys)
	processes := joinProcesses(sys)
	process.Spawn(processes, func(s *process.Self[int]) { _ = s.Receive() })
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	tools := running{sys}.begin()
	defer tools.close()
	s := tools.sample(time.Now())
	var got []string
	for _, g := range s.groups {
		got = append(got, fmt.Sprintf("%s of %s: %d members, %d keys, %d down, silent: %v", g.What, g.Of,
			g.Members, g.Keys, g.Down, g.Silent))
	}
	slices.Sort(got)
	want := []string{
		"ask pool of int to string: 4 members, 0 keys, 0 down, silent: false",
		"pool of int: 3 members, 0 keys, 0 down, silent: false",
		"registry of string to actor.Ref[github.com/gallop-go/gallop/observe.player]: 5 members, " +
			"2 keys, 0 down, silent: false",
		"topic of bool: 0 members, 0 keys, 0 down, silent: false",
		"topic of int: 1 members, 0 keys, 0 down, silent: false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if p := s.processes; p.Seen != 1 || len(p.Processes) != 1 || p.Processes[0].On != "receive" {
		t.Errorf("processes: %+v", p)
	}
	line := s.processes.Processes[0].At
	if next := tools.sample(time.Now()).processes.Processes[0].At; line == "" || next != line {
		t.Errorf("it waits in %q, and at the next look in %q", line, next)
	}
	if asks.Len() != 4 {
		t.Errorf("%d members", asks.Len())
	}
	runtime.KeepAlive([]any{pool, ended, topic, keys, root}) // nothing else refers to them
}
