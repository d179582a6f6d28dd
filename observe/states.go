package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/inspect"
)

const (
	// stateGrace is how long a request waits for the state of an actor.
	stateGrace = 100 * time.Millisecond
	// stateFresh is the age up to which an answer is shown without asking anew.
	stateFresh = 900 * time.Millisecond
	// stateTimeout is how long an actor is asked for its state.
	stateTimeout = 10 * time.Second
	textTimeout  = time.Second
	stateMost    = 16 << 10
	mostStates   = 256
)

// apiState is the answer of an actor that was asked for its state.
type apiState struct {
	GoType  string  `json:"state_type,omitempty"`
	Bytes   int     `json:"state_bytes,omitempty"`
	State   string  `json:"state,omitempty"` // as JSON
	Age     float64 `json:"state_age_seconds,omitempty"`
	Pending float64 `json:"state_pending_seconds,omitempty"` // since when it has been asked in vain
	Error   string  `json:"state_error,omitempty"`
}

// states asks actors for their states: each actor once at a time, for all requests together.
type states struct {
	h  *handler
	mu sync.Mutex
	by map[uint64]*asked
}

// asked is an actor that is asked for its state, or was.
type asked struct {
	since time.Time // when it was asked for the first time in vain
	done  chan struct{}
	// Written before done is closed.
	answer apiState
	at     time.Time
	late   bool
	// before is the last answer before this one, which came in time; nil: none. Guarded by
	// states.mu.
	before *asked
}

func (a *asked) isDone() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// of returns the answer of an actor, if that comes in a moment, or else the last one.
func (s *states) of(ctx context.Context, a inspect.Actor) apiState {
	one, before := s.under(a)
	if one == nil {
		return apiState{Error: "too many states are asked for"}
	}
	timer := time.NewTimer(stateGrace)
	defer timer.Stop()
	select {
	case <-one.done:
		if !one.late {
			return one.answer
		}
	case <-timer.C:
	case <-ctx.Done():
	}
	var now apiState
	if b := before; b != nil {
		now = b.answer
		now.Age = time.Since(b.at).Seconds()
	}
	waits := time.Since(one.since)
	now.Pending = waits.Seconds()
	now.Error = fmt.Sprintf("it has not come to it for %s: its turn is long, or it waits", short(waits))
	return now
}

// under returns the question that an actor is asked now, or was a moment ago, and the last answer
// before it. Both may be nil: the first if there are too many questions, the second if there was no
// answer.
func (s *states) under(a inspect.Actor) (one, before *asked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	was := s.by[a.ID]
	if was != nil && (!was.isDone() || !was.late && now.Sub(was.at) < stateFresh) {
		return was, was.before
	}
	for id, old := range s.by {
		if old.isDone() && now.Sub(old.at) > idleAfter {
			delete(s.by, id)
		}
	}
	if len(s.by) >= mostStates || !s.h.dear.take() {
		return nil, nil
	}
	one = &asked{since: now, done: make(chan struct{})}
	if was != nil && was.late {
		one.since, one.before = was.since, was.before
	} else if was != nil {
		was.before = nil
		one.before = was
	}
	s.by[a.ID] = one
	guard.Go(func() { s.ask(a, one) })
	return one, one.before
}

func (s *states) ask(a inspect.Actor, one *asked) {
	defer close(one.done)
	ctx, cancel := context.WithTimeout(context.Background(), stateTimeout)
	defer cancel()
	snapshot, err := s.h.src.state(ctx, a)
	one.at = time.Now()
	one.answer.GoType, one.answer.Bytes = snapshot.GoType, snapshot.Bytes
	if err != nil {
		one.answer.Error = guard.Text(err)
		one.late = guard.Is(err, context.DeadlineExceeded)
		return
	}
	one.answer.State = s.h.stateText(snapshot.Value)
}

// stateText returns a state as JSON, redacted and clipped. value is a copy made by the state. Its
// JSON methods are the user's code, so they run apart: after textTimeout they are left running.
func (h *handler) stateText(value any) (text string) {
	if value == nil {
		return ""
	}
	var data []byte
	var err error
	done := make(chan *guard.Fault, 1)
	guard.Go(func() {
		done <- guard.Apart(func() { data, err = json.MarshalIndent(value, "", "  ") })
	})
	timer := time.NewTimer(textTimeout)
	defer timer.Stop()
	select {
	case f := <-done:
		if f != nil {
			return "it cannot be shown: " + f.String()
		}
	case <-timer.C:
		return "it cannot be shown: that takes longer than " + short(textTimeout)
	}
	if err != nil {
		return "it cannot be shown: " + guard.Text(err)
	}
	text = h.redact("state", string(data))
	if len(text) > stateMost {
		text = strings.ToValidUTF8(text[:stateMost], "") + "…"
	}
	return text
}
