package observe

import (
	"slices"
	"time"
)

// The history keeps an hour of seconds. An answer has at most historyPoints of them.
const (
	historyKept   = 3600
	historyPoints = 300
)

// point is one second of the charts.
type point struct {
	at                                         time.Time
	messages, deadLetters, panics, utilisation float64
	muted, living                              float64
}

// history has the points of the last hour, oldest first.
type history struct{ points []point }

func (h *history) add(before, s *sample) {
	if before == nil {
		return
	}
	h.points = append(h.points, point{
		at:          s.at,
		messages:    rateOf(before, s, totalMessages),
		deadLetters: rateOf(before, s, totalDeadLetters),
		panics:      rateOf(before, s, totalPanics),
		utilisation: s.utilisation(),
		muted:       float64(s.muted()),
		living:      float64(present{v: &view{sample: s}}.living().Estimate),
	})
	if n := len(h.points); n >= 2*historyKept { // rarely, so that adding a point is cheap
		h.points = slices.Clone(h.points[n-historyKept:])
	}
}

// copy returns the history as it is now. Later points do not change it.
func (h *history) copy() *history {
	n := len(h.points)
	return &history{h.points[max(0, n-historyKept):n:n]}
}

func totalMessages(s *sample) uint64    { return s.stats.Messages }
func totalDeadLetters(s *sample) uint64 { return s.stats.DeadLetters }
func totalPanics(s *sample) uint64      { return s.stats.Panics }

// utilisation returns how many worker slots a turn occupied, on average. A surplus worker, which
// stands in for one whose turn is long or blocks, occupies a slot as well.
func (s *sample) utilisation() float64 {
	sum := 0.0
	for _, w := range s.workers {
		if !w.Pinned {
			sum += w.Busy
		}
	}
	return min(1, sum/float64(max(s.slots, 1)))
}

// pinnedBusy returns how many threads of pinned types a turn occupied, on average.
func (s *sample) pinnedBusy() (sum float64) {
	for _, w := range s.workers {
		if w.Pinned {
			sum += w.Busy
		}
	}
	return sum
}

func (s *sample) muted() int {
	seen := map[uint64]bool{}
	for _, e := range s.graph.Mutes {
		seen[e.From.ID] = true
	}
	return len(seen)
}

// apiHistory is the data of the charts, in columns of equal length.
type apiHistory struct {
	Since       time.Time `json:"since"`
	Until       time.Time `json:"until"`
	Step        float64   `json:"step_seconds"`
	At          []int64   `json:"at_unix"`
	Messages    []float64 `json:"messages_per_second"`
	MessagesMax []float64 `json:"messages_per_second_max"`
	Utilisation []float64 `json:"utilisation"`
	DeadLetters []float64 `json:"dead_letters_per_second"`
	Panics      []float64 `json:"panics_per_second"`
	Muted       []float64 `json:"muted"`
	Living      []float64 `json:"living"`
}

// api returns the last seconds, in at most historyPoints points. Each point is the mean of its
// seconds; for messages there is the maximum too.
func (h *history) api(since time.Time, seconds int) apiHistory {
	list := h.points[max(0, len(h.points)-seconds):]
	step := (len(list) + historyPoints - 1) / historyPoints
	a := apiHistory{Since: since, Until: since, Step: float64(step), At: []int64{}}
	a.Messages, a.MessagesMax, a.Utilisation = []float64{}, []float64{}, []float64{}
	a.DeadLetters, a.Panics, a.Muted, a.Living = []float64{}, []float64{}, []float64{}, []float64{}
	if len(list) > 0 {
		a.Since, a.Until = list[0].at, list[len(list)-1].at
	}
	for chunk := range slices.Chunk(list, max(step, 1)) {
		a.add(chunk)
	}
	return a
}

func (a *apiHistory) add(chunk []point) {
	var sum point
	top := 0.0
	for _, p := range chunk {
		sum.messages += p.messages
		sum.utilisation += p.utilisation
		sum.deadLetters += p.deadLetters
		sum.panics += p.panics
		sum.muted += p.muted
		sum.living += p.living
		top = max(top, p.messages)
	}
	n := float64(len(chunk))
	a.At = append(a.At, chunk[len(chunk)-1].at.Unix())
	a.Messages = append(a.Messages, sum.messages/n)
	a.MessagesMax = append(a.MessagesMax, top)
	a.Utilisation = append(a.Utilisation, sum.utilisation/n)
	a.DeadLetters = append(a.DeadLetters, sum.deadLetters/n)
	a.Panics = append(a.Panics, sum.panics/n)
	a.Muted = append(a.Muted, sum.muted/n)
	a.Living = append(a.Living, sum.living/n)
}
