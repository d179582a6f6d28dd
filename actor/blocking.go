package actor

import "github.com/gallop-go/gallop/internal/kernel"

// WithMaxBlocked sets the number of behaviours that may block at a time while other workers
// take over their queues: at least 1, 100,000 by default.
//
// If more behaviours block, an [AskBehaviour.Ask], bridge.AskAll or bridge.Replies in a behaviour
// fails at once with [ErrTooManyBlocked]. Behaviours that block in other ways keep their
// workers from other actors; a behaviour that waits for one of these actors waits for ever.
// [Stats] counts both, and the log has a line of level ERROR, at most once a second.
//
// A behaviour that blocks costs its goroutine, whose stack has at least 2 KiB and mostly
// 4 to 8 KiB, and a worker of about 3 KiB, or 9 KiB if its turn has woken several new
// actors. So a hundred thousand take 0.6 to 1.7 GB: in a small container set a smaller
// number. A behaviour that blocks in a system call, for example on a file, also holds a
// thread of the operating system, of which Go allows 10,000
// ([runtime/debug.SetMaxThreads]).
//
// Like every worker, an idle worker keeps the messages and the memory of [Context.Heap]
// that its behaviours have used, to use them again. It retires after it was not needed for
// 0.1 to 0.2 s.
func WithMaxBlocked(n int) Option { return systemOption(func(o *kernel.Options) { o.MaxBlocked = n }) }
