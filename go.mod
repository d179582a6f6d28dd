module github.com/gallop-go/gallop

go 1.26.0

require (
	github.com/anishathalye/porcupine v1.3.0
	github.com/google/go-cmp v0.7.0
	go.uber.org/atomic v1.12.0
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.49.0
	pgregory.net/rapid v1.3.0
)
