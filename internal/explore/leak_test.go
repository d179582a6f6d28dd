package explore_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails the package when a test has left a goroutine behind. TestStubborn does
// so on purpose.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/gallop-go/gallop/internal/explore_test.stubborn"))
}
