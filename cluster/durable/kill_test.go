package durable_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/cluster/durable"
	"github.com/gallop-go/gallop/cluster/durable/bolt"
)

// The variables by which the test runs itself as the process to kill: its file, its first command,
// and the planted fault.
const (
	childFile  = "DURABLE_CHILD"
	childFrom  = "DURABLE_FROM"
	childBreak = "DURABLE_BREAK"
)

func TestMain(m *testing.M) {
	if os.Getenv(childFile) != "" {
		child()
		return
	}
	goleak.VerifyTestMain(m)
}

const (
	childKeys   = 4
	childAskers = 16
)

// child serves commands, one number after the other, and writes each acknowledged one to its
// output at once, until it is killed.
func child() {
	must := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	file, err := bolt.Open(os.Getenv(childFile))
	must(err)
	var store durable.Store = file
	typ, ask := accounts, deposit
	switch os.Getenv(childBreak) {
	case "replies":
		store = &tooEarly{file}
	case "commands":
		typ, ask = forgetful, forgetfulDeposit
	}
	sys := actor.Start()
	var refs [childKeys]actor.Ref[Account]
	for key := range refs {
		refs[key] = typ.Spawn(sys, account(store, fmt.Sprint("k", key)))
	}
	var next atomic.Int64
	from, err := strconv.Atoi(os.Getenv(childFrom))
	must(err)
	next.Store(int64(from))
	for range childAskers {
		go func() {
			for {
				i := int(next.Add(1) - 1)
				ctx := durable.WithCommandID(context.Background(), fmt.Sprint("c", i))
				balance, err := ask.Ask(ctx, refs[i%childKeys], 1+i%7)
				must(err)
				fmt.Println("ack", i, balance)
			}
		}()
	}
	select {}
}

// tooEarly acknowledges before it stores.
type tooEarly struct {
	durable.Store
}

func (s *tooEarly) Append(ctx context.Context, key string, after uint64, record []byte) error {
	record = append([]byte(nil), record...)
	go func() { _ = s.Store.Append(context.WithoutCancel(ctx), key, after, record) }()
	return nil
}

// forgetful knows no command by its id.
var (
	forgetful          = durable.NewType[Account]("forgetful", durable.WithCommands(0))
	forgetfulDeposited = durable.DeclareEvent(forgetful, "deposited", (*Account).deposited)
	forgetfulDeposit   = actor.DeclareAsk[int, int](forgetful.Type, "deposit")
	_                  = forgetful.Table(durable.HandleAsk(forgetfulDeposit, func(a *Account, t *durable.Turn[Account], n int) (int, error) {
		forgetfulDeposited.Emit(t, Deposited{n})
		return a.Balance, nil
	}))
)

// killed runs a process again and again and kills each, after a random number of acknowledgements,
// while others are under way. It returns the checker's report after all of them, or at the first
// fault, and the number of acknowledged commands.
func killed(t *testing.T, kills int, broken string, rnd *rand.Rand) (wrong []string, acks int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "log")
	k := newChecker()
	acked := map[int]bool{}
	typ := accounts.Name()
	if broken == "commands" {
		typ = forgetful.Name()
	}
	first := 0 // the first command that was not acknowledged
	for n := 0; n < kills && len(k.wrong) == 0; n++ {
		replies, err := killOne(t, file, first, broken, rnd.IntN(120))
		if err != nil {
			t.Fatalf("kill %d: %v", n, err)
		}
		store, err := bolt.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for key := range childKeys {
			name := fmt.Sprintf("%s/k%d", typ, key)
			seen := uint64(0)
			if l := k.logs[name]; l != nil {
				seen = l.seq
			}
			l, err := store.Load(context.Background(), name)
			if err != nil || l.Last < seen || l.Last < l.Snapshot.Seq {
				t.Fatalf("kill %d: %s: last record %d, %d before; %v", n, name, l.Last, seen, err)
			}
			records, err := store.Records(context.Background(), name, seen)
			if err != nil {
				t.Fatal(err)
			}
			k.read(name, records)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		for i, balance := range replies {
			k.acknowledged(fmt.Sprint("c", i), balance)
			acked[i] = true
		}
		for acked[first] {
			first++
		}
	}
	return k.wrong, len(acked)
}

// killOne runs a process until it has acknowledged so many commands, kills it, and returns all
// that it has acknowledged, by the numbers of the commands.
func killOne(t *testing.T, file string, from int, broken string, after int) (map[int]int, error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childFile+"="+file, childFrom+"="+strconv.Itoa(from), childBreak+"="+broken)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if after == 0 {
		_ = cmd.Process.Kill()
	}
	replies := map[int]int{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var i, balance int
		if _, err := fmt.Sscanf(lines.Text(), "ack %d %d", &i, &balance); err != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			return nil, fmt.Errorf("it says %q", lines.Text())
		}
		replies[i] = balance
		if len(replies) == after {
			_ = cmd.Process.Kill() // further acknowledgements are read as well
		}
	}
	_ = cmd.Wait() // killed
	return replies, nil
}

// TestKill kills a process with a file 20 times, or GALLOP_KILLS times. No acknowledged command is
// lost, and a repeated command is done once.
func TestKill(t *testing.T) {
	kills := 20
	if s := os.Getenv("GALLOP_KILLS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		kills = n
	}
	wrong, acks := killed(t, kills, "", rand.New(rand.NewPCG(uint64(os.Getpid()), 1)))
	for _, w := range wrong {
		t.Error(w)
	}
	t.Logf("%d kills, %d commands acknowledged", kills, acks)
}

// The checker sees a process that replies before it has stored, and one that forgets ids.
func TestCheckerSeesWhatIsKilled(t *testing.T) {
	for _, broken := range []string{"replies", "commands"} {
		wrong, acks := killed(t, 200, broken, rand.New(rand.NewPCG(1, 2)))
		if len(wrong) == 0 {
			t.Errorf("%s: %d commands acknowledged, and nothing is found", broken, acks)
			continue
		}
		t.Logf("%s: %d commands acknowledged, %s", broken, acks, wrong[0])
	}
}
