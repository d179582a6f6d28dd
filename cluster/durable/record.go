package durable

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// Records and snapshots begin with the number of their format and a checksum of the rest. Numbers
// are varints, texts and bytes have their length before them.
//
//	record:   seq epoch writer (8 bytes) turns, to the end
//	turn:     command; if that is not "": 0 or 1 for an error, reply; number of events; events
//	event:    name version data
//	snapshot: seq epoch state; number of reminders; name due; number of commands; as in a turn
const (
	format     = 1
	headerSize = 5
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Record is a decoded record of a log: the content of one append.
type Record struct {
	// Seq is the number of the record in its log, from 1 on.
	Seq uint64
	// Epoch is that of the activation that has written it.
	Epoch uint64
	// Writer is a number that this activation has drawn.
	Writer uint64
	// Turns are the turns in the record. A record without turns is a fence.
	Turns []RecordedTurn
}

// RecordedTurn has the events of one behaviour.
type RecordedTurn struct {
	// Command is the id of the command; "" if it had none.
	Command string
	// Reply is the answer to the command with that id, as JSON or as the text of an error.
	Reply []byte
	// Failed says that Reply is an error.
	Failed bool
	// Events are the emitted events, in order. Events of package durable itself begin with
	// "durable.".
	Events []RecordedEvent
}

// RecordedEvent is an event as it is stored.
type RecordedEvent struct {
	Name    string
	Version int
	Data    []byte
}

// Decode decodes a record, as Records of a store returns it, for audits and read models. The
// slices of bytes in the result are parts of b. The error is [ErrCorrupt].
func Decode(b []byte) (Record, error) {
	r, err := open(b, "record")
	if err != nil {
		return Record{}, err
	}
	rec := Record{Seq: r.uvarint(), Epoch: r.uvarint(), Writer: r.uint64()}
	for len(r.b) > 0 && !r.bad {
		var t RecordedTurn
		if t.Command = r.text(); t.Command != "" {
			t.Failed, t.Reply = r.flag(), r.bytes()
		}
		for n := r.uvarint(); n > 0 && !r.bad; n-- {
			t.Events = append(t.Events, RecordedEvent{r.text(), r.version(), r.bytes()})
		}
		rec.Turns = append(rec.Turns, t)
	}
	if r.bad {
		return Record{}, fmt.Errorf("%w: record of %d bytes is cut or malformed", ErrCorrupt, len(b))
	}
	return rec, nil
}

// beginRecord appends the header of a record.
func beginRecord(b []byte, seq, epoch, writer uint64) []byte {
	b = append(b, format, 0, 0, 0, 0)
	b = binary.AppendUvarint(b, seq)
	b = binary.AppendUvarint(b, epoch)
	return binary.LittleEndian.AppendUint64(b, writer)
}

// seal fills in the checksum of a record or a snapshot.
func seal(b []byte) []byte {
	binary.LittleEndian.PutUint32(b[1:], crc32.Checksum(b[headerSize:], castagnoli))
	return b
}

func appendCommand(b []byte, id string, k kept) []byte {
	b = appendText(b, id)
	if id == "" {
		return b
	}
	failed := byte(0)
	if k.failed {
		failed = 1
	}
	return appendBytes(append(b, failed), k.reply)
}

func appendEvent(b []byte, name string, version int, data []byte) []byte {
	b = appendText(b, name)
	b = binary.AppendUvarint(b, uint64(version))
	return appendBytes(b, data)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendBytes(b, s []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// snapshot is the content of a snapshot that is not in the core.
type snapshot struct {
	seq, epoch uint64
	state      []byte
	due        map[string]int64
	commands   commands
}

func decodeSnapshot(b []byte, limit int) (snapshot, error) {
	r, err := open(b, "snapshot")
	if err != nil {
		return snapshot{}, err
	}
	s := snapshot{seq: r.uvarint(), epoch: r.uvarint(), state: r.bytes(), due: map[string]int64{}}
	for n := r.uvarint(); n > 0 && !r.bad; n-- {
		name := r.text()
		s.due[name] = int64(r.uint64())
	}
	for n := r.uvarint(); n > 0 && !r.bad; n-- {
		id := r.text()
		s.commands.add(id, kept{failed: r.flag(), reply: r.bytes()}, limit)
	}
	if r.bad || len(r.b) > 0 {
		return snapshot{}, fmt.Errorf("%w: snapshot of %d bytes is cut or malformed", ErrCorrupt, len(b))
	}
	return s, nil
}

// reader takes a record apart. After a part that does not fit, bad is true and all values are zero.
// It rejects a length that exceeds the remaining bytes.
type reader struct {
	b   []byte
	bad bool
}

// open checks the header and returns a reader of the rest.
func open(b []byte, what string) (reader, error) {
	switch {
	case len(b) < headerSize:
		return reader{}, fmt.Errorf("%w: %s of %d bytes", ErrCorrupt, what, len(b))
	case b[0] != format:
		return reader{}, fmt.Errorf("%w: %s of format %d, and this program reads %d", ErrCorrupt, what, b[0], format)
	case binary.LittleEndian.Uint32(b[1:]) != crc32.Checksum(b[headerSize:], castagnoli):
		return reader{}, fmt.Errorf("%w: %s of %d bytes has another checksum", ErrCorrupt, what, len(b))
	}
	return reader{b: b[headerSize:]}, nil
}

func (r *reader) fail() {
	r.bad = true
	r.b = nil
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) version() int {
	v := r.uvarint()
	if v > math.MaxInt32 {
		r.fail()
		return 0
	}
	return int(v)
}

func (r *reader) uint64() uint64 {
	if len(r.b) < 8 {
		r.fail()
		return 0
	}
	v := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return v
}

func (r *reader) flag() bool {
	if len(r.b) == 0 || r.b[0] > 1 {
		r.fail()
		return false
	}
	v := r.b[0] == 1
	r.b = r.b[1:]
	return v
}

func (r *reader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.fail()
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) text() string { return string(r.bytes()) }
