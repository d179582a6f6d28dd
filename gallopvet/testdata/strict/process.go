package strict

import (
	"github.com/gallop-go/gallop/process"
)

func processes(p *process.Proc, r process.Ref[[]int]) {
	all := []int{1}
	r.Send(p, all) // want `all is sent and used afterwards`
	_ = all[0]
	process.Spawn(p, func(self *process.Self[any]) { self.Receive() }) // want `messages of the process hold any`
}
