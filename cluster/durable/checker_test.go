package durable_test

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/gallop-go/gallop/cluster/durable"
)

// checker reads the logs of accounts, and reports their faults. It does not know how they were
// written.
type checker struct {
	logs  map[string]*checkedLog
	times map[string]int // how often a command is in a log, by its id
	reply map[string]int
	wrong []string
}

type checkedLog struct {
	seq, epoch uint64
	balance    int
}

func newChecker() *checker {
	return &checker{logs: map[string]*checkedLog{}, times: map[string]int{}, reply: map[string]int{}}
}

func (k *checker) errorf(format string, args ...any) {
	k.wrong = append(k.wrong, fmt.Sprintf(format, args...))
}

// read goes on with the log of key, of which these are the next records.
func (k *checker) read(key string, records [][]byte) {
	l := k.logs[key]
	if l == nil {
		l = &checkedLog{}
		k.logs[key] = l
	}
	for _, b := range records {
		r, err := durable.Decode(b)
		l.seq++
		if err != nil || r.Seq != l.seq {
			k.errorf("%s: record %d: %d, %v", key, l.seq, r.Seq, err)
			return
		}
		if r.Epoch < l.epoch {
			k.errorf("%s: record %d of epoch %d comes after one of epoch %d", key, r.Seq, r.Epoch, l.epoch)
		}
		l.epoch = r.Epoch
		for _, t := range r.Turns {
			k.turn(key, l, t)
		}
	}
}

// turn counts a command and does the sum again: a writer that does not know all that is in the log
// has written another balance.
func (k *checker) turn(key string, l *checkedLog, t durable.RecordedTurn) {
	for _, e := range t.Events {
		var v Deposited // as is Withdrawn
		if json.Unmarshal(e.Data, &v) != nil {
			k.errorf("%s: %s", key, e.Data)
		}
		switch e.Name {
		case "deposited":
			l.balance += v.Amount
		case "withdrawn":
			l.balance -= v.Amount
		}
	}
	if t.Command == "" {
		return
	}
	if k.times[t.Command]++; k.times[t.Command] > 1 {
		k.errorf("command %s was done twice", t.Command)
	}
	n, err := strconv.Atoi(string(t.Reply))
	if err != nil || n != l.balance {
		k.errorf("command %s: two writers: its reply is %s, and the log says %d", t.Command, t.Reply, l.balance)
	}
	k.reply[t.Command] = n
}

// acknowledged holds that a command is in the log with the reply that its caller has heard.
func (k *checker) acknowledged(id string, reply int) {
	switch {
	case k.times[id] == 0:
		k.errorf("command %s was acknowledged and is lost", id)
	case k.reply[id] != reply:
		k.errorf("command %s was answered %d, and the log says %d", id, reply, k.reply[id])
	}
}
