//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain runs the program itself when the test below asks for it. Otherwise it fails the package
// when a test has left a goroutine behind.
func TestMain(m *testing.M) {
	if os.Getenv("SESSIONS_RUN_MAIN") != "" {
		os.Args = []string{"sessions", "-addr=127.0.0.1:0"}
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// TestSIGTERM: a real process that gets a real signal answers the requests it has begun, saves
// every session, and exits with 0.
func TestSIGTERM(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "SESSIONS_RUN_MAIN=1")
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(pipe)
	lines.Scan()
	addr := strings.TrimPrefix(lines.Text(), "listening on ")
	for i := range 6 {
		url := fmt.Sprintf("http://%s/users/u%d", addr, i%3)
		res, err := http.Post(url, "text/plain", strings.NewReader("hello"))
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(res, err)
		}
		res.Body.Close()
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var got []string
	for lines.Scan() {
		got = append(got, lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	slices.Sort(got)
	want := "saved 2 lines of u0, saved 2 lines of u1, saved 2 lines of u2, shutting down"
	if strings.Join(got, ", ") != want {
		t.Errorf("it says %q", got)
	}
}
