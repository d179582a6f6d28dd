//go:build gallop_explore

package process

import (
	"fmt"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/gallop-go/gallop/internal/explore"
)

// chanOp is one operation on a channel that closes at most once: a send of v, a receive, a receive
// that does not wait, or the close.
type chanOp struct {
	what string
	v    int
}

// chanState has the values in the buffer of a channel, oldest first.
type chanState struct {
	values string
	closed bool
}

// chanModel is a channel with room for size values. A receive of nothing from an open channel is
// right only if it did not wait, and then only if the channel was empty. nothing stands for no
// value.
func chanModel(size int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return chanState{} },
		Step: func(state, input, output any) (bool, any) {
			s, op, out := state.(chanState), input.(chanOp), output.(int)
			switch {
			case op.what == "close":
				return !s.closed, chanState{s.values, true}
			case op.what == "send":
				room := !s.closed && len(s.values) < size
				return room, chanState{s.values + string(rune(op.v)), false}
			case out == nothing:
				return s.values == "" && (s.closed || op.what == "try"), s
			}
			if s.values == "" {
				return false, s
			}
			return int(s.values[0]) == out, chanState{s.values[1:], s.closed}
		},
	}
}

const nothing = -1

// history records operations with the steps between which they took place.
type history struct {
	p     *explore.Program
	clock int64
	ops   []porcupine.Operation
}

func (h *history) do(client int, op chanOp, f func() int) {
	h.p.Point() // the call is a step of its own
	h.clock++
	o := porcupine.Operation{ClientId: client, Input: op, Call: h.clock}
	o.Output = f()
	h.clock++
	o.Return = h.clock
	h.ops = append(h.ops, o)
}

func orNothing(v int, ok bool) int {
	if ok {
		return v
	}
	return nothing
}

// TestChanLinearizable: senders, receivers, selects and a close see one FIFO buffer.
func TestChanLinearizable(t *testing.T) {
	for size := 1; size <= 2; size++ {
		for _, s := range []explore.Strategy{
			explore.Random(1, 1000), explore.PCT(3, 1, 1000), explore.Bounded(2, 1000),
		} {
			explore.Run(t, explore.Config{Strategy: s}, func(p *explore.Program) {
				chanHistory(p, size)
			})
		}
	}
}

func chanHistory(p *explore.Program, size int) {
	h, c, never := &history{p: p}, NewChan[int](size), NewChan[int](0)
	p.Go(func() {
		g := threadParty()
		for v := range 3 {
			h.do(0, chanOp{"send", v + 1}, func() int { c.Send(g, v+1); return nothing })
		}
		h.do(0, chanOp{"close", 0}, func() int { c.Close(g); return nothing })
	})
	p.Go(func() {
		g := threadParty()
		for range 2 {
			h.do(1, chanOp{"recv", 0}, func() int { return orNothing(c.Recv(g)) })
		}
		h.do(1, chanOp{"try", 0}, func() int {
			v, ok, _ := c.TryRecv(g)
			return orNothing(v, ok)
		})
	})
	p.Go(func() {
		g := threadParty()
		for range 2 {
			h.do(2, chanOp{"recv", 0}, func() int {
				v, ok := 0, false
				Select(g, RecvFrom(never, &v, nil), RecvFrom(c, &v, &ok))
				return orNothing(v, ok)
			})
		}
	})
	p.After(func() error {
		if porcupine.CheckOperations(chanModel(size), h.ops) {
			return nil
		}
		return fmt.Errorf("no order of these operations is that of a channel: %+v", h.ops)
	})
}

// rendezvous makes one operation of each send and the receive of its value: it takes place while
// both do. Values differ.
func rendezvous(ops []porcupine.Operation) (met []porcupine.Operation, err error) {
	sends, receives := map[int]porcupine.Operation{}, 0
	for _, o := range ops {
		if v := o.Input.(chanOp).v; v != 0 && o.Output == nothing {
			sends[v] = o
		} else if o.Output.(int) <= 0 {
			met = append(met, o)
		}
	}
	for _, o := range ops {
		v := o.Output.(int)
		if v <= 0 {
			continue
		}
		receives++
		s, ok := sends[v]
		if !ok {
			return nil, fmt.Errorf("received %d, which was not sent, or received before", v)
		}
		delete(sends, v)
		s.Call, s.Return = max(s.Call, o.Call), min(s.Return, o.Return)
		if s.Call >= s.Return {
			return nil, fmt.Errorf("%d was sent and received at different times", v)
		}
		met = append(met, s)
	}
	if len(sends) > 0 {
		return nil, fmt.Errorf("sent, and not received: %v", sends)
	}
	return met, nil
}

// closedSend is the outcome of a send that has panicked.
const closedSend = -2

// unbufferedModel is a channel without a buffer, for operations as rendezvous returns them. The
// state is whether it is closed.
var unbufferedModel = porcupine.Model{
	Init: func() any { return false },
	Step: func(state, input, output any) (bool, any) {
		closed, op := state.(bool), input.(chanOp)
		switch {
		case op.what == "close":
			return !closed, true
		case op.what == "recv", output == closedSend:
			return closed, closed
		}
		return !closed, closed
	},
}

// TestUnbufferedLinearizable: each value passes once, while its sender and its receiver are both at
// the channel, and none does once the channel is closed.
func TestUnbufferedLinearizable(t *testing.T) {
	for _, s := range []explore.Strategy{
		explore.Random(1, 2000), explore.PCT(3, 1, 2000), explore.Bounded(2, 2000),
	} {
		explore.Run(t, explore.Config{Strategy: s}, unbufferedHistory)
	}
}

func unbufferedHistory(p *explore.Program) {
	h, c, never := &history{p: p}, NewChan[int](0), NewChan[int](0)
	p.Go(func() {
		g := threadParty()
		for v := range 2 {
			h.do(0, chanOp{"send", v + 1}, func() int { c.Send(g, v+1); return nothing })
		}
		h.do(0, chanOp{"close", 0}, func() int { c.Close(g); return 0 })
	})
	p.Go(func() {
		g, v := threadParty(), 3
		h.do(1, chanOp{"send", v}, func() (outcome int) {
			defer func() {
				if recover() != nil {
					outcome = closedSend
				}
			}()
			Select(g, RecvFrom[int](never, nil, nil), SendTo(c, &v))
			return nothing
		})
	})
	for client := 2; client < 4; client++ {
		p.Go(func() {
			g := threadParty()
			for range 2 {
				h.do(client, chanOp{"recv", 0}, func() int {
					v, ok := 0, false
					if client == 2 {
						return orNothing(c.Recv(g))
					}
					Select(g, RecvFrom(never, &v, nil), RecvFrom(c, &v, &ok))
					return orNothing(v, ok)
				})
			}
		})
	}
	p.After(func() error {
		met, err := rendezvous(h.ops)
		if err == nil && !porcupine.CheckOperations(unbufferedModel, met) {
			err = fmt.Errorf("no order is that of a channel without a buffer")
		}
		if err != nil {
			return fmt.Errorf("%w: %+v", err, h.ops)
		}
		return nil
	})
}
