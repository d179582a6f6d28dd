//go:build gallop_explore

package explore

import "github.com/gallop-go/gallop/internal/seam"

// bind makes the program's threads the ones that seam's hooks stop, until the
// returned function is called.
func bind(p *Program) (unbind func()) {
	hook, spin, await := seam.Hook, seam.HookSpin, seam.HookAwait
	seam.Hook, seam.HookSpin, seam.HookAwait = p.Point, p.Spin, p.Await
	return func() {
		seam.Hook, seam.HookSpin, seam.HookAwait = hook, spin, await
		seam.SpareNone()
	}
}
