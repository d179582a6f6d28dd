package durable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

// seeds are a record and a snapshot with everything in them.
func seeds() (record, snap []byte) {
	b := beginRecord(nil, 7, 3, 99)
	b = appendCommand(b, "c1", kept{reply: []byte("12")})
	b = binary.AppendUvarint(b, 2)
	b = appendEvent(b, "deposited", 1, []byte(`{"Amount":12}`))
	b = appendEvent(b, remindEvent, 1, append(binary.AppendVarint(nil, 1e18), "statement"...))
	b = appendCommand(b, "", kept{})
	b = binary.AppendUvarint(b, 0)
	k := &core[struct{ Actor }]{epoch: 3, due: map[string]int64{"statement": 1e18, "x": -1}}
	k.known.add("c1", kept{reply: []byte("12")}, 10)
	k.known.add("c2", kept{reply: []byte("no"), failed: true}, 10)
	return seal(b), k.encodeSnapshot(7, []byte(`{"Balance":12}`))
}

// sealed gives b a valid checksum, so that the code after the check is reached.
func sealed(b []byte) []byte {
	b = bytes.Clone(b)
	if len(b) >= headerSize {
		b[0] = format
		seal(b)
	}
	return b
}

// FuzzDecode: no bytes make the decoder panic, or return more data than they have. Bytes that are
// no record return ErrCorrupt.
func FuzzDecode(f *testing.F) {
	record, snap := seeds()
	f.Add(record)
	f.Add(snap)
	f.Add(record[:len(record)-3])
	f.Add(binary.AppendUvarint(append([]byte(nil), record...), 1<<60))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, sealed(b)} {
			r, err := Decode(b)
			if err != nil {
				if !errors.Is(err, ErrCorrupt) {
					t.Errorf("%v", err)
				}
				continue
			}
			size := 0
			for _, t := range r.Turns {
				size += 2 + len(t.Command) + len(t.Reply)
				for _, e := range t.Events {
					size += 3 + len(e.Name) + len(e.Data)
				}
			}
			if size > len(b) {
				t.Errorf("%d bytes out of %d", size, len(b))
			}
		}
	})
}

func FuzzDecodeSnapshot(f *testing.F) {
	record, snap := seeds()
	f.Add(record)
	f.Add(snap)
	f.Add(snap[:len(snap)-1])
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, sealed(b)} {
			s, err := decodeSnapshot(b, 100)
			if err != nil && !errors.Is(err, ErrCorrupt) {
				t.Errorf("%v", err)
			}
			if err == nil && len(s.due)+len(s.commands.order)+len(s.state) > len(b) {
				t.Errorf("%d reminders and %d commands out of %d bytes", len(s.due), len(s.commands.order), len(b))
			}
		}
	})
}

// Each cut and each flipped bit is found.
func TestDamageIsFound(t *testing.T) {
	record, snap := seeds()
	if r, err := Decode(record); err != nil || r.Seq != 7 || len(r.Turns) != 2 || len(r.Turns[0].Events) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if s, err := decodeSnapshot(snap, 10); err != nil || s.seq != 7 || len(s.due) != 2 || len(s.commands.order) != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	damaged := func(b []byte) {
		t.Helper()
		if _, err := Decode(b); !errors.Is(err, ErrCorrupt) {
			t.Errorf("record % x: %v", b, err)
		}
		if _, err := decodeSnapshot(b, 10); !errors.Is(err, ErrCorrupt) {
			t.Errorf("snapshot % x: %v", b, err)
		}
	}
	for _, whole := range [][]byte{record, snap} {
		for n := range whole {
			damaged(whole[:n])
			for bit := range 8 {
				b := bytes.Clone(whole)
				b[n] ^= 1 << bit
				damaged(b)
			}
		}
	}
}
