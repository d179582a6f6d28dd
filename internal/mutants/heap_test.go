package mutants

// What the collectors of the actors' heaps may do wrong.

const (
	graphs = "^(TestGraphsKeepTheirHash|TestGraphModel)$"
	roots  = "^TestHeap_Roots"

	rapidly = "-rapid.nofailfile -rapid.shrinktime=1s"
)

var heapMutants = []mutant{
	// One field.
	{"a field is not described", "heap/layout.go", "for i := range t.NumField() {\n\t\t\tf := t.Field(i)\n\t\t\tl.describe(",
		"for i := range t.NumField() {\n\t\t\tif i == 1 {\n\t\t\t\tcontinue\n\t\t\t}\n\t\t\tf := t.Field(i)\n\t\t\tl.describe(", "./heap", "^TestCollectFindsHandlesEverywhere$", rapidly},
	{"a field is not scanned", "heap/collect.go", "for i := range l.parts {\n\t\tp := &l.parts[i]", "for i := range l.parts {\n\t\tif i == 2 {\n\t\t\tcontinue\n\t\t}\n\t\tp := &l.parts[i]",
		"./heap", graphs, rapidly},
	{"the last element of an array is not scanned", "heap/collect.go", "case partInline:\n\t\t\tfor j := range p.n {", "case partInline:\n\t\t\tfor j := range p.n - 1 {", "./heap", graphs, rapidly},
	{"the last element of a row is not scanned", "heap/topage.go", "for i := range item.n {", "for i := range max(1, item.n-1) {", "./heap", graphs, rapidly},
	{"strings are not followed", "heap/collect.go", "g.forward(&s.h, 1, s.n, nil)", "_ = s", "./heap", graphs, rapidly},
	{"blobs are not followed", "heap/collect.go", "g.forward(&b.h, 1, int(b.n), nil)", "_ = b", "./heap", graphs, rapidly},
	{"a copy leaves no address behind", "heap/collect.go", "\t*(*handle)(old) = *at\n", "", "./heap", graphs, rapidly},
	{"one granule is not copied", "heap/collect.go", "for i := uint32(0); i < bytes; i += 8 {", "for i := uint32(0); i+8 < bytes; i += 8 {", "./heap", graphs, rapidly},

	// One root.
	{"the state is no root", "actor/heap_collect.go", "append(c.rooting[:0], b.stateRoot(t.state))", "c.rooting[:0]", "./actor", "^TestHeap_Collected$", ""},
	{"taken mail is no root", "actor/heap_collect.go", "roots = t.queued(roots, b.in.fifo, nil)\n", "", "./actor", roots, ""},
	{"queued mail is no root", "actor/heap_collect.go", "roots = t.queued(roots, b.box.head.Load(), b.in.last)", "_ = b", "./actor", roots, ""},
	{"the lane is no root", "actor/heap_collect.go", "roots = t.queued(roots, h, nil)", "_ = h", "./actor", roots, ""},
	{"the stash is no root", "actor/heap_collect.go", "messageList{x.stash, ", "messageList{", "./actor", roots, ""},
	{"what is unstashed is no root", "actor/heap_collect.go", "x.stash, x.back, ", "x.stash, ", "./actor", roots, ""},
	{"urgent mail in hand is no root", "actor/heap_collect.go", "x.back, x.todo}", "x.back}", "./actor", roots, ""},
	{"timers are no roots", "actor/heap_collect.go", "roots = x.timers.roots(roots, t)", "_ = t", "./actor", roots, ""},
	{"the last timer is no root", "actor/heap_collect.go", "range l.list {\n\t\tif one.isOver()", "range l.list[:max(0, len(l.list)-1)] {\n\t\tif one.isOver()", "./actor", roots, ""},
	{"timers beside Go pointers are no roots", "actor/heap_collect.go", "p := t.byID[k.id]; p != nil {", "p := t.byID[k.id]; p != nil && k.held == nil {", "./actor", roots, ""},
	{"urgent mail does not collect", "actor/attend.go", "if then&mustCollect != 0 {\n\t\tb.collectArena(c)\n\t}\n", "", "./actor", "^TestHeap_UrgentMailIsCollected$", ""},

	// One step of a barrier.
	{"grey pages are not scanned at Deref", "heap/topage.go", "for len(p.todo) > 0 {\n\t\tg.drain(p, g.work+maxChunk)\n\t}\n\tg.blacken(p)\n\treturn", "return", "./heap", graphs + "|^TestBarrier$", rapidly},
	{"grey pages are black before they are scanned", "heap/topage.go", "for len(p.todo) > 0 {\n\t\tg.drain(p, g.work+maxChunk)\n\t}\n", "p.todo = p.todo[:0]\n", "./heap", graphs + "|^TestBarrier$", rapidly},
	{"a page is black when one row is scanned", "heap/collect.go", "if len(p.todo) == 0 && p != g.open {", "if p.todo = p.todo[:0]; p != g.open {", "./heap", graphs + "|^TestBehavioursBetweenSteps$", rapidly},
	{"a blob that comes back is not rescued", "heap/blob.go", "a.rescue(s)\n", "", "./heap", "^TestBlobComesBackDuringCollection$", rapidly},

	// One step of a region's way.
	{"a region that moves is not finished", "heap/region.go", "func (a *Arena) moveTo(b *Arena) {\n\ta.Finish()\n", "func (a *Arena) moveTo(b *Arena) {\n", "./heap", "Region", rapidly},
	{"a region that joins is not finished", "heap/region.go", "\tg.arena.Finish()\n", "", "./heap", "Region", rapidly},
	{"a region stays with its sender", "heap/region.go", "\ta.abandon()\n}\n\n// mergeInto", "}\n\n// mergeInto", "./heap", "Region", rapidly},
	{"one page of a region does not join", "heap/region.go", "\t\tdefault:\n\t\t\tb.enter(p)", "\t\tdefault:\n\t\t\tif p.used > 512 {\n\t\t\t\tcontinue\n\t\t\t}\n\t\t\tb.enter(p)", "./heap", graphs, rapidly},
	{"a region joins twice", "heap/region.go", "\tr.take(\"Join\")\n", "", "./heap", "Region", rapidly},
	{"blobs of a region are not counted over", "heap/region.go", "delete(a.blobs.held, p.number)\n", "", "./heap", "^TestBlobsOfJoinedRegions$", rapidly},

	// The verifier itself.
	{"the verifier does not compare", "heap/graph.go", "if g != after {", "if g != after && false {", "./heap", "^TestVerifier$", rapidly},
}
