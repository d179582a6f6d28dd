//go:build !gallop_explore

package explore

// bind does nothing: a plain seam has no hooks.
func bind(*Program) (unbind func()) { return func() {} }
