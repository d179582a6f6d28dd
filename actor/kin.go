package actor

// FamilyOf returns what the supervisor of the running actor has given all its children: Family of
// their [Care]. It returns nil if there is none. It is for package supervise.
func FamilyOf(c *Context) any {
	mustRun(c, "FamilyOf")
	if x := c.self.cold; x != nil && x.sup != nil {
		return x.sup.family
	}
	return nil
}

// SystemOf returns the system that the actor t belongs to. It panics if t is a zero Ref.
func SystemOf(t Target) *System { return targetOf("SystemOf", t).sys() }

// Guard calls f, which is a function of the user's, in a goroutine and waits for it. A panic or a
// runtime.Goexit in f is logged, with the name of the hook, and has no other effect. It is
// for package supervise.
func Guard(sys *System, hook string, f func()) { sys.guard(hook, f) }

// stopTogether tells all children that end together to end, once for each verb. The others wait
// for their turn. Owner only.
func (f *family) stopTogether(e env, v stopMode) {
	if f.stoppedTogether > v {
		return
	}
	f.stoppedTogether = v + 1
	for k := f.youngest; k != nil; k = k.older {
		if k.together {
			k.requestStop(e, v)
		}
	}
}
