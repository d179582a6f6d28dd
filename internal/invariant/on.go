//go:build gallop_invariants || gallop_explore || race

package invariant

import "fmt"

// On reports whether invariants are checked in this build.
const On = true

// Check panics with the actual values when ok is false. Guard costly arguments
// with On.
func Check(ok bool, format string, args ...any) {
	if !ok {
		panic(Failure(fmt.Sprintf("gallop: invariant: "+format, args...)))
	}
}
