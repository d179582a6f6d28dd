package durable

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// How far a state runs ahead of its log before the actor takes no more commands.
const (
	maxTurns = 1000
	maxBytes = 1 << 20
)

// keepBytes is how large a buffer an actor may keep to use it again.
const keepBytes = 4 << 10

// After an unknown outcome the log is read this often, with pauses that double: 5 s in all.
const (
	tries      = 10
	firstPause = 5 * time.Millisecond
)

// remindEvent is the event of a reminder: when it is due, or never, and its name.
const (
	remindEvent = "durable.remind"
	never       = math.MinInt64
)

// core is the state of a durable actor besides its own, in one life. Only its turns touch it.
//
// At most one record is being appended, and events of later turns gather in the next one. So a
// snapshot is encoded when a record is sealed: then each event in the state is in a record. It is
// written when that record is stored.
type core[S any] struct {
	typ *Type[S]
	address
	epoch, writer uint64

	state   *S
	base    S      // as it was spawned, for fields that JSON leaves out
	initial []byte // the other fields of base, encoded
	turn    Turn[S]

	last      uint64 // number of the last record that is stored
	lastEpoch uint64
	known     commands
	due       map[string]int64
	alarm     actor.Timer
	alarmAt   int64 // 0: it is not armed

	inflight, next *batch
	spare          []byte // of a record that is stored
	stalled        bool   // commands are stashed
	snapping       bool   // a snapshot is being written
	unsnapped      bool   // the state cannot be encoded, which was logged
	records, bytes int    // since the last snapshot

	// Of the turn that runs.
	c       *actor.Context // nil between turns
	events  []byte
	emitted int
	thens   []func(*actor.Context)
}

// batch is a record that is not stored yet, with the effects that wait for it.
type batch struct {
	seq      uint64
	record   []byte
	turns    int
	oneWay   int
	effects  []effect
	snapshot *Snapshot
}

// effect is something that goes out when a record is stored.
type effect interface {
	done(c *actor.Context)
	failed(c *actor.Context, err error)
}

type then func(*actor.Context)

func (f then) done(c *actor.Context)        { f(c) }
func (f then) failed(*actor.Context, error) {}

// address is the place of a log.
type address struct {
	store Store
	key   string
}

func newCore[S any](t *Type[S], s *S, a *Actor, c *actor.Context) *core[S] {
	k := &core[S]{typ: t, address: address{a.store, t.Name() + "/" + a.key}, epoch: a.epoch, writer: c.Rand().Uint64(), state: s}
	k.turn.k = k
	return k
}

// ---- reading the log --------------------------------------------------------------

// open reads the state for the first time in this life.
func (k *core[S]) open(c *actor.Context) (err error) {
	k.base = *k.state
	if k.initial, err = k.typ.codec.Encode(k.state); err != nil {
		return fmt.Errorf("gallop: durable: %s cannot be encoded: %w", k, err)
	}
	return k.load(c)
}

func (k *core[S]) String() string { return fmt.Sprintf("%q", k.key) }

// load reads the state, and appends a fence if the last record is of an older epoch. If an owner of
// that epoch appends in between, the fence is refused, and load begins again.
func (k *core[S]) load(c *actor.Context) error {
	ctx := c.Context()
	for range tries {
		var l Log
		var err error
		c.Blocking(func() { l, err = k.store.Load(ctx, k.key) })
		if err != nil {
			return fmt.Errorf("gallop: durable: %s cannot be read: %w", k, err)
		}
		if err := k.restore(l); err != nil {
			return err
		}
		if k.lastEpoch > k.epoch {
			return fmt.Errorf("%w: %s is of epoch %d, and the log of %d", ErrFenced, k, k.epoch, k.lastEpoch)
		}
		if k.lastEpoch < k.epoch {
			fence := seal(beginRecord(nil, k.last+1, k.epoch, k.writer))
			c.Blocking(func() { err = k.commit(ctx, k.last, fence) })
			if errors.Is(err, ErrFenced) {
				continue
			}
			if err != nil {
				return fmt.Errorf("fence of %s: %w", k, err)
			}
			k.last, k.lastEpoch = k.last+1, k.epoch
		}
		k.typ.fallen.Delete(k.address)
		k.arm(c)
		return k.start(c)
	}
	return fmt.Errorf("%w, which is faster than the fence of %s", ErrFenced, k)
}

// restore builds the state from the log.
func (k *core[S]) restore(l Log) error {
	acked := max(k.last, l.Snapshot.Seq)
	if fallen, ok := k.typ.fallen.Load(k.address); ok {
		acked = max(acked, fallen.(uint64))
	}
	if l.Last < acked {
		return fmt.Errorf("%w: %s ends with record %d, and %d was acknowledged", ErrStoreRegressed, k, l.Last, acked)
	}
	snap := snapshot{state: k.initial}
	if l.Snapshot.Seq > 0 {
		var err error
		if snap, err = decodeSnapshot(l.Snapshot.Data, k.typ.commands); err != nil {
			return fmt.Errorf("%w, of %s", err, k)
		}
		if snap.seq != l.Snapshot.Seq {
			return fmt.Errorf("%w: snapshot %d of %s says that it is %d", ErrCorrupt, l.Snapshot.Seq, k, snap.seq)
		}
	}
	*k.state = k.base
	clearKept(reflect.ValueOf(k.state).Elem())
	if err := k.typ.codec.Decode(snap.state, k.state); err != nil {
		return fmt.Errorf("%w: snapshot %d of %s: %w", ErrCorrupt, snap.seq, k, err)
	}
	k.known, k.due = snap.commands, snap.due
	k.records, k.bytes = 0, 0
	seq, epoch := snap.seq, snap.epoch
	for _, b := range l.Records {
		r, err := Decode(b)
		seq++
		if err == nil && r.Seq != seq {
			err = fmt.Errorf("%w: it says that it is %d", ErrCorrupt, r.Seq)
		}
		if err == nil {
			err = k.replay(r)
		}
		if err != nil {
			return fmt.Errorf("%w: record %d of %s", err, seq, k)
		}
		epoch = r.Epoch
		k.records++
		k.bytes += len(b)
	}
	if seq != l.Last {
		return fmt.Errorf("%w: %s has %d records, and should have %d", ErrCorrupt, k, seq, l.Last)
	}
	k.last, k.lastEpoch = seq, epoch
	return nil
}

// start runs the function of OnStart.
func (k *core[S]) start(c *actor.Context) error {
	if k.typ.onStart == nil {
		return nil
	}
	if err := k.typ.onStart(k.state, k.begin(c)); err != nil {
		return err
	}
	k.end(c, "", kept{}, false)
	return nil
}

// replay applies a record to the state.
func (k *core[S]) replay(r Record) error {
	for _, t := range r.Turns {
		for _, e := range t.Events {
			if e.Name == remindEvent {
				if !k.setDue(e.Data) {
					return fmt.Errorf("%w: malformed reminder", ErrCorrupt)
				}
				continue
			}
			apply := k.typ.events[e.Name]
			if apply == nil {
				return fmt.Errorf("%w %q", ErrUnknownEvent, e.Name)
			}
			err := apply(k.state, e.Version, e.Data)
			if err != nil && !errors.Is(err, ErrUnknownEvent) {
				err = fmt.Errorf("%w: %w", ErrCorrupt, err)
			}
			if err != nil {
				return fmt.Errorf("%w: event %q", err, e.Name)
			}
		}
		k.known.add(t.Command, kept{bytes.Clone(t.Reply), t.Failed}, k.typ.commands)
	}
	return nil
}

// fell keeps the last acknowledged number beyond the life of an actor that may be started again: a
// store that has lost records may be the reason of its failure.
func (k *core[S]) fell(c *actor.Context, reason error) {
	if c.Restarting() || !actor.IsNormal(reason) {
		k.typ.fallen.Store(k.address, k.last)
	}
}

// ---- turns ------------------------------------------------------------------------

func (k *core[S]) begin(c *actor.Context) *Turn[S] {
	k.c = c
	return &k.turn
}

func (k *core[S]) emit(name string, version int, data []byte) {
	k.events = appendEvent(k.events, name, version, data)
	k.emitted++
}

// end adds the events of the turn to the next record. It begins to append the record if no other
// append is under way.
func (k *core[S]) end(c *actor.Context, id string, reply kept, oneWay bool) {
	thens := k.thens
	k.c, k.thens = nil, nil
	if k.emitted > 0 {
		b := k.gathering()
		b.record = appendCommand(b.record, id, reply)
		b.record = binary.AppendUvarint(b.record, uint64(k.emitted))
		b.record = append(b.record, k.events...)
		b.turns++
		if oneWay {
			b.oneWay++
		}
		k.known.add(id, reply, k.typ.commands)
		k.events, k.emitted = k.events[:0], 0
		if cap(k.events) > keepBytes {
			k.events = nil
		}
		k.arm(c)
	}
	last := k.lastBatch()
	for _, f := range thens {
		if last == nil {
			f(c)
		} else {
			last.effects = append(last.effects, then(f))
		}
	}
	k.sealIfIdle(c)
}

// gathering returns the record that gathers turns.
func (k *core[S]) gathering() *batch {
	if k.next == nil {
		seq := k.last + 1
		if k.inflight != nil {
			seq++
		}
		k.next = &batch{seq: seq, record: beginRecord(k.spare[:0], seq, k.epoch, k.writer)}
		k.spare = nil
	}
	return k.next
}

// lastBatch returns the last record that is not stored yet; nil if all is stored.
func (k *core[S]) lastBatch() *batch {
	if k.next != nil {
		return k.next
	}
	return k.inflight
}

// full reports whether the state has run too far ahead, so that the running message must be
// stashed. Then the senders are muted as well.
func (k *core[S]) full(c *actor.Context) bool {
	if !k.stalled && k.ahead() >= 1 {
		k.stalled = true
		c.ApplyPressure()
	}
	return k.stalled
}

// ahead returns how far the state runs ahead, as a part of the allowed distance. Turns without
// events count as well while their replies wait.
func (k *core[S]) ahead() float64 {
	turns, size := 0, 0
	for _, b := range [...]*batch{k.inflight, k.next} {
		if b != nil {
			turns, size = turns+max(b.turns, len(b.effects)), size+len(b.record)
		}
	}
	return max(float64(turns)/maxTurns, float64(size)/maxBytes)
}

// resume accepts commands again when the distance is at most half of the allowed one.
func (k *core[S]) resume(c *actor.Context) {
	if k.stalled && k.ahead() <= 0.5 {
		k.stalled = false
		c.ReleasePressure()
		actor.UnstashAll(c)
	}
}

// ---- the store answers ------------------------------------------------------------

// sealIfIdle begins to append the next record, if there is one and no other is under way.
func (k *core[S]) sealIfIdle(c *actor.Context) {
	if k.next == nil || k.inflight != nil {
		return
	}
	b := k.next
	k.inflight, k.next = b, nil
	seal(b.record)
	k.records++
	k.bytes += len(b.record)
	if !k.snapping && (k.records >= k.typ.everyRecords || k.bytes >= k.typ.everyBytes) {
		k.takeSnapshot(c, b)
	}
	actor.PipeWith(c, k.typ.appended, b.seq, k.appending(b.seq-1, b.record))
}

// takeSnapshot encodes the state, which is that after b.
func (k *core[S]) takeSnapshot(c *actor.Context, b *batch) {
	state, err := k.typ.codec.Encode(k.state)
	if err != nil {
		if !k.unsnapped {
			k.unsnapped = true
			c.Logger().Error("gallop: durable: the state cannot be encoded, so there is no snapshot", "key", k.key, "err", err)
		}
		return
	}
	k.records, k.bytes = 0, 0
	b.snapshot = &Snapshot{Seq: b.seq, Trim: k.typ.trim, Data: k.encodeSnapshot(b.seq, state)}
}

func (k *core[S]) encodeSnapshot(seq uint64, state []byte) []byte {
	d := append(make([]byte, 0, len(state)+64), format, 0, 0, 0, 0)
	d = binary.AppendUvarint(d, seq)
	d = binary.AppendUvarint(d, k.epoch)
	d = appendBytes(d, state)
	d = binary.AppendUvarint(d, uint64(len(k.due)))
	for _, name := range k.dueNames(math.MaxInt64) {
		d = binary.LittleEndian.AppendUint64(appendText(d, name), uint64(k.due[name]))
	}
	d = binary.AppendUvarint(d, uint64(len(k.known.order)))
	for _, id := range k.known.order {
		d = appendCommand(d, id, k.known.replies[id])
	}
	return seal(d)
}

// appended handles the outcome of the append of record seq.
func (k *core[S]) appended(c *actor.Context, seq uint64, err error) {
	b := k.inflight
	k.inflight = nil
	if err != nil {
		k.failed(c, b, err)
		return
	}
	k.last, k.lastEpoch = seq, k.epoch
	if b.snapshot != nil {
		k.snapping = true
		actor.Pipe(c, k.typ.written, k.writing(*b.snapshot))
	}
	k.sealIfIdle(c)
	for _, e := range b.effects {
		e.done(c)
	}
	c.Gas(len(b.effects))
	if cap(b.record) <= keepBytes {
		k.spare = b.record
	}
	k.resume(c)
}

// failed drops all events since the last stored record, and reads the state again, unless the
// content of the log is unknown.
func (k *core[S]) failed(c *actor.Context, b *batch, err error) {
	dropped := b.oneWay
	refused := errors.Is(err, ErrFenced) || errors.Is(err, ErrRefused)
	if !refused && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrStoreRegressed) {
		err = fmt.Errorf("%w: %w", ErrUnknown, err) // the store has panicked
	}
	err = fmt.Errorf("%w: record %d of %s", err, b.seq, k)
	next := k.next
	k.next = nil
	for _, e := range b.effects {
		e.failed(c, err)
	}
	if next != nil {
		dropped += next.oneWay
		for _, e := range next.effects {
			e.failed(c, err)
		}
	}
	if dropped > 0 {
		c.Logger().Error("gallop: durable: one-way commands were dropped", "key", k.key, "count", dropped, "err", err)
	}
	if refused {
		err = k.load(c)
	}
	if err != nil {
		c.Exit(err)
		return
	}
	k.resume(c)
}

// written handles the outcome of writing a snapshot. A failure only costs time at the next start.
func (k *core[S]) written(c *actor.Context, err error) {
	k.snapping = false
	if err != nil {
		c.Logger().Warn("gallop: durable: the snapshot was not written", "key", k.key, "err", err)
	}
}

// writing returns the function that writes a snapshot.
func (a address) writing(s Snapshot) func(context.Context) (struct{}, error) {
	return func(ctx context.Context) (struct{}, error) { return struct{}{}, a.store.Snapshot(ctx, a.key, s) }
}

// appending returns the function that appends a record.
func (a address) appending(after uint64, record []byte) func(context.Context) (struct{}, error) {
	return func(ctx context.Context) (struct{}, error) { return struct{}{}, a.commit(ctx, after, record) }
}

// commit appends a record once, whatever error the store returns. After an unknown outcome the
// record may still arrive, so that reading the log does not suffice. So it is appended again, on
// the same terms: one of the two is stored, and the other is refused.
func (a address) commit(ctx context.Context, after uint64, record []byte) error {
	err := a.store.Append(ctx, a.key, after, record)
	if err == nil || errors.Is(err, ErrFenced) || errors.Is(err, ErrRefused) {
		return err
	}
	pause := firstPause
	for range tries {
		if actor.Sleep(ctx, pause) != nil {
			break
		}
		pause *= 2
		l, failed := a.store.Load(ctx, a.key)
		switch {
		case failed != nil:
			err = failed
			continue
		case l.Last < after:
			return fmt.Errorf("%w: the log ends with record %d, and %d was acknowledged", ErrStoreRegressed, l.Last, after)
		case l.Last == after:
			if err = a.store.Append(ctx, a.key, after, record); err == nil {
				return nil
			}
			continue
		}
		if at := after - l.Snapshot.Seq; l.Snapshot.Seq <= after && at < uint64(len(l.Records)) {
			if bytes.Equal(l.Records[at], record) {
				return nil
			}
			return fmt.Errorf("%w: record %d is not ours", ErrFenced, after+1)
		}
		break // another writer has trimmed the record by a snapshot
	}
	return fmt.Errorf("%w: %w", ErrUnknown, err)
}

// ---- reminders --------------------------------------------------------------------

func (k *core[S]) isDue(name string) bool {
	_, ok := k.due[name]
	return ok
}

func (k *core[S]) emitReminder(name string, at int64) {
	data := append(binary.AppendVarint(nil, at), name...)
	k.emit(remindEvent, 1, data)
	k.setDue(data)
}

// setDue applies the event of a reminder, and reports whether it is one.
func (k *core[S]) setDue(data []byte) bool {
	at, n := binary.Varint(data)
	if n <= 0 {
		return false
	}
	name := string(data[n:])
	if at == never {
		delete(k.due, name)
		return true
	}
	if k.due == nil {
		k.due = map[string]int64{}
	}
	k.due[name] = at
	return true
}

// dueNames returns the reminders that are due at a time, in their order.
func (k *core[S]) dueNames(now int64) []string {
	var names []string
	for name, at := range k.due {
		if at <= now {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if k.due[a] != k.due[b] {
			return cmp.Compare(k.due[a], k.due[b])
		}
		return cmp.Compare(a, b)
	})
	return names
}

// arm sets the timer to the next reminder.
func (k *core[S]) arm(c *actor.Context) {
	first := int64(0)
	for _, at := range k.due {
		if first == 0 || at < first {
			first = at
		}
	}
	if first == k.alarmAt {
		return
	}
	if k.alarmAt != 0 {
		k.alarm.Cancel(c)
	}
	if k.alarmAt = first; first != 0 {
		k.alarm = actor.After(c, time.Unix(0, first).Sub(c.Now()), k.typ.alarm, struct{}{})
	}
}

// rang calls the reminders that are due.
func (k *core[S]) rang(c *actor.Context) {
	k.alarmAt = 0
	for _, name := range k.dueNames(c.Now().UnixNano()) {
		if !k.isDue(name) {
			continue // an earlier one has taken it back
		}
		turn := k.begin(c)
		k.emitReminder(name, never)
		if k.typ.onRemind != nil { // or it had one when the reminder was set
			k.typ.onRemind(k.state, turn, name)
		}
		k.end(c, "", kept{}, false)
	}
	k.arm(c)
}
