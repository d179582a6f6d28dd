//go:build !linux

package observe

import "time"

// waitedForProcessor is known on Linux only.
func waitedForProcessor() map[string]time.Duration { return nil }
