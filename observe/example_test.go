package observe_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
)

type Clerk struct{}

func (*Clerk) Work(*actor.Context, string) {}

var (
	ClerkType = actor.NewType[Clerk]("clerk")
	Work      = actor.Declare[string](ClerkType, "work")
	_         = ClerkType.Table(Work.Handle((*Clerk).Work))
)

// The page is mounted below any prefix. A browser gets the page; curl gets text.
func Example() {
	sys := actor.Start()
	defer sys.Stop()
	mux := http.NewServeMux()
	mux.Handle("/gallop/", http.StripPrefix("/gallop", observe.Handler(sys)))
	clerk, _ := ClerkType.SpawnNamed(sys, "front desk", Clerk{})
	Work.Send(sys, clerk, "hello")

	fmt.Print(curl(mux, "localhost", "/gallop/api/v1/names"))
	// Output:
	// NAME        ACTOR
	// front desk  clerk#1 (front desk)
}

// Hosts, redaction and actions are options. A host that is not allowed is refused, since it could
// be another site's name for this address.
func ExampleOption() {
	sys := actor.Start()
	defer sys.Stop()
	h := observe.Handler(sys,
		observe.WithHosts("ops.example.com"),
		observe.WithRedact(func(what, text string) string {
			if what == "name" {
				return strings.Repeat("*", len(text))
			}
			return text
		}))
	clerk, _ := ClerkType.SpawnNamed(sys, "bob", Clerk{})
	Work.Send(sys, clerk, "hello")

	fmt.Print(curl(h, "ops.example.com", "/api/v1/names"))
	fmt.Print(curl(h, "evil.example.com", "/api/v1/names"))
	// Output:
	// NAME  ACTOR
	// ***   clerk#1 (***)
	// gallop: observe: this host is not allowed; the program can allow it by observe.WithHosts
}

// curl returns the output of curl, without the line with the time since when the page has looked.
func curl(h http.Handler, host, path string) string {
	r := httptest.NewRequest("GET", path, nil)
	r.Host = host
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	text, _ := io.ReadAll(w.Result().Body)
	if _, after, ok := strings.Cut(string(text), "\n\n"); ok {
		return after
	}
	return string(text)
}
