package sched

import (
	"fmt"
	"strings"

	"github.com/gallop-go/gallop/internal/seam"
)

// Dump describes the words that decide whether a worker sees work: the idle word, the holds, the
// queues and the workers. It is for the report of a test that hangs. It only reads, each word at
// another moment. Any goroutine.
func (s *Scheduler) Dump() string {
	var b strings.Builder
	holds, _ := s.OnlyHolds()
	fmt.Fprintf(&b, "idle word %#016x, %d holds, %d tasks in the inject queue, stopping %v\n",
		seam.Peek(&s.idle.v), holds, s.inject.len(), s.Stopping())
	for _, w := range s.AllWorkers() {
		fmt.Fprintf(&b, "worker %d: state %d, next-slot %v, %d new tasks, %d resumed, %d turns\n", w.id,
			seam.Peek(&w.state.word), seam.Peek(&w.next.full)&1 != 0, w.queue.newTasks.thief().len(),
			w.queue.resumed.thief().len(), w.Counters().Turns)
	}
	return b.String()
}
