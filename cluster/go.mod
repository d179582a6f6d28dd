module github.com/gallop-go/gallop/cluster

go 1.26.0

require github.com/gallop-go/gallop v0.0.0

require (
	go.etcd.io/bbolt v1.5.0
	go.uber.org/atomic v1.12.0 // indirect
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.49.0 // indirect
	pgregory.net/rapid v1.3.0
)

replace github.com/gallop-go/gallop => ../
