package process

import "github.com/gallop-go/gallop/internal/access"

func init() { access.EachProcess = eachProcess }

// eachProcess is access.EachProcess. The lock of a shard is held for most processes at a time, so
// that a million of them do not keep others from being started.
func eachProcess(processes any, most int, f func(access.ProcessLook)) (more bool) {
	r := &processes.(*System).registry
	for i := range r.shards {
		s := &r.shards[i]
		all, left := make([]access.ProcessLook, 0, 8), false
		s.mu.Lock()
		for p := s.first; p != nil; p = p.next {
			if len(all) == most {
				left = true
				break
			}
			all = append(all, p.look())
		}
		s.mu.Unlock()
		more = more || left
		for _, l := range all {
			f(l)
		}
	}
	return more
}

// look looks at a process. The caller holds the lock of its shard.
func (p *Proc) look() access.ProcessLook {
	l := access.ProcessLook{ID: p.id, Type: p.typeName(), Names: p.namesOf()}
	st := p.state.Load()
	if st&parked == 0 {
		return l
	}
	l.Waits, l.On = true, p.waitText(st, "a process")
	if opIn(st) == opReply {
		l.Asked = p.of.Load()
	}
	if on := p.on.Load(); on != nil {
		if _, many := on.of.(waitNames); !many {
			l.On, l.Of = on.what, on.of
		}
	}
	return l
}
