package browsertest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestIncidents opens the page of each incident of the command incidents, five seconds after it
// began. A person reads the culprit in the headline and in the first finding, and can open what the
// finding is about. With -short it plays those for each merge. Pictures show both themes, and a
// phone.
func TestIncidents(t *testing.T) {
	program := filepath.Join(t.TempDir(), "incidents")
	if out, err := exec.Command("go", "-C", "../incidents", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	list, err := exec.Command(program, "-list").Output()
	if err != nil {
		t.Fatal(err)
	}
	// The parallel tests end before the program is removed.
	t.Run("all", func(t *testing.T) {
		for line := range strings.Lines(string(list)) {
			name, rest, _ := strings.Cut(line, " ")
			when, culprits, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if testing.Short() && when != "each" {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				in := begin(t, program, name)
				for _, c := range strings.FieldsFunc(culprits, func(r rune) bool { return r == '|' }) {
					in.accuse(strings.TrimSpace(c))
				}
				in.look()
			})
		}
	})
}

// An incident runs in a process of its own.
type incident struct {
	*testing.T
	name, base string

	mu       sync.Mutex
	culprits []string
}

// begin starts the program, and returns when the incident has begun.
func begin(t *testing.T, program, name string) *incident {
	in := &incident{T: t, name: name}
	cmd := exec.Command(program, "-child", "-incident", name)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	began := make(chan bool, 1)
	go func() {
		defer close(began)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			switch word, text, _ := strings.Cut(lines.Text(), " "); word {
			case "page":
				in.base = text
			case "began":
				began <- true
			case "culprit":
				in.accuse(text)
			}
		}
	}()
	if !<-began {
		t.Fatal("the program has ended")
	}
	return in
}

func (in *incident) accuse(name string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !slices.Contains(in.culprits, name) {
		in.culprits = append(in.culprits, name)
	}
}

func (in *incident) names() []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.culprits)
}

// look opens the page, and waits for the culprit.
func (in *incident) look() {
	<-time.After(5 * time.Second) // people open the page late
	b := openAt(in.T, in.base)
	b.goTo("")
	opened := time.Now()
	names, err := json.Marshal(in.names())
	b.must(err)
	b.wait(fmt.Sprintf(`['#headline', '.lint:not(.info)'].every((e) =>
		%s.some((n) => document.querySelector(e)?.innerText.includes(n)))`, names))
	in.Logf("%s: read after %.1f s", in.name, time.Since(opened).Seconds())
	for _, scheme := range []string{"light", "dark"} {
		b.screen(1360, 900, scheme)
		b.shoot(in.name + "-" + scheme)
	}
	b.screen(390, 844, "light")
	b.shoot(in.name + "-phone")
	if strings.HasPrefix(in.name, "shutdown") || in.name == "panics" {
		return // the system, or the actor of the finding, has ended by now
	}
	if link := eval[string](b, `document.querySelector('.lint:not(.info) a')?.hash ?? ''`); link != "" {
		b.goTo(strings.TrimPrefix(link, "#/"))
		b.shoot(in.name + "-actor")
	}
}
