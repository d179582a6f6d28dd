// Package wheel keeps numbers in the order of their times. It is a hierarchical
// timing wheel, exact to the nanosecond. It is arithmetic on owned memory: the goroutine that
// shares a wheel must lock it. What the numbers stand for is up to the caller.
package wheel
