package supervise

import "context"

// Children returns a supervisor as a node with its children. Unlike [Tree], it does not ask the
// supervisors below.
func Children(ctx context.Context, s Supervisor) (Node, error) {
	return showTree.Ask(ctx, s.asked("Children"), struct{}{})
}
