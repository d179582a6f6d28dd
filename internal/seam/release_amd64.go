//go:build !race && !gallop_explore

package seam

// On amd64 every plain store is a release store. Go's atomic store adds a full fence, which Flag
// and Gauge do without. The compiler moves no plain store past a call, an atomic access or another
// store. It drops a store that another one to the same word follows with nothing but stores in
// between, so code that wants both puts an atomic access between them. See TestReleaseStoresStay.
// In assembly they were calls, of which a message took two.
// docs/decisions/0035-the-way-of-one-message.md

func storeRelease32(p *uint32, v uint32) { *p = v }
func storeRelease64(p *uint64, v uint64) { *p = v }
