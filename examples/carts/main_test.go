package main

import (
	"strings"
	"testing"
)

// Ten purchases of five products at 1.00 to 1.04 each, two of each product; one product
// is taken out of each cart, each as often as the others.
func TestServe(t *testing.T) {
	var out strings.Builder
	if err := serve(&out, 1000); err != nil {
		t.Fatal(err)
	}
	if want := "1000 carts, 4000 lines, 8160.00 in all\n"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
