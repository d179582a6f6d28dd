package process_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/process"
)

// A panic of a process is reported once. Other processes go on.
func ExamplePanicReport() {
	sys := process.Start(process.Config{Panic: func(r process.PanicReport) { fmt.Println(r.Type, r.Value) }})
	defer sys.Stop()
	process.Go(sys, func(*process.Proc) { panic(errors.New("no such order")) }, process.WithType("saga"))
	_ = sys.Wait(context.Background())
	var s process.Stats = sys.Stats()
	fmt.Println(s.Panics)
	// Output:
	// saga no such order
	// 1
}
