package flight

import (
	"fmt"
	"io"
	"strconv"
	"time"
)

// WriteText writes the recording for people: the losses, the reason, and then a line for each
// event, with its time since the recorder began.
func (r *Recording) WriteText(w io.Writer) error {
	b := r.appendHead(nil)
	for i := range r.Events {
		b = appendLine(b, &r.Events[i])
		if len(b) > flushAt {
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	_, err := w.Write(b)
	return err
}

// flushAt is the number of buffered bytes from which text is written.
const flushAt = 64 << 10

func (r *Recording) appendHead(b []byte) []byte {
	b = append(b, "gallop flight recording\n"...)
	b = fmt.Appendf(b, "lost      %s\n", r.Lost)
	b = append(appendClean(append(b, "reason    "...), r.Reason), '\n')
	if t := r.Trigger; t != nil {
		b = fmt.Appendf(b, "trigger   %v\n", t)
	}
	if r.Missed > 0 {
		b = fmt.Appendf(b, "missed    %d more reasons since the last recording\n", r.Missed)
	}
	b = fmt.Appendf(b, "taken     %s, %v after the recorder began\n",
		r.Taken.Format(time.RFC3339Nano), r.Taken.Sub(r.Began).Round(time.Millisecond))
	b = fmt.Appendf(b, "ring      up to %d bytes for each worker: %d events\n", r.Ring, r.Ring/32)
	return fmt.Appendf(b, "Go trace  %s\n\n    since the start  worker   number\n", r.GoTrace)
}

// String returns the losses in one line.
func (l Lost) String() string {
	before, torn, between, kept := uint64(0), uint64(0), uint64(0), 0
	for _, w := range l.Workers {
		before, torn, kept = before+w.Before, torn+w.Torn, kept+w.Kept
		between += w.Between
	}
	text := fmt.Sprintf("%d events were overwritten before, and %d while they were read; %d are kept",
		before, torn, kept)
	if between > 0 {
		text += fmt.Sprintf("; %d are missing between the first sign of a stall and the rest", between)
	}
	if l.NoRing {
		text += "; some workers had no ring"
	}
	return text
}

// appendLine appends an event as a line. It avoids fmt, since there may be a million lines.
func appendLine(b []byte, e *Event) []byte {
	b = appendPadded(b, uint64(e.At)/uint64(time.Second), 8)
	b = append(b, '.')
	b = appendZeros(b, uint64(e.At)%uint64(time.Second)/1000, 6)
	if e.Worker == Outside {
		b = append(b, " outside"...)
	} else {
		b = appendPadded(b, uint64(e.Worker), 8)
	}
	b = appendPadded(b, e.Sequence, 9)
	b = append(b, "  "...)
	return append(e.append(b), '\n')
}

// appendPadded appends a number with leading spaces.
func appendPadded(b []byte, n uint64, width int) []byte { return appendFilled(b, n, width, ' ') }

// appendZeros appends a number with leading zeros.
func appendZeros(b []byte, n uint64, width int) []byte { return appendFilled(b, n, width, '0') }

func appendFilled(b []byte, n uint64, width int, fill byte) []byte {
	for least := uint64(10); width > 1; width, least = width-1, least*10 {
		if n < least {
			b = append(b, fill)
		}
	}
	return strconv.AppendUint(b, n, 10)
}
