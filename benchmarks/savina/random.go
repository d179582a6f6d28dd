package main

// random is a small source of random numbers, the same on all sides: a state per user, seeded by
// the user's number.
type random uint64

// newRandom seeds a source.
func newRandom(seed int) random { return random(seed+1) * 0x9e3779b97f4a7c15 }

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n − 1.
func (r *random) below(n int) int { return int(r.next() >> 33 % uint64(n)) }

// busy computes for n steps of about a nanosecond.
func busy(n int) uint64 {
	x := uint64(n) | 1
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
