module cases

go 1.26.0

require github.com/gallop-go/gallop v0.0.0

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

require (
	github.com/gallop-go/gallop/gallopvet v0.0.0 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/gallop-go/gallop => ../../

tool github.com/gallop-go/gallop/gallopvet

replace github.com/gallop-go/gallop/gallopvet => ../
