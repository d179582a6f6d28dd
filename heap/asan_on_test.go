//go:build asan

package heap_test

// asan reports whether this is a build for the address sanitizer. Such a build allocates some
// values that other builds keep on the stack.
const asan = true
