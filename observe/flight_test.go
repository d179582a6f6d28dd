package observe

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/flight"
)

// pilot is an actor of a type that a recording names.
type pilot struct{}

var (
	pilotType = actor.NewType[pilot](hostileName)
	fly       = actor.Declare[int](pilotType, "fly")
	_         = pilotType.Table(fly.Handle(func(*pilot, *actor.Context, int) {}))
)

// TestFlight: a recording is served as text and as JSON, as a download, and the page knows of it;
// without a recorder it is refused, and so are other parameters and too many requests. Nothing of a
// type's name reaches a terminal as an order.
func TestFlight(t *testing.T) {
	sys := actor.Start(actor.WithWorkers(1))
	defer sys.Stop()
	if a := ask(Handler(sys), "GET", "/flight"); a.Code != http.StatusNotFound {
		t.Errorf("without a recorder: %d", a.Code)
	}
	rec, err := flight.Start(sys)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	fly.Send(sys, pilotType.Spawn(sys, pilot{}), 1)
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := newHandler(crowd(), WithFlightRecorder(rec))
	a := ask(h, "GET", "/flight")
	if s, err := flight.Read(a.Body); err != nil || len(s.Events) == 0 || s.Reason != "a request" {
		t.Errorf("as JSON: %v", err)
	}
	if d := a.Header().Get("Content-Disposition"); d != "attachment; filename=gallop-flight.json" {
		t.Errorf("as a download: %q", d)
	}
	for _, a := range []string{
		ask(h, "GET", "/flight?as=text").Body.String(),
		ask(h, "GET", "/flight", "Accept", "text/plain").Body.String(),
	} {
		if !strings.HasPrefix(a, "gallop flight recording\nlost ") || !strings.Contains(a, ".fly from") {
			t.Errorf("as text: %.200s", a)
		}
		if strings.ContainsAny(a, "\u202e\x1b") {
			t.Errorf("orders to a terminal: %q", a)
		}
	}
	for _, bad := range []string{"/flight?as=xml", "/flight?for=ever", "/flight?as=text&b=c"} {
		if a := ask(h, "GET", bad); a.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, a.Code)
		}
	}
	code := 0
	for range 2 * dearPerSecond {
		code = max(code, ask(h, "GET", "/flight").Code)
	}
	if code != http.StatusTooManyRequests {
		t.Errorf("too many requests: %d", code)
	}
}
