package strict

import (
	"github.com/gallop-go/gallop/process"
)

func processes(p *process.Proc, r process.Ref[[]int], c *process.Chan[int]) {
	all := []int{1}
	r.Send(p, all) // want `all is sent and used afterwards`
	_ = all[0]
	c.TrySend(p, 1)                                                    // want `what TrySend returns is ignored: a value that is refused is lost`
	process.Spawn(p, func(self *process.Self[any]) { self.Receive() }) // want `messages of the process hold any`
}
