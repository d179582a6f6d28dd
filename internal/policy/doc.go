// Package policy holds only tests: the rules that a reviewer would otherwise have
// to remember. They say which package may import which, that exported symbols are
// documented, which files may touch raw memory, and that links, names and programs
// in pages are true. Style, which only a reader can judge, has no rule.
//
// Every rule is a value of type policy: a check of a checkout that is held in
// memory; one small checkout that the check must accept; and several that differ
// from it in one fault each, which it must reject for that fault and no other. A
// rule that cannot fail is itself a failure.
//
// The permissions of a rule are data, near the top of its file:
//
//   - floors and thirdParty in floors_test.go: which package imports which
//   - rawMemory in memory_test.go: the files that may use atomics and unsafe
package policy
