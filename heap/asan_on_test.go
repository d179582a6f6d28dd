//go:build asan

package heap_test

// asan reports whether this is a build for the address sanitizer, in which Go's allocator is
// asked for things that stay on the stack otherwise.
const asan = true
