// Package mutants has faults that are put into the code on purpose, and the tests that
// must fail over them. The faults are edits of single places, compiled with an overlay:
// no file is changed. At every commit it is checked that each still finds its place; at
// night, with GALLOP_NIGHTLY set, that each is caught. A fault that nobody catches is a
// promise that nobody proves.
package mutants
