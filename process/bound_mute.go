package process

import (
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/sched"
)

// A behaviour cannot wait for room in a mailbox. Where it was asked for, it is muted instead: the
// actor that stands for the process applies pressure as long as the mailbox is full, and those that
// send to the mailbox are muted for that actor. Package process/actors does that; this file says
// when. The protocol is one question, "is it crowded?", which the actor asks in its own turns:
//
//  1. A behaviour finds the mailbox full. Its message is let in, beyond the bound. If the actor was
//     not asked to look, and has not found the mailbox crowded, it is asked to.
//  2. The actor looks, under the lock. Crowded: it leaves word where it wants to be told, and then
//     applies pressure. Otherwise it takes its pressure back, and 1 begins anew.
//  3. The process makes room, or is idle. If the actor has left word, the process takes that, under
//     the lock, and asks the actor to look again.
//
// So while pressure is applied, either the mailbox is crowded and the word is there, which the
// process will find, or the actor is asked to look. No order of the messages of 1 and 3 matters,
// since each only asks for a look.
//
// A process that is idle is not crowded, however full its mailbox is: it waits for messages,
// perhaps for one of a muted actor.

// muteOption is access.MuteOption.
type muteOption func(of, worker any, first bool, look access.Look)

func (o muteOption) set(l *settings) {
	if l.muting != nil {
		l.wrong = "muting twice"
	}
	l.muting = o
}

func init() {
	access.MuteOption = func(mute func(of, worker any, first bool, look access.Look)) any {
		return muteOption(mute)
	}
}

// muting is what a bound has in addition that has behaviours muted. mu is the bound's.
type muting struct {
	mute  muteOption   // read-only
	asked bool         // guarded by mu: it is to look, or has left word
	calm  func(by any) // guarded by mu: the word; nil: none
}

// crowded reports whether senders are held back. Caller holds mu.
func (b *bound[M]) crowded() bool { return b.full && !b.idle && !b.closed }

// sendMuting is send from a behaviour that is muted if the mailbox is full. Its turn only.
func (b *bound[M]) sendMuting(n *node[M], w *sched.Worker, by *System) {
	b.mu.Lock()
	r := b.admit()
	crowded, first := false, false
	if r == mustWait {
		b.enter()
		crowded = b.crowded()
		first = crowded && !b.muting.asked
		b.muting.asked = b.muting.asked || crowded
	}
	b.mu.Unlock()
	if r == neverWill {
		b.own.p.letDead(n, n.m)
		return
	}
	b.put(n, w, by)
	if crowded {
		b.muting.mute(Process{b.own.p}, w, first, b.look)
	}
}

// look is an access.Look: step 2. Any goroutine.
func (b *bound[M]) look(calm func(by any)) (crowded bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.muting
	if k.asked = b.crowded(); !k.asked {
		calm = nil
	}
	k.calm = calm
	return k.asked
}

// relieved returns whom to tell that senders are held back no more, if any: step 3. Caller holds
// mu.
func (b *bound[M]) relieved() (calm func(by any)) {
	if k := b.muting; k != nil && !b.crowded() {
		calm, k.calm = k.calm, nil
	}
	return calm
}
