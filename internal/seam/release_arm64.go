//go:build !race && !gallop_explore

package seam

//go:noescape
func storeRelease32(p *uint32, v uint32)

//go:noescape
func storeRelease64(p *uint64, v uint64)
