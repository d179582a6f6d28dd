// Package wheel keeps numbers in the order of their times: a hierarchical timing
// wheel that is exact to the nanosecond. It is arithmetic on owned memory: whoever
// shares a wheel locks it. What the numbers stand for is the caller's.
package wheel
