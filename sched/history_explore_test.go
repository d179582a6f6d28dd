//go:build gallop_explore

package sched

import (
	"errors"
	"fmt"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/gallop-go/gallop/internal/explore"
)

// queueOp is one operation on a queue of tasks; card -1 is a taking.
type queueOp struct{ card int }

const taking = -1

// queueModel is a FIFO queue whose state is the string of the cards in it. Empty
// is strict: a taking finds nothing only when nothing is in it. A push that finds
// no room is always right here (a claimed slot counts as full until it was read);
// TestRingTwin and TestRingSleepyThief say when it must not.
var queueModel = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		s, card, out := state.(string), input.(queueOp).card, output.(int)
		switch {
		case card == taking && s == "":
			return out == taking, s
		case card == taking:
			return out == int(s[0]), s[1:]
		case out == taking:
			return true, s
		}
		return true, s + string(rune(card))
	},
	DescribeOperation: func(input, output any) string {
		return fmt.Sprintf("%v → %v", input, output)
	},
}

// history records operations with the steps between which they took place.
type history struct {
	p     *explore.Program
	clock int64
	ops   []porcupine.Operation
}

// do records one operation of a client; it returns the card that was taken, or
// pushed, or taking if none was.
func (h *history) do(client, card int, op func() int) int {
	h.p.Point() // the call is a step of its own
	h.clock++
	o := porcupine.Operation{ClientId: client, Input: queueOp{card}, Call: h.clock}
	out := op()
	h.clock++
	o.Output, o.Return = out, h.clock
	h.ops = append(h.ops, o)
	return out
}

var errNotLinear = errors.New("no order of these operations is that of a queue")

func (h *history) check() error {
	if porcupine.CheckOperations(queueModel, h.ops) {
		return nil
	}
	return fmt.Errorf("%w: %+v", errNotLinear, h.ops)
}

// linearize checks a thousand histories at random and a thousand by PCT.
func linearize(t *testing.T, scenario func(*explore.Program)) {
	t.Helper()
	for _, s := range []explore.Strategy{
		explore.Random(1, 1000), explore.PCT(3, 1, 1000), explore.Bounded(2, 1000),
	} {
		explore.Run(t, explore.Config{Strategy: s}, scenario)
	}
}

// TestRingLinearizable: owner and two thieves see one FIFO queue.
func TestRingLinearizable(t *testing.T) {
	linearize(t, func(p *explore.Program) {
		h, d, r := &history{p: p}, newDeck(5), new(ring)
		r.init(2, 0)
		p.Go(func() {
			for i := range 5 {
				h.do(0, i, func() int {
					if !r.owner().push(d.card(i)) {
						return taking
					}
					return i
				})
				if i%2 == 1 {
					h.do(0, taking, func() int { return d.index(r.owner().pop()) })
				}
			}
		})
		for id := range 2 {
			p.Go(func() {
				for range 3 {
					h.do(1+id, taking, func() int { return d.index(r.thief().steal()) })
				}
			})
		}
		p.After(h.check)
	})
}

// TestInjectLinearizable: producers and consumers of the inject queue see one FIFO
// queue whose emptiness is strict, with segments that end in the middle.
func TestInjectLinearizable(t *testing.T) {
	for _, size := range []int{1, 2} {
		t.Run(fmt.Sprint(size), func(t *testing.T) { linearize(t, injecting(size)) })
	}
}

func injecting(size int) func(*explore.Program) {
	return func(p *explore.Program) {
		h, d, q := &history{p: p}, newDeck(5), new(mpmcq)
		q.init(size)
		push := func(client, card int) {
			h.do(client, card, func() int { q.push(d.card(card)); return card })
		}
		pop := func(client int) {
			h.do(client, taking, func() int { return d.index(q.pop()) })
		}
		p.Go(func() { push(0, 0); push(0, 1); pop(0) })
		p.Go(func() { push(1, 2); pop(1); push(1, 3) })
		p.Go(func() { pop(2); push(2, 4); pop(2) })
		p.Go(func() { pop(3); pop(3) })
		p.After(h.check)
	}
}
