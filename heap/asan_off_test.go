//go:build !asan

package heap_test

const asan = false
