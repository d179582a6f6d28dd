package main

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// The page shows the system of the turn that runs, and no system between turns.
func TestPage(t *testing.T) {
	var stderr bytes.Buffer
	p, err := servePage("127.0.0.1:0", &stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	url := regexp.MustCompile(`http://\S+/`).FindString(stderr.String())
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func() (int, string) {
		t.Helper()
		r, err := client.Get(url + "api/v1/types")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		data, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(data)
	}
	if code, text := get(); code != http.StatusServiceUnavailable {
		t.Errorf("before the first turn: %d %s", code, text)
	}
	for range 2 {
		sys, err := start(options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		end := p.show(sys)
		if _, err := clerkAdd.Ask(t.Context(), clerkType.Spawn(sys, clerk{}), 1); err != nil {
			t.Fatal(err)
		}
		if code, text := get(); code != 200 || !strings.Contains(text, "clerk") {
			t.Errorf("in a turn: %d %s", code, text)
		}
		end()
		sys.Stop()
		if code, text := get(); code != http.StatusServiceUnavailable {
			t.Errorf("after a turn: %d %s", code, text)
		}
	}
}

// "address at which a browser sees what runs": an address that cannot be had is an error.
func TestPage_NoSuchAddress(t *testing.T) {
	if _, err := servePage("127.0.0.1:http-nonsense", io.Discard); err == nil {
		t.Error("it listens at nonsense")
	}
	code, _, stderr := try(t.Context(), []scenario{ask},
		"-observe", "nonsense", "-n", "10", "-scenario", "ask")
	if code != exitWrong || !strings.Contains(stderr, "-observe: ") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
