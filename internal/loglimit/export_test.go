package loglimit

// Keys returns how many keys are counted apart.
func (l *Limit) Keys() (n int) {
	for _, of := range l.lines {
		n += len(of.counts)
	}
	return n
}
