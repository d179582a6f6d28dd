// Package cgo has turns that block in C. Go's scheduler and gallop's each see those in
// their own way: the thread is gone, and nothing can interrupt it. The package is a module
// of its own, so that gallop itself needs no C compiler.
//
//	go -C benchmarks/cgo test ./... -bench . -benchtime 10x
package cgo

/*
#include <stdatomic.h>
#include <unistd.h>

static atomic_int released;

static void reset(void) { atomic_store(&released, 0); }
static void release(void) { atomic_store(&released, 1); }
static void nap(void) { while (!atomic_load(&released)) usleep(1000); }
static void spin(void) { while (!atomic_load(&released)) {} }
*/
import "C"

// Reset makes Nap and Spin wait again.
func Reset() { C.reset() }

// Release lets them return.
func Release() { C.release() }

// Nap sleeps in C until Release.
func Nap() { C.nap() }

// Spin turns in C until Release.
func Spin() { C.spin() }
