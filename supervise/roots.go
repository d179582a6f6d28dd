package supervise

import "github.com/gallop-go/gallop/internal/kernel"

// listed puts a new root in the list for internal/inspect, and returns it.
func listed(s Supervisor) Supervisor {
	kernel.Supervisors.Add(kernel.AnyRef(s.Ref))
	return s
}
