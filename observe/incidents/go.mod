module github.com/gallop-go/gallop/observe/incidents

go 1.26.0

require github.com/gallop-go/gallop v0.0.0

require (
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/gallop-go/gallop => ../..
