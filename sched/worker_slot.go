package sched

import "github.com/gallop-go/gallop/internal/seam"

// workerSlot is the right to run turns: the P of Go's scheduler, or the core of Tokio's. Slot i has
// bit i of the idle word, and one worker at a time holds it. Its holder changes like this:
//
//	         retake                                      in a turn, bit clear
//	worker ───────────────────────────────────▶ idle worker
//	   │ leaveSlot: DETACHED, then set the bit, then holder ← nil
//	   ▼                       the goroutine that clears the bit
//	vacant ───────────────────▶ reserved ─────▶ idle worker
//	   │ retakeSlot: IDLE, then holder ← the worker, then clear the bit
//	   ▼
//	worker
//
// A slot is vacant if its holder is nil; a DETACHED holder is about to make it so. The holder
// matters to goroutines that have cleared the bit and to workers that want a vacant slot. To
// thieves it is a hint: a stale holder costs one missed theft, never a task.
type workerSlot struct {
	holder seam.Pointer[Worker]
}

// noSlot is the slot number of a worker without a slot.
const noSlot = -1

// reserved is the holder of a slot for which an idle worker is being fetched. It has no tasks,
// never runs, and is never written to.
var reserved = func() *Worker {
	w := new(Worker)
	w.state.word.StoreRelease(stateIdle)
	return w
}()

// claim reserves the slot if it is vacant, and otherwise returns its holder. It waits for a holder
// that is about to leave: replacing that holder could take the slot from a worker that has come
// back.
//
// It loads the holder twice. The worker of the first load may have left since and be on its way
// back, no longer DETACHED, while another worker has taken the slot. The caller has cleared the
// slot's bit.
func (c *workerSlot) claim() (holder *Worker) {
	for {
		h := c.holder.Load()
		switch {
		case h == nil:
			if c.holder.CompareAndSwap(nil, reserved) { // fails after B2
				return nil
			}
		case h.state.isDetached():
			seam.Spin() // from L4 to L5 it is two steps
		case c.holder.Load() == h:
			return h // it sleeps or waits for the token, so it stays
		}
	}
}

// occupy gives w the slot i. Caller owns both.
func (w *Worker) occupy(i int) {
	w.slot = i
	w.injectShare = 0
	w.sched.slots[i].holder.Store(w)
}

// holder returns the worker that holds slot i, whose bit the caller has cleared. An idle worker
// takes a vacant slot.
func (s *Scheduler) holder(i int) *Worker {
	w := s.slots[i].claim()
	if w == nil {
		w = s.idleWorkers.take()
		w.occupy(i)
	}
	return w
}
