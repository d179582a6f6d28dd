package main

import (
	"io"
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

// Bad arguments print an error and the usage, exit with 2, and run nothing.
func TestRun_BadArgumentsExit2WithUsage(t *testing.T) {
	for args, says := range map[string]string{
		"-carts 0": "-carts is 0", "-carts -5": "-carts is -5", "-x": "not defined",
		"10": `unexpected argument "10"`, "-carts 1 more": `"more"`,
	} {
		var stdout, stderr strings.Builder
		code := run(strings.Fields(args), &stdout, &stderr)
		if code != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), says) ||
			!strings.Contains(stderr.String(), "Usage of carts:") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q, want %q", args, code, &stdout, &stderr,
				says)
		}
	}
	if code := run([]string{"-h"}, io.Discard, io.Discard); code != 0 {
		t.Errorf("-h: exit %d", code)
	}
}

// More carts than any memory has room for are not tried. (It panicked: makeslice.)
func TestParse_TooMany(t *testing.T) {
	for carts, want := range map[string]string{
		"100000000": "", "100000001": "carts: -carts is 100000001; it must be from 1 to " +
			"100000000\nUsage of carts:",
		"2147483647": "carts: -carts is 2147483647; it must be",
	} {
		var stderr strings.Builder
		_, err := parse([]string{"-carts", carts}, &stderr)
		if (err != nil) != (want != "") || !strings.HasPrefix(stderr.String(), want) {
			t.Errorf("-carts %s: %v, %q, want %q", carts, err, &stderr, want)
		}
	}
}
