package msg

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// chainFrom links new messages with these numbers.
func chainFrom(numbers []uint64) (first *Message) {
	for _, n := range slices.Backward(numbers) {
		first = &Message{Next: first, From: n}
	}
	return first
}

// numbersOf returns the numbers of a chain.
func numbersOf(m *Message) (list []uint64) {
	for ; m != nil; m = m.Next {
		list = append(list, m.From)
	}
	return list
}

// TestList_Twin: a list of messages does what a slice of their numbers does.
func TestList_Twin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l List
		var twin []uint64
		draw := rapid.SliceOfN(rapid.Uint64Range(1, 9), 0, 3)
		t.Repeat(map[string]func(*rapid.T){
			"Add": func(t *rapid.T) {
				some := draw.Draw(t, "some")
				l.Add(chainFrom(some))
				twin = append(twin, some...)
			},
			"Pop": func(t *rapid.T) {
				m := l.Pop()
				if (m == nil) != (len(twin) == 0) {
					t.Fatalf("popped %v of %v", m, twin)
				}
				if m != nil {
					if m.From != twin[0] || m.Next != nil {
						t.Fatalf("popped %v of %v", m, twin)
					}
					twin = twin[1:]
				}
			},
			"PutBack": func(t *rapid.T) {
				l.PutBack(&Message{From: 10})
				twin = slices.Insert(twin, 0, 10)
			},
			"All": func(t *rapid.T) {
				if got := numbersOf(l.All()); !slices.Equal(got, twin) {
					t.Fatalf("all are %v, want %v", got, twin)
				}
				twin = nil
			},
			"": func(t *rapid.T) {
				if got := numbersOf(l.First); !slices.Equal(got, twin) || Distance(l.First, nil) != len(twin) {
					t.Fatalf("a list of %v, want %v", got, twin)
				}
				if len(twin) == 0 && l != (List{}) {
					t.Fatal("an empty list keeps a message alive")
				}
			},
		})
	})
}

// TestList_Chains: Concat and Reversed, of chains of any length.
func TestList_Chains(t *testing.T) {
	a, b := []uint64{1, 2, 3}, []uint64{4, 5}
	for i := range len(a) + 1 {
		for j := range len(b) + 1 {
			first := Concat(chainFrom(a[:i]), chainFrom(b[:j]))
			if got, want := numbersOf(first), slices.Concat(a[:i], b[:j]); !slices.Equal(got, want) {
				t.Errorf("concatenated: %v, want %v", got, want)
			}
		}
		want := slices.Clone(a[:i])
		slices.Reverse(want)
		if end := chainFrom(b); !slices.Equal(numbersOf(Reversed(Concat(chainFrom(a[:i]), end), end)),
			want) {
			t.Errorf("reversed: not %v", want)
		}
	}
}
