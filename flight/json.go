package flight

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// The JSON form of a recording is one object in the trace format of Chrome, which ui.perfetto.dev
// opens. Each worker has a track, on which a message lasts until the next event of that worker. The
// field otherData comes first. It has the losses, and all data for which the format has no place.

// ErrNoRecording is the error of [Read] if its input is not a recording.
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

// ends returns the end of each event, as far as it is known: the time of its worker's next event,
// or the time of the recording for the last event.
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

// jsonWriter writes events without package json, since there may be a million.
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

// title is the name of an event in a viewer.
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

// quote returns a text as a JSON string.
func (j *jsonWriter) quote(text string) []byte {
	q, ok := j.quoted[text]
	if !ok {
		q, _ = json.Marshal(text) // a string always marshals
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

// Read reads a recording that [Recording.WriteJSON] has written. If the input is something else,
// the error wraps ErrNoRecording and gives the reason.
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
