package backpressure

import "testing"

// TestPolicy is the whole table. A sender that is overloaded or pressed is never
// muted (ponyc#2644); a gate is shut for any reason.
func TestPolicy(t *testing.T) {
	for _, row := range []struct {
		load             Load
		shut, mayBeMuted bool
	}{
		{load: 0, shut: false, mayBeMuted: true},
		{load: Overloaded, shut: true, mayBeMuted: false},
		{load: Pressed, shut: true, mayBeMuted: false},
		{load: Overloaded | Pressed, shut: true, mayBeMuted: false},
		{load: Muted, shut: true, mayBeMuted: true},
		{load: Muted | Overloaded, shut: true, mayBeMuted: false},
		{load: Muted | Pressed, shut: true, mayBeMuted: false},
		{load: Muted | Pressed | Overloaded, shut: true, mayBeMuted: false},
		{load: Exempt, shut: false, mayBeMuted: false},
		{load: Exempt | Overloaded, shut: true, mayBeMuted: false},
		{load: Counted, shut: false, mayBeMuted: true},
		{load: Bounded | Muted, shut: true, mayBeMuted: true},
	} {
		if row.load.MustShut() != row.shut || row.load.MayBeMuted() != row.mayBeMuted {
			t.Errorf("%03b: shut %v, may be muted %v", row.load, row.load.MustShut(), row.load.MayBeMuted())
		}
	}
}

// TestBug_K33_NoOneUnderPressureIsMuted: in every ring of actors that wait for one
// another, an actor that is overloaded or pressed breaks the ring.
func TestBug_K33_NoOneUnderPressureIsMuted(t *testing.T) {
	for l := Load(0); l < 8; l++ {
		if l&(Overloaded|Pressed) != 0 && l.MayBeMuted() {
			t.Errorf("%03b may be muted", l)
		}
	}
}
