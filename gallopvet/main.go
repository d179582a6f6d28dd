// Command gallopvet finds data races between actors, and other misuse of gallop, before the
// program runs.
//
//	go vet -vettool=$(which gallopvet) ./...
//	gallopvet ./...
//
// README.md says how to use it and lists the rules.
package main

import (
	"flag"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/gallop-go/gallop/gallopvet/rules"
)

// memory is the size of the heap beyond which the tool collects garbage more often. Few packages need
// more: the tests of a large server did, with 1.9 GB.
const memory = 600 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory)
	}
	boolean("strict", "report what cannot be proved to be right", &settings.Strict)
	boolean("tests", "look at test files as strictly as at others", &settings.Tests)
	flag.Func("disable", "rules that report nothing, as in GV6,GV8", func(ids string) error {
		settings.Disable = append(settings.Disable, strings.Split(ids, ",")...)
		return rules.Set(settings)
	})
	flag.BoolFunc("explain", "say on standard error what is not reported, and why",
		func(s string) error {
			if settings.Explain = explain; s == "false" {
				settings.Explain = nil
			}
			return rules.Set(settings)
		})
	multichecker.Main(rules.Analyzers()...)
}

// settings has the values of the flags so far.
var settings rules.Settings

// boolean defines a flag that sets one of the settings.
func boolean(name, usage string, to *bool) {
	flag.BoolFunc(name, usage, func(s string) error {
		*to = s != "false"
		return rules.Set(settings)
	})
}

// explained has the lines that were said: packages are looked at with their tests and without.
var explained sync.Map

// explain prints an unreported observation.
func explain(line string) {
	if _, said := explained.LoadOrStore(line, true); !said {
		_, _ = os.Stderr.WriteString(line + "\n") // in one write, which keeps the line whole
	}
}
