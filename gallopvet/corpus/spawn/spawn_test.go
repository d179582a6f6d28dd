package spawn

import (
	"context"
	"testing"
)

// TestSum: the leaves are the numbers from 0.
func TestSum(t *testing.T) {
	if n, err := Sum(context.Background(), 1000, 10); n != 499500 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
}
