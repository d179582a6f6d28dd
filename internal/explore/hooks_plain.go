//go:build !gallop_explore

package explore

// bind has nothing to bind: a plain seam has no hooks.
func bind(*Program) (unbind func()) { return func() {} }
