package indexset

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// member is a member of a set, and of a Multi by a key.
type member struct{ at, key int }

// TestSet_Twin: a set has the members of a list, each at its index, and the same history gives the
// same order.
func TestSet_Twin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s, again Set[member]
		var dumb []*member
		echo := map[*member]*member{} // its counterpart in again
		leave := func(m *member) {
			dumb = slices.DeleteFunc(dumb, func(o *member) bool { return o == m })
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(*rapid.T) {
				m, e := new(member), new(member)
				s.Add(m, &m.at)
				again.Add(e, &e.at)
				dumb, echo[m] = append(dumb, m), e
			},
			"remove": func(t *rapid.T) {
				if len(dumb) == 0 {
					t.Skip("none is left") // rapid draws another action
				}
				m := rapid.SampledFrom(dumb).Draw(t, "member")
				if !s.Remove(&m.at) || s.Remove(&m.at) || !again.Remove(&echo[m].at) {
					t.Fatal("a member was not there, or twice")
				}
				leave(m)
			},
			"pop": func(t *rapid.T) {
				m := s.Pop()
				if (m == nil) != (len(dumb) == 0) || m != nil && (m.at != 0 || again.Pop() != echo[m]) {
					t.Fatalf("popped %v of %d", m, len(dumb))
				}
				leave(m)
			},
			"take all": func(*rapid.T) {
				got := s.TakeAll()
				again.TakeAll()
				for _, m := range got {
					if m.at != 0 {
						t.Fatal("a member has an index in an empty set")
					}
					leave(m)
				}
				if len(dumb) != 0 {
					t.Fatalf("%d are left", len(dumb))
				}
			},
			"": func(t *rapid.T) {
				if s.Len() != len(dumb) {
					t.Fatalf("%d members, want %d", s.Len(), len(dumb))
				}
				for i, m := range s.Members() {
					if m.at != i+1 || !s.Has(m, &m.at) || again.Members()[i] != echo[m] {
						t.Fatalf("%v at %d", m, i)
					}
				}
				for _, m := range dumb {
					if !s.Has(m, &m.at) {
						t.Fatal("a member is not in the set")
					}
				}
			},
		})
	})
}

// TestSet_KeepsLittle: "an empty set has room for" 64 "at most".
func TestSet_KeepsLittle(t *testing.T) {
	for _, n := range []int{keptRoom / 2, 10 * keptRoom} {
		var s Set[member]
		for range n {
			m := new(member)
			s.Add(m, &m.at)
		}
		for s.Pop() != nil {
		}
		if room := cap(s.entries); room > keptRoom || n <= keptRoom && room == 0 {
			t.Errorf("after %d members there is room for %d", n, room)
		}
	}
}

// TestMulti_Twin: members are found by their keys, few or many, also if several share a key. A set
// with more than a few members has a map.
func TestMulti_Twin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Multi[int, member]
		var dumb []*member
		keys := rapid.IntRange(1, 2*few).Draw(t, "keys")
		add := func() {
			m := &member{key: rapid.IntRange(1, keys).Draw(t, "key")}
			s.Add(m.key, m, &m.at)
			dumb = append(dumb, m)
		}
		for range rapid.IntRange(0, 3*few).Draw(t, "at first") {
			add()
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(*rapid.T) { add() },
			"remove": func(t *rapid.T) {
				if len(dumb) == 0 {
					t.Skip("none is left") // rapid draws another action
				}
				i := rapid.IntRange(0, len(dumb)-1).Draw(t, "of")
				if m := dumb[i]; !s.Remove(&m.at) || s.Remove(&m.at) {
					t.Fatal("a member was not there, or twice")
				}
				dumb = slices.Delete(dumb, i, i+1)
			},
			"pop": func(t *rapid.T) {
				m := s.Pop()
				if (m == nil) != (len(dumb) == 0) || m != nil && m.at != 0 {
					t.Fatalf("popped %v of %d", m, len(dumb))
				}
				dumb = slices.DeleteFunc(dumb, func(o *member) bool { return o == m })
			},
			"": func(t *rapid.T) {
				for key := range keys + 1 {
					m := s.Find(key)
					has := slices.ContainsFunc(dumb, func(o *member) bool { return o.key == key })
					if (m != nil) != has || has && (m.key != key || !slices.Contains(dumb, m)) {
						t.Fatalf("with key %d: %v", key, m)
					}
					s.verifyKey(key)
				}
				for i, m := range s.Members() {
					if m.at != i+1 {
						t.Fatalf("index %d at %d", m.at, i+1)
					}
				}
				if s.Len() != len(dumb) || s.latest == nil && len(dumb) > few ||
					s.latest != nil && len(dumb) == 0 {
					t.Fatalf("%d members, want %d; a map: %v", s.Len(), len(dumb), s.latest != nil)
				}
			},
		})
	})
}

// TestKeys_Twin: keys are found whether they are few or many, and the first key stays the first.
func TestKeys_Twin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Keys[int]
		var dumb []int
		made := 0
		add := func() {
			s.Add(made)
			dumb = append(dumb, made)
			made++
		}
		for range rapid.IntRange(0, 2*few).Draw(t, "at first") {
			add()
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(*rapid.T) { add() },
			"remove": func(t *rapid.T) {
				if len(dumb) == 0 {
					t.Skip("none is left") // rapid draws another action
				}
				i := s.Position(rapid.SampledFrom(dumb).Draw(t, "key"))
				s.RemoveAt(i)
				dumb[i] = dumb[len(dumb)-1]
				dumb = dumb[:len(dumb)-1]
			},
			"": func(t *rapid.T) {
				if !slices.Equal(s.All(), dumb) || s.Len() != len(dumb) {
					t.Fatalf("%v, want %v", s.All(), dumb)
				}
				for key := range made {
					if s.Position(key) != slices.Index(dumb, key) {
						t.Fatalf("key %d is at %d", key, s.Position(key))
					}
				}
			},
		})
	})
}
