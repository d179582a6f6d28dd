//go:build unix

package supervise_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestServicePage: the first program of docs/service.md has at most 40 lines; as a real process
// that gets a real SIGTERM it ends its actors in good order and exits with 0.
func TestServicePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "service.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, src, _ := strings.Cut(string(page), "```go\n")
	src, _, _ = strings.Cut(src, "```\n")
	if n := strings.Count(src, "\n"); n > 40 {
		t.Errorf("the program has %d lines", n)
	}
	dir := t.TempDir()
	file, bin := filepath.Join(dir, "main.go"), filepath.Join(dir, "service")
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin,
		file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// A service works for a while, by the clock of the machine: longer if it has come to nothing yet.
	const want, idle = "serving, saved some jobs: true", "serving, saved some jobs: false"
	got := idle
	for d := 50 * time.Millisecond; got == idle && d < time.Minute; d *= 10 {
		got = serveFor(ctx, t, bin, d)
	}
	if got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// serveFor runs a service, tells it to end after so long, and returns its output.
func serveFor(ctx context.Context, t *testing.T, bin string, d time.Duration) string {
	t.Helper()
	cmd := exec.CommandContext(ctx, bin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(pipe)
	lines.Scan()
	got := []string{lines.Text()}
	time.Sleep(d) // the service works meanwhile; the figures are for a stopped service
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		got = append(got, lines.Text())
	}
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("exit: %v, stderr %q", err, &stderr)
	}
	return strings.Join(got, ", ")
}
