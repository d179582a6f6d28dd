package loglimit

// Keys returns the number of keys that are counted separately.
func (l *Limit) Keys() (n int) {
	for _, of := range l.lines {
		n += len(of.counts)
	}
	return n
}
