module github.com/gallop-go/gallop/gallopvet/golangci

go 1.26.0

require (
	github.com/gallop-go/gallop/gallopvet v0.0.0
	golang.org/x/tools v0.52.0
)

require github.com/golangci/plugin-module-register v0.1.2

replace github.com/gallop-go/gallop/gallopvet => ../
