module github.com/gallop-go/gallop/benchmarks/mailbox

go 1.26.0
