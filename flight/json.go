package flight

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// A recording as JSON is one object, in the trace format of Chrome, which ui.perfetto.dev opens:
// a track for each worker, on which a message lasts until the next event of that worker. What
// that format does not know, and what was lost, is in the field otherData, which comes first.

// ErrNoRecording is the error of [Read] for what is not a recording.
var ErrNoRecording = errors.New("gallop: flight: not a recording")

// format is the value of headJSON.Format.
const format = "gallop flight recording 1"

// headJSON is the field otherData.
type headJSON struct {
	Format  string     `json:"format"`
	Lost    Lost       `json:"lost"`
	Reason  string     `json:"reason"`
	Trigger *eventJSON `json:"trigger,omitempty"`
	Began   time.Time  `json:"began"`
	Taken   time.Time  `json:"taken"`
	Ring    int        `json:"ring"`
	Missed  uint64     `json:"missed"`
	GoTrace string     `json:"goTrace"`
}

// eventJSON is an event in the trace format.
type eventJSON struct {
	Name     string   `json:"name"`
	Phase    string   `json:"ph"`
	Category What     `json:"cat,omitempty"`
	Micros   float64  `json:"ts"`
	Thread   int      `json:"tid"`
	Args     argsJSON `json:"args"`
}

type argsJSON struct {
	Nanos     time.Duration `json:"ns"`
	Sequence  uint64        `json:"sequence"`
	Type      string        `json:"type"`
	Behaviour string        `json:"behaviour"`
	Actor     uint64        `json:"actor"`
	Other     uint64        `json:"other"`
	OtherType string        `json:"otherType"`
}

// WriteJSON writes the recording as JSON, in the trace format of Chrome, which ui.perfetto.dev
// shows. [Read] reads it.
func (r *Recording) WriteJSON(w io.Writer) error {
	head := headJSON{Format: format, Lost: r.Lost, Reason: r.Reason, Began: r.Began, Taken: r.Taken,
		Ring: r.Ring, Missed: r.Missed, GoTrace: r.GoTrace}
	if r.Trigger != nil {
		t := asJSON(*r.Trigger)
		head.Trigger = &t
	}
	b, err := json.Marshal(head)
	if err != nil {
		return err
	}
	j := jsonWriter{quoted: map[string][]byte{}}
	j.b = append([]byte(`{"otherData":`), b...)
	j.b = append(j.b, ",\n\"displayTimeUnit\":\"ns\",\n\"traceEvents\":["...)
	for i, l := range r.Lost.Workers {
		if i > 0 {
			j.b = append(j.b, ',')
		}
		name := fmt.Sprintf("worker %d", l.Worker)
		if l.Worker == Outside {
			name = "outside"
		}
		j.b = fmt.Appendf(j.b, "\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,"+
			"\"args\":{\"name\":%q}}", l.Worker, name)
	}
	ends := r.ends()
	for i := range r.Events {
		if i > 0 || len(r.Lost.Workers) > 0 {
			j.b = append(j.b, ',')
		}
		j.event(&r.Events[i], ends[i])
		if len(j.b) > flushAt {
			if _, err := w.Write(j.b); err != nil {
				return err
			}
			j.b = j.b[:0]
		}
	}
	_, err = w.Write(append(j.b, "\n]}\n"...))
	return err
}

// ends returns when what an event begins is over, as far as is known: with the next one of its
// worker. For the last one that is now.
func (r *Recording) ends() []time.Duration {
	ends := make([]time.Duration, len(r.Events))
	next := map[int]time.Duration{}
	for i := len(r.Events) - 1; i >= 0; i-- {
		e := &r.Events[i]
		if at, ok := next[e.Worker]; ok {
			ends[i] = at
		} else {
			ends[i] = max(e.At, r.Taken.Sub(r.Began))
		}
		next[e.Worker] = e.At
	}
	return ends
}

// jsonWriter writes events without package json: there may be a million.
type jsonWriter struct {
	b      []byte
	quoted map[string][]byte
}

func (j *jsonWriter) event(e *Event, end time.Duration) {
	j.b = append(j.b, "\n{\"name\":"...)
	j.b = append(j.b, j.quote(title(e))...)
	j.b = append(append(append(j.b, ",\"cat\":\""...), e.What...), '"')
	if e.What == Run {
		j.b = j.micros(append(j.b, ",\"ph\":\"X\",\"dur\":"...), end-e.At)
	} else {
		j.b = append(j.b, ",\"ph\":\"i\",\"s\":\"t\""...)
	}
	j.b = j.micros(append(j.b, ",\"ts\":"...), e.At)
	j.b = strconv.AppendInt(append(j.b, ",\"pid\":1,\"tid\":"...), int64(e.Worker), 10)
	j.b = strconv.AppendInt(append(j.b, ",\"args\":{\"ns\":"...), int64(e.At), 10)
	j.b = strconv.AppendUint(append(j.b, ",\"sequence\":"...), e.Sequence, 10)
	j.b = append(append(j.b, ",\"type\":"...), j.quote(e.Type)...)
	j.b = append(append(j.b, ",\"behaviour\":"...), j.quote(e.Behaviour)...)
	j.b = strconv.AppendUint(append(j.b, ",\"actor\":"...), e.Actor, 10)
	j.b = strconv.AppendUint(append(j.b, ",\"other\":"...), e.Other, 10)
	j.b = append(append(j.b, ",\"otherType\":"...), j.quote(e.OtherType)...)
	j.b = append(j.b, "}}"...)
}

// title is what a viewer shows of an event.
func title(e *Event) string {
	if e.What == Run {
		return e.Type + "." + e.Behaviour
	}
	return string(e.What)
}

func (j *jsonWriter) micros(b []byte, d time.Duration) []byte {
	b = strconv.AppendInt(b, int64(d)/1000, 10)
	return appendZeros(append(b, '.'), uint64(d%1000), 3)
}

// quote returns a text as JSON.
func (j *jsonWriter) quote(text string) []byte {
	q, ok := j.quoted[text]
	if !ok {
		q, _ = json.Marshal(text) // a string has no error
		j.quoted[text] = q
	}
	return q
}

func asJSON(e Event) eventJSON {
	return eventJSON{Name: title(&e), Phase: "i", Category: e.What, Thread: e.Worker,
		Micros: float64(e.At) / 1000, Args: argsJSON{e.At, e.Sequence, e.Type, e.Behaviour, e.Actor,
			e.Other, e.OtherType}}
}

func (e *eventJSON) event() Event {
	a := &e.Args
	return Event{At: a.Nanos, Worker: e.Thread, Sequence: a.Sequence, What: e.Category, Type: a.Type,
		Behaviour: a.Behaviour, Actor: a.Actor, Other: a.Other, OtherType: a.OtherType}
}

// Read reads a recording that [Recording.WriteJSON] has written. It returns ErrNoRecording, with
// what is wrong, if it is none.
func Read(from io.Reader) (*Recording, error) {
	var file struct {
		Head   headJSON    `json:"otherData"`
		Events []eventJSON `json:"traceEvents"`
	}
	if err := json.NewDecoder(from).Decode(&file); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRecording, err)
	}
	h := file.Head
	if h.Format != format {
		return nil, fmt.Errorf("%w: the format is %q, not %q", ErrNoRecording, h.Format, format)
	}
	r := &Recording{Lost: h.Lost, Reason: h.Reason, Began: h.Began, Taken: h.Taken, Ring: h.Ring,
		Missed: h.Missed, GoTrace: h.GoTrace}
	if h.Trigger != nil {
		t := h.Trigger.event()
		r.Trigger = &t
	}
	for i := range file.Events {
		if e := &file.Events[i]; e.Phase != "M" {
			r.Events = append(r.Events, e.event())
		}
	}
	return r, nil
}
