//go:build !linux

package observe

import "time"

// waitedForProcessor is known on Linux only.
func waitedForProcessor() time.Duration { return 0 }
