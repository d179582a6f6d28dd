// Package policy holds only tests: the rules of the house that a reviewer would
// otherwise have to remember. They say who may import whom, what is documented,
// how long a function may be, which files may touch raw memory, and whether the
// prose of the repository still tells the truth.
//
// Every rule is a value of type policy: a check of a checkout that is held in
// memory; one small checkout that the check must accept; and several that differ
// from it in one fault each, which it must reject for that fault and no other. A
// rule that cannot fail is itself a failure.
//
// What a rule permits is data, near the top of its file:
//
//   - floors and thirdParty in floors_test.go: who imports whom
//   - rawMemory in memory_test.go: the files that may use atomics and unsafe
//   - sizeExcess in size_test.go: what is still too long; it may only shrink
package policy
