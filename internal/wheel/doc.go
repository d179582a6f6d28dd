// Package wheel keeps entries in the order of their times: a hierarchical timing
// wheel that is exact to the nanosecond. It is arithmetic on owned memory: whoever
// shares a wheel locks it.
package wheel
