package prom

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/gallop-go/gallop/actor"
)

type clerk struct{}

// TestMailboxDelays: an actor that is probed is in the histogram of its type, whose name follows
// Prometheus's rules.
func TestMailboxDelays(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	typ := actor.NewType[clerk]("clerk")
	do := actor.Declare[int](typ, "do")
	typ.Table(do.Handle(func(*clerk, *actor.Context, int) {}))
	if _, err := typ.SpawnNamed(sys, "one", clerk{}); err != nil {
		t.Fatal(err)
	}
	d := newMailboxDelays(sys, 10*time.Millisecond, WithSystem("a"))
	defer d.Stop()
	for testutil.CollectAndCount(d) == 0 {
		runtime.Gosched()
	}
	d.Stop()
	problems, err := testutil.CollectAndLint(d)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(d)
	all, err := reg.Gather()
	if err != nil || len(all) != 1 || all[0].GetName() != "gallop_mailbox_delay_seconds" {
		t.Fatalf("%v, %v", all, err)
	}
	m := all[0].Metric[0]
	if got := fmt.Sprint(m.Label[0].GetValue(), m.Label[1].GetValue()); got != "aclerk" {
		t.Errorf("labels %s", got)
	}
	if h := m.Histogram; h.GetSampleCount() == 0 || len(h.Bucket)+3 != 11 {
		t.Errorf("%v", h)
	}
}

// "eleven series for each of up to 200 types; further types are together": with any names.
func TestMailboxDelays_Series(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	d := NewMailboxDelays(sys)
	defer d.Stop()
	for i := range 300 {
		d.observe(fmt.Sprint("type ", i, "\xff"), time.Millisecond)
	}
	if n := testutil.CollectAndCount(d); n != maxTypes+1 {
		t.Errorf("%d types, want %d", n, maxTypes+1)
	}
	defer func() {
		if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "gallop: prom: NewMailboxDelays") {
			t.Error(r)
		}
	}()
	NewMailboxDelays(nil)
}
