module github.com/gallop-go/gallop/benchmarks/scaling

go 1.26.0
